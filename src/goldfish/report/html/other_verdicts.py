"""The sections after the findings: stale in a baseline, unknown, notes, held, not asked."""

from collections import Counter
from collections.abc import Iterable, Sequence

from goldfish.engine.baseline import Account
from goldfish.findings.absence import Absence
from goldfish.findings.result import Result, Verdict
from goldfish.report.html.markup import Markup, element
from goldfish.report.results import group_by_reason, select_results
from goldfish.report.sanitize import shorten

LONGEST = 400
MOST_CODES = 60


def render_other_verdicts(account: Account, *, alone: bool) -> list[Markup]:
    """Return the sections after the findings of a target, those that matter first."""
    report = account.report
    of = "" if alone else f" ({report.target})"
    parts = []
    if account.stale:
        lines = [element("li", f"{code}: {why}") for code, why in account.stale.items()]
        parts += [element("h2", f"Stale in the baseline{of}"), element("ul", *lines)]
    if unknown := select_results(report, Verdict.UNKNOWN):
        parts += [element("h2", f"Unknown{of}"), _render_by_reason(unknown, commands=True)]
    if report.absences:
        title = f"What this memory does not do{of}"
        parts += [element("h2", title), _render_absences(report.absences)]
    if report.notes:
        lines = [element("li", shorten(note, LONGEST)) for note in report.notes]
        parts += [element("h2", f"Notes{of}"), element("ul", *lines)]
    if held := select_results(report, Verdict.HELD):
        parts.append(_fold(f"{len(held)} promises held{of}", _render_promises(held)))
    for verdict, title in (
        (Verdict.UNSUPPORTED, "not asked: the memory has no such power, or never claimed it"),
        (Verdict.SKIPPED, "not asked: the run ended before"),
    ):
        if some := select_results(report, verdict):
            contents = _render_by_reason(some, commands=False)
            parts.append(_fold(f"{len(some)} {title}{of}", contents))
    return parts


def _render_absences(absences: Iterable[Absence]) -> Markup:
    """Return what was never held against the memory, with the declaration that would do so."""
    lines = [
        element(
            "li",
            f"{each.sentence}: to hold it to that, declare ",
            element("code", each.declaration),
        )
        for each in absences
    ]
    return element("ul", *lines)


def _fold(title: str, contents: Markup) -> Markup:
    return element("details", element("summary", title), contents)


def _render_promises(results: Iterable[Result]) -> Markup:
    lines = [element("li", element("code", each.code), f" {each.promise}") for each in results]
    return element("ul", *lines)


def _list_codes(group: Sequence[Result]) -> str:
    """Return the codes; of very many, how many there are of each family."""
    if len(group) <= MOST_CODES:
        return " ".join(result.code for result in group)
    counted = Counter(result.family for result in group)
    return ", ".join(f"{count} of {family}" for family, count in counted.items())


def _render_by_reason(results: Iterable[Result], *, commands: bool) -> Markup:
    lines = []
    for reason, group in group_by_reason(results).items():
        codes = _list_codes(group)
        again = group[0].reproduce if commands else ""
        command = element("pre", again, class_="command") if again else Markup("")
        text = shorten(str(reason), LONGEST) or "no reason was given"
        lines.append(element("li", f"{text}: ", element("code", codes), command))
    return element("ul", *lines)
