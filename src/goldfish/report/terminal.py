"""The summary of a run for people: what was promised, what broke, how to see it again."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from goldfish.engine.baseline import Account
from goldfish.findings.backends import choose_remedy
from goldfish.findings.causes import Cause, Mechanism
from goldfish.findings.reason import Why
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.calls import draw_calls
from goldfish.report.causes import diagnose, list_causes, list_others, locate, state_others
from goldfish.report.conclusion import describe_run, write_conclusion, write_repetition
from goldfish.report.cost import describe_cost
from goldfish.report.family_table import write_family_table
from goldfish.report.page import Page
from goldfish.report.results import group_by_reason, select_results, state_finding
from goldfish.report.sanitize import escape_controls, sanitize_report, shorten, shorten_evidence
from goldfish.report.words import NOT_ASKED, NOT_CLAIMED, name_verdict

STYLES = {"held": "bold green", "broken": "bold red", "unknown": "bold yellow"}
ROW_STYLES = {Verdict.BROKEN: "red", Verdict.UNKNOWN: "yellow"}
Detail = Literal["verdict", "usual", "everything"]
MOST_EVIDENCE = 24  # lines: a small history, or a short sequence of calls, is shown whole
MOST_OTHERS = 5  # promises of one cause that get a line each
MOST_CODES = 24  # of one cause that are listed
# Of these mechanisms, all findings tell the same, so that their codes are enough.
BY_CODE = {Mechanism.ERROR, Mechanism.RACE, Mechanism.CROSSING, Mechanism.OPENING}
LINES_OF_SUMMARY = 3
SCREEN = 24  # lines: the headline of a summary that is longer has left the screen
WHOLE_FAMILY = 4  # checks of a family from which it is named instead of them
LINES_OF_CODES = 2  # of one reason for not asking; what is longer is counted, by family
INDENT = 8  # under a code


def summarise(page: Page, account: Account, seconds: float, detail: Detail = "usual") -> None:
    """Write all that somebody needs to know about one target."""
    report = sanitize_report(account.report)
    headline = make_headline(report, account, seconds)
    style, above = STYLES[report.verdict.value], page.lines
    page.write(headline, style=style)
    if detail == "verdict":
        return
    if report.lost:
        page.write(describe_loss(report), style="bold red")
    if report.promises:
        page.write(f"Its documentation: {report.promises}")
    if detail == "everything":
        _write_every_check(page, report)
    _write_failures(page, account, report, None if detail == "everything" else MOST_EVIDENCE)
    write_repetition(page, report, whole=detail == "everything")
    _write_absences(page, report)
    _write_notes(page, report)
    if cost := describe_cost(report):
        page.write()
        page.write(cost, indent=2)
    _write_unjudged(page, report, None if detail == "everything" else LINES_OF_CODES)
    if page.lines - above > SCREEN:
        page.write()
        write_family_table(page, report)
        page.write(headline, style=style)
    write_conclusion(page, account, report)


def make_headline(report: Report, account: Account, seconds: float) -> str:
    """Return the verdict: "sqlite: held. 58 promises held, 3 not asked. (7.3 s, seed 1)"."""
    verdict = report.verdict.value
    if account.known and account.passed:
        verdict = "broken as known"
    elif account.stale and report.verdict is Verdict.HELD:
        verdict = "held, but the baseline is stale"
    elif report.verdict is Verdict.HELD and (report.is_cut_short or report.is_mostly_unasked):
        how_far = "until the time was up" if report.is_cut_short else "where asked"
        verdict = f"held {how_far} ({report.asked} of {len(report.results)} promises)"
    counts = _describe_counts(report, account.known)
    if account.stale:
        counts += f", {len(account.stale)} stale ({' '.join(account.stale)})"
    how = ", ".join([f"{seconds:.1f} s", *describe_run(report)])
    return f"{report.target}: {verdict}. {counts}. ({how})"


def describe_loss(report: Report) -> str:
    """Return what was lost of what was acknowledged, as a share."""
    counts = f"{report.lost:,} of {report.acknowledged:,} acknowledged messages"
    return f"Loss rate {100 * report.loss_rate:.1f} %: {counts} were gone later."


def _describe_counts(report: Report, known: Mapping[str, str]) -> str:
    named = Counter(map(name_verdict, report.results))
    broken = select_results(report, Verdict.BROKEN)
    as_documented = 0 if known else sum(bool(each.documented) for each in broken)
    counts = report.counts
    causes = list_causes(report, known)
    by = f" by {len(causes)} cause{'' if len(causes) == 1 else 's'}"
    grouped = by if 0 < len(causes) < sum(len(cause.codes) for cause in causes) else ""
    parts = [
        (
            f"broken{f' ({len(known)} known)' if known else ''}{grouped}",
            len(broken) - as_documented,
        ),
        ("broken as documented", as_documented),
        ("held", counts["held"]),
        ("unknown", counts["unknown"]),
        (NOT_ASKED, named[NOT_ASKED]),
        (NOT_CLAIMED, named[NOT_CLAIMED]),
    ]
    (first, count), *others = [part for part in parts if part[1]] or [("", 0)]
    if not count:
        return "nothing was checked"
    promises = f"{count} promise{'' if count == 1 else 's'} {first}"
    return ", ".join([promises, *(f"{number} {word}" for word, number in others)])


def _write_every_check(page: Page, report: Report) -> None:
    """Write a line for each check: verdict, time, promise."""
    page.write()
    for result in report.results:
        label = f"{result.code} {name_verdict(result):<11} {result.seconds:5.1f} s  "
        page.write(result.promise, indent=2, label=label, style=ROW_STYLES.get(result.verdict, ""))


def _write_failures(page: Page, account: Account, report: Report, most: int | None) -> None:
    """Write what is broken, by cause; what is documented or known; then stale and unknown."""
    for cause in list_causes(report, account.known):
        _write_cause(page, cause, most)
    broken = select_results(report, Verdict.BROKEN)
    expected = [each for each in broken if each.documented or each.code in account.known]
    for result in sorted(expected, key=lambda each: each.code not in account.known):
        _write_expected(page, result, account.known.get(result.code), most)
    for code, why in account.stale.items():
        page.write()
        page.write(f"stale: {why}. Remove it from the baseline.", indent=2, label=f"{code} ")
    for reason, group in group_by_reason(select_results(report, Verdict.UNKNOWN)).items():
        page.write()
        room = LINES_OF_SUMMARY * (page.width - 11)
        text = shorten(escape_controls(str(reason)), room)
        page.write(text, indent=2, label="unknown: ", style="yellow")
        page.write(_list_briefly(page, group, report, LINES_OF_CODES), indent=INDENT)
        _write_command(page, group[0].reproduce)


def _write_cause(page: Page, cause: Cause, most: int | None) -> None:
    """Write the promise that shows a cause best, what happened, and what else hangs on it."""
    first = cause.first
    _write_promise(page, first)
    _write_finding(page, first)
    for text in (locate(cause), diagnose(cause)):
        if text:
            page.write(text, indent=INDENT)
    _write_evidence(page, first, most)
    if cause.others:
        _write_others(page, cause, most)
    if cause.mechanism is not Mechanism.ERROR:  # whose line says more
        remedy = choose_remedy(first)
        page.write(f"Fix: {remedy.fix}", indent=INDENT)
    page.write(f"goldfish explain {first.code}", indent=INDENT, style="cyan")
    _write_command(page, first.reproduce)


def _write_others(page: Page, cause: Cause, most: int | None) -> None:
    """Write the promises that hang on a cause: by code where they tell the same, else a line each.

    With all evidence, each has its own.
    """
    told_by_code = cause.mechanism in BY_CODE and most is not None
    codes = _list_codes(cause)
    page.write(f"{state_others(cause)}:{f' {codes}' if told_by_code else ''}", indent=INDENT)
    if told_by_code:
        return
    room = page.width - INDENT - 2
    lines = list(list_others(cause))
    shown = len(cause.others) if most is None else MOST_OTHERS
    for each, line in zip(cause.others[:shown], lines, strict=False):
        page.write(shorten(line, room), indent=INDENT + 2)
        if most is None:
            for evidence in each.evidence:
                page.write(shorten(escape_controls(evidence), room - 2), indent=INDENT + 4)
    if rest := cause.others[shown:]:
        page.write("and " + " ".join(each.code for each in rest), indent=INDENT + 2)


def _list_codes(cause: Cause) -> str:
    """Return the codes of the others; of many, how many there are of each family."""
    if len(cause.others) <= MOST_CODES:
        return " ".join(each.code for each in cause.others)
    counted = Counter(each.family for each in cause.others)
    return ", ".join(f"{count} of {family}" for family, count in counted.items())


def _write_expected(page: Page, result: Result, known: str | None, most: int | None) -> None:
    """Write a broken promise that is known, or that the memory's documentation tells of."""
    _write_promise(page, result)
    if known:
        page.write(f"known: {known}", indent=INDENT)
        return
    page.write(f"broken, and documented as such: {result.documented}", indent=INDENT)
    _write_finding(page, result)
    _write_evidence(page, result, most)
    _write_command(page, result.reproduce)


