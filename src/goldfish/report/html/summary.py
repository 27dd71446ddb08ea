"""The first lines of a page: headline, lead and loss rate; and the order of its findings."""

from collections.abc import Sequence

from goldfish.findings.causes import Cause, find_causes
from goldfish.findings.kinds import describe_deeds, rank
from goldfish.findings.result import Report, Result, Verdict
from goldfish.history import FAULT
from goldfish.report.highlight import find_highlight

AS_VERDICT = {
    Verdict.HELD: "{} keeps its promises",
    Verdict.BROKEN: "{} is broken",
    Verdict.UNKNOWN: "{}: unknown",
}


def make_headline(reports: Sequence[Report]) -> str:
    """Return the verdict in one line."""
    if not reports or not any(report.results for report in reports):
        return "Nothing was checked"
    if len(reports) == 1:
        (report,) = reports
        if report.verdict is Verdict.HELD and report.is_mostly_unasked:
            return f"{report.target} keeps the promises that it was asked for"
        return AS_VERDICT[report.verdict].format(report.target)
    broken = sum(report.verdict is Verdict.BROKEN for report in reports)
    if broken:
        return f"{broken} of {len(reports)} memories {'is' if broken == 1 else 'are'} broken"
    held = sum(report.verdict is Verdict.HELD for report in reports)
    return f"{held} of {len(reports)} memories keep their promises"


def make_lead(reports: Sequence[Report]) -> list[str]:
    """Return what a reader who stops here should know."""
    if len(reports) != 1 or not reports[0].results:
        return []
    (report,) = reports
    counts = report.counts
    asked = counts["broken"] + counts["held"] + counts["unknown"]
    if report.verdict is Verdict.BROKEN:
        causes = len(find_causes(report.results))
        by = "" if causes == counts["broken"] else f", by {causes} cause{'s' * (causes > 1)}"
        return [
            f"{counts['broken']} of the {asked} promises tested do not hold{by}: "
            f"{describe_deeds(result.finding for result in report.results)}."
        ]
    if report.verdict is Verdict.HELD:
        rest = len(report.results) - asked
        others = f" {rest} were not asked." if report.is_mostly_unasked else ""
        return [f"All {asked} promises tested hold.{others}"]
    return [f"{counts['held']} of {asked} promises hold; nothing could be proven about the others."]


def describe_loss(report: Report) -> tuple[str, str]:
    """Return the share of the acknowledged messages that was lost, and of how many."""
    if not report.acknowledged:
        return "none", "loss rate: not measured in this run"
    rate = f"{100 * report.loss_rate:.1f} %"
    return rate, f"loss rate: {report.lost:,} of {report.acknowledged:,} acknowledged messages"


def rank_causes(causes: Sequence[Cause]) -> list[Cause]:
    """Return the causes in the order of the results that show them best."""
    places = {id(each): at for at, each in enumerate(rank_results([c.first for c in causes]))}
    return sorted(causes, key=lambda cause: places[id(cause.first)])


def rank_results(results: Sequence[Result]) -> list[Result]:
    """Return the gravest first; of equals, those that show it most clearly."""
    return sorted(results, key=lambda each: (rank(each.finding), -_rate_clearness(each), each.code))


def _rate_clearness(result: Result) -> int:
    """Return 0 if no message can be followed to the call that fails it; few calls rate higher."""
    if result.excerpt is None or not find_highlight(result.excerpt, result.finding).writes:
        return 0
    calls = [call for call in result.excerpt.calls if call.action != FAULT]
    places = {call.place for call in calls}
    return 1 + (len(calls) <= 6) + (len(places) > 1)
