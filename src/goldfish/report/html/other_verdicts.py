"""What is not broken: unknown, stale in a baseline, held, and what was not asked."""

from collections.abc import Iterable

from goldfish.engine.baseline import Account
from goldfish.findings.result import Result, Verdict
from goldfish.report.html.markup import Markup, element
from goldfish.report.sanitize import shorten

LONGEST = 400


def render_other_verdicts(account: Account, *, alone: bool) -> list[Markup]:
    """The sections after the findings of a target, those that matter first."""
    report = account.report
    of = "" if alone else f" ({report.target})"
    parts = []
    if account.stale:
        lines = [element("li", f"{code}: {why}") for code, why in account.stale.items()]
        parts += [element("h2", f"Stale in the baseline{of}"), element("ul", *lines)]
    unknown = [each for each in report.results if each.verdict is Verdict.UNKNOWN]
    if unknown:
        parts += [element("h2", f"Unknown{of}"), _by_reason(unknown, commands=True)]
    held = [each for each in report.results if each.verdict is Verdict.HELD]
    if held:
        parts.append(_folded(f"{len(held)} promises held{of}", _promises(held)))
    for verdict, title in (
        (Verdict.UNSUPPORTED, "not asked: the memory has no such power, or never claimed it"),
        (Verdict.SKIPPED, "skipped"),
    ):
        some = [each for each in report.results if each.verdict is verdict]
        if some:
            parts.append(_folded(f"{len(some)} {title}{of}", _by_reason(some, commands=False)))
    return parts


def _folded(title: str, contents: Markup) -> Markup:
    return element("details", element("summary", title), contents)


def _promises(results: Iterable[Result]) -> Markup:
    lines = [element("li", element("code", each.code), f" {each.promise}") for each in results]
    return element("ul", *lines)


def _by_reason(results: Iterable[Result], *, commands: bool) -> Markup:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.summary, []).append(result)
    lines = []
    for reason, group in groups.items():
        codes = " ".join(result.code for result in group)
        again = group[0].reproduce if commands else ""
        command = element("pre", again, class_="command") if again else Markup("")
        told = shorten(reason, LONGEST) or "no reason was given"
        lines.append(element("li", f"{told}: ", element("code", codes), command))
    return element("ul", *lines)
