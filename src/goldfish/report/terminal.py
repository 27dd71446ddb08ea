"""The summary of a run for people: what was promised, what broke, how to see it again."""

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from goldfish.engine.baseline import Account
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.family_table import write_family_table
from goldfish.report.page import Page
from goldfish.report.sanitize import escape_controls, sanitize_report, shorten

STYLES = {"held": "bold green", "broken": "bold red", "unknown": "bold yellow"}
ROW_STYLES = {Verdict.BROKEN: "red", Verdict.UNKNOWN: "yellow"}
Detail = Literal["verdict", "usual", "everything"]
MOST_EVIDENCE = 10  # lines: a small history is shown whole
LINES_OF_SUMMARY = 3
SCREEN = 24  # lines: the headline of a summary that is longer has left the screen
WHOLE_FAMILY = 4  # checks of a family from which it is named instead of them


def summarise(page: Page, account: Account, seconds: float, detail: Detail = "usual") -> None:
    """Write all that somebody needs to know about one target."""
    report = sanitize_report(account.report)
    told = make_headline(report, account, seconds)
    above = page.lines
    page.write(told, style=STYLES[report.verdict.value])
    if detail == "verdict":
        return
    if report.lost:
        page.write(describe_loss(report), style="bold red")
    if report.promises:
        page.write(f"Its documentation: {report.promises}")
    if detail == "everything":
        _everything(page, report)
    _findings(page, account, report, None if detail == "everything" else MOST_EVIDENCE)
    _not_judged(page, report)
    if page.lines - above > SCREEN:
        page.write()
        write_family_table(page, report)
        page.write(told, style=STYLES[report.verdict.value])


def _everything(page: Page, report: Report) -> None:
    """A line for each check: verdict, time, promise."""
    page.write()
    for result in report.results:
        label = f"{result.code} {result.verdict.value:<11} {result.seconds:5.1f} s  "
        page.write(result.promise, indent=2, label=label, style=ROW_STYLES.get(result.verdict, ""))


def _findings(page: Page, account: Account, report: Report, most: int | None) -> None:
    for result in sorted(_those(report, Verdict.BROKEN), key=lambda each: bool(each.documented)):
        _broken(page, result, account.known.get(result.code), most)
    for code, why in account.stale.items():
        page.write()
        page.write(f"stale: {why}. Remove it from the baseline.", indent=2, label=f"{code} ")
    _unknown(page, report)


def _not_judged(page: Page, report: Report) -> None:
    unsupported = _those(report, Verdict.UNSUPPORTED)
    lacking = [each for each in unsupported if _is_not_asked(each)]
    unclaimed = [each for each in unsupported if each.is_unclaimed]
    others = [each for each in unsupported if each not in lacking and each not in unclaimed]
    _listed(page, "Unsupported", others, report)
    _listed(page, "Not claimed", unclaimed, report)
    _listed(page, "Skipped", _those(report, Verdict.SKIPPED), report)
    _lacking(page, lacking)


def make_headline(report: Report, account: Account, seconds: float) -> str:
    """The verdict in words: "sqlite: held. 58 promises held, 3 unsupported. (7.3 s, seed 1)"."""
    verdict = report.verdict.value
    if account.known and account.passed:
        verdict = "broken as known"
    elif account.stale and report.verdict is Verdict.HELD:
        verdict = "held, but the baseline is stale"
    told = f"{_counted(report, len(account.known))}. ({seconds:.1f} s, seed {report.seed})"
    return f"{report.target}: {verdict}. {told}"


def describe_loss(report: Report) -> str:
    """What was lost of what was acknowledged, as a share."""
    counted = f"{report.lost:,} of {report.acknowledged:,} acknowledged messages"
    return f"Loss rate {100 * report.loss_rate:.1f} %: {counted} were gone later."