def _write_promise(page: Page, result: Result) -> None:
    page.write()
    page.write(result.promise, indent=2, label=f"{result.code} ", style="bold")


def _write_finding(page: Page, result: Result) -> None:
    room = LINES_OF_SUMMARY * (page.width - INDENT)
    finding = shorten(escape_controls(state_finding(result)), room)
    page.write(finding, indent=INDENT, style="red")


def _write_evidence(page: Page, result: Result, most: int | None) -> None:
    """Write the evidence of the check, and the calls that show it where it does not have them."""
    room = page.width - INDENT
    lines = [*result.evidence[:most]]
    if more := len(result.evidence) - len(lines):
        lines.append(f"… {more} more lines of evidence: -v shows them")
    shown = [escape_controls(line) for line in [*lines, *draw_calls(result)]]
    for line in shorten_evidence(shown, room):
        page.write(line, indent=INDENT)


def _write_command(page: Page, command: str) -> None:
    """Write the command, in two lines that can be copied as one where it is too long."""
    command = escape_controls(command)
    if not command:
        return
    if INDENT + len(command) <= page.width:
        page.write(command, indent=INDENT, style="cyan")
        return
    head, _, tail = command.rpartition(" --only ")
    page.write(f"{head} \\", indent=INDENT, style="cyan")
    page.write(f"--only {tail}", indent=INDENT + 2, style="cyan")


