"""The first lines of a page: headline, lead and loss rate; and the order of its findings."""

from collections.abc import Sequence

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
        return AS_VERDICT[reports[0].verdict].format(reports[0].target)
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
        return [
            f"{counts['broken']} of the {asked} promises tested do not hold: "
            f"{describe_deeds(result.finding for result in report.results)}."
        ]
    if report.verdict is Verdict.HELD:
        return [f"All {asked} promises tested hold."]
    return [f"{counts['held']} of {asked} promises hold; nothing could be proven about the others."]


def describe_loss(report: Report) -> tuple[str, str]:
    """Return the share of the acknowledged messages that was lost, and of how many."""
    if not report.acknowledged:
        return "none", "loss rate: not measured in this run"
    rate = f"{100 * report.loss_rate:.1f} %"
    return rate, f"loss rate: {report.lost:,} of {report.acknowledged:,} acknowledged messages"


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
