"""The first lines of a page: headline, lead and loss rate."""

from collections.abc import Sequence

from goldfish.findings.causes import find_causes
from goldfish.findings.kinds import describe_deeds
from goldfish.findings.result import Report, Verdict

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