def _write_absences(page: Page, report: Report) -> None:
    """Write what the memory does not do, each with the declaration that would hold it to that."""
    if not report.absences:
        return
    page.write()
    page.write("What this memory does not do, so nothing that hangs on it was asked:", indent=2)
    for each in report.absences:
        page.write(escape_controls(each.sentence), indent=4)
        page.write(f"to hold it to that: {escape_controls(each.declaration)}", indent=INDENT)


def _write_notes(page: Page, report: Report) -> None:
    """Write what was seen beside the verdicts."""
    if report.notes:
        page.write()
    for note in report.notes:
        page.write(escape_controls(note), indent=2, label="Note: ", style="yellow")


def _write_unjudged(page: Page, report: Report, most: int | None) -> None:
    """Write what was not asked, by reason: last what could have been asked, and how."""
    unsupported = select_results(report, Verdict.UNSUPPORTED)
    missing_here = [each for each in unsupported if _is_missing_here(each)]
    unclaimed = [each for each in unsupported if each.is_unclaimed]
    others = [each for each in unsupported if each not in missing_here and each not in unclaimed]
    others += select_results(report, Verdict.SKIPPED)
    _write_list(page, "Not asked", others, report, most)
    _write_list(page, "Not claimed", unclaimed, report, most)
    for reason, group in group_by_reason(missing_here).items():
        page.write()
        text = shorten(escape_controls(reason.short), LINES_OF_SUMMARY * page.width)
        counted = _count_by_family(group)
        page.write(f"Not asked: {counted}, because {text}", indent=2, style="yellow")


def _is_missing_here(result: Result) -> bool:
    return result.reason is not None and result.reason.why is Why.NOT_ASKED


def _write_list(
    page: Page, title: str, results: list[Result], report: Report, most: int | None
) -> None:
    """Write codes by their reason; how many, where they take more lines than ``most``."""
    if not results:
        return
    page.write()
    page.write(f"{title}:", indent=2)
    for reason, group in group_by_reason(results).items():
        text = shorten(escape_controls(reason.short), page.width)
        page.write(f"{text}: {_list_briefly(page, group, report, most, len(text))}", indent=4)


def _list_briefly(
    page: Page, group: list[Result], report: Report, most: int | None, before: int = 0
) -> str:
    """Return the codes; how many, where they and what is before take more lines than ``most``."""
    codes = _join_codes(group, report)
    is_long = most is not None and before + len(codes) > most * (page.width - INDENT)
    return _count_by_family(group) if is_long else codes


def _count_by_family(group: list[Result]) -> str:
    """Return "86 promises (REV, ISO, DUR)"."""
    promises = "1 promise" if len(group) == 1 else f"{len(group)} promises"
    return f"{promises} ({', '.join(dict.fromkeys(result.family for result in group))})"


def _join_codes(group: list[Result], report: Report) -> str:
    """Return the codes, after the families that are meant as a whole."""
    asked = Counter(result.family for result in report.results)
    meant = Counter(result.family for result in group)
    whole = [each for each in meant if asked[each] == meant[each] >= WHOLE_FAMILY]
    others = " ".join(result.code for result in group if result.family not in whole)
    return ", ".join(filter(None, [*(f"all {meant[each]} of {each}" for each in whole), others]))