def _counted(report: Report, known: int) -> str:
    unsupported = _those(report, Verdict.UNSUPPORTED)
    unclaimed = sum(each.is_unclaimed for each in unsupported)
    counts = report.counts
    as_documented = sum(
        bool(each.documented) for each in _those(report, Verdict.BROKEN) if not known
    )
    parts = [
        ("broken" if not known else f"broken ({known} known)", counts["broken"] - as_documented),
        ("broken as documented", as_documented),
        ("held", counts["held"]),
        ("unknown", counts["unknown"]),
        ("unsupported", len(unsupported) - unclaimed),
        ("not claimed", unclaimed),
        ("skipped", counts["skipped"]),
    ]
    told = [f"{count} {word}" for word, count in parts if count]
    if not told:
        return "nothing was checked"
    number, _, rest = told[0].partition(" ")
    return ", ".join([f"{number} promise{'' if number == '1' else 's'} {rest}", *told[1:]])


def _broken(page: Page, result: Result, known: str | None, most: int | None) -> None:
    page.write()
    page.write(result.promise, indent=2, label=f"{result.code} ", style="bold")
    if known:
        page.write(f"known: {known}", indent=8)
        return
    if result.documented:
        page.write(f"broken, and documented as such: {result.documented}", indent=8)
    what = f"{result.finding}: {result.summary}"
    room = page.width - 8
    page.write(shorten(escape_controls(what), LINES_OF_SUMMARY * room), indent=8, style="red")
    for line in result.evidence[:most]:
        page.write(shorten(escape_controls(line), room), indent=8)
    _reproduction(page, result, 8)


def _unknown(page: Page, report: Report) -> None:
    for reason, group in _by_reason(_those(report, Verdict.UNKNOWN)).items():
        page.write()
        told = shorten(escape_controls(str(reason)), LINES_OF_SUMMARY * (page.width - 11))
        page.write(told, indent=2, label="unknown: ", style="yellow")
        page.write(_codes(group, report), indent=8)
        _reproduction(page, group[0], 8)


def _reproduction(page: Page, result: Result, indent: int) -> None:
    """The command, which stays one when it is copied from two lines."""
    command = escape_controls(result.reproduce)
    if not command:
        return
    if indent + len(command) <= page.width:
        page.write(command, indent=indent, style="cyan")
        return
    head, _, tail = command.rpartition(" --only ")
    page.write(f"{head} \\", indent=indent, style="cyan")
    page.write(f"--only {tail}", indent=indent + 2, style="cyan")


def _listed(page: Page, title: str, results: list[Result], report: Report) -> None:
    """Codes by their reason, as compact as can be."""
    if not results:
        return
    page.write()
    page.write(f"{title}:", indent=2)
    for reason, group in _by_reason(results).items():
        told = shorten(escape_controls(reason.short), page.width)
        page.write(f"{told}: {_codes(group, report)}", indent=4)


def _codes(group: list[Result], report: Report) -> str:
    """The codes, after the families that are meant as a whole."""
    asked = Counter(result.family for result in report.results)
    meant = Counter(result.family for result in group)
    whole = [each for each in meant if asked[each] == meant[each] >= WHOLE_FAMILY]
    others = " ".join(result.code for result in group if result.family not in whole)
    return ", ".join(filter(None, [*(f"all {meant[each]} of {each}" for each in whole), others]))


def _lacking(page: Page, results: list[Result]) -> None:
    """In a line for each reason: how much could have been asked, and how to ask it."""
    for reason, group in _by_reason(results).items():
        page.write()
        promises = "1 promise" if len(group) == 1 else f"{len(group)} promises"
        families = ", ".join(dict.fromkeys(result.family for result in group))
        told = shorten(escape_controls(reason.short), LINES_OF_SUMMARY * page.width)
        page.write(f"Not asked: {promises} ({families}), because {told}", indent=2, style="yellow")


def _by_reason(results: Iterable[Result]) -> dict[Reason, list[Result]]:
    groups: dict[Reason, list[Result]] = {}
    for result in results:
        groups.setdefault(result.reason or Reason.stated(""), []).append(result)
    return groups


def _those(report: Report, verdict: Verdict) -> list[Result]:
    return [result for result in report.results if result.verdict is verdict]


def _is_not_asked(result: Result) -> bool:
    return result.reason is not None and result.reason.why is Why.NOT_ASKED
