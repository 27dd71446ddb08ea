"""What a summary says of the run as a whole: how it was asked, how steady, and what to do next."""

from goldfish.engine.baseline import Account
from goldfish.findings.causes import Cause
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.causes import list_causes, locate
from goldfish.report.page import Page
from goldfish.report.ranking import rank_causes
from goldfish.report.results import select_results, state_finding
from goldfish.report.sanitize import escape_controls, shorten

LABEL = "{:<7}"


def describe_run(report: Report) -> list[str]:
    """Return how the checks were asked: seed, runs, edition and profile."""
    seeds = f"seed {report.seed}"
    if report.runs > 1:
        seeds = f"{report.runs} runs, seeds {report.seed} to {report.seed + report.runs - 1}"
    edition = [f"edition {report.edition}"] if report.edition else []
    profile = [f"profile {report.profile}"] if report.profile else []
    return [seeds, *edition, *profile]


def write_repetition(page: Page, report: Report, *, whole: bool) -> None:
    """Write how often each check said what in several runs: those that differed, or all."""
    if report.runs == 1:
        return
    shown = [each for each in report.results if whole or each.is_unsteady]
    page.write()
    steady = sum(not each.is_unsteady for each in report.results)
    page.write(
        f"Of {len(report.results)} checks, {steady} said the same in all {report.runs} runs"
        f"{':' if shown else '.'}",
        indent=2,
    )
    for result in shown:
        page.write(describe_said(result), indent=4, label=f"{result.code} ")


def describe_said(result: Result) -> str:
    """Return how often a check said what: "held 17, lost 3"."""
    return ", ".join(f"{word} {count}" for word, count in result.said)


def write_conclusion(page: Page, account: Account, report: Report) -> None:
    """Write three lines that a reader who looks only at the end needs: what, where, next."""
    causes = rank_causes(list_causes(report, account.known))
    unknown = select_results(report, Verdict.UNKNOWN)
    if not causes and not unknown:
        return
    first = causes[0].first if causes else unknown[0]
    what = shorten(escape_controls(f"{first.code} {state_finding(first)}"), page.width - 7)
    page.write()
    page.write(what, label=LABEL.format("What:"), style="bold")
    where = escape_controls(_locate(causes[0] if causes else None, report))
    page.write(shorten(where, page.width - 7), label=LABEL.format("Where:"))
    page.write_code(f"{LABEL.format('Next:')}{first.reproduce or 'goldfish check --help'}")


def _locate(cause: Cause | None, report: Report) -> str:
    """Return the line that raised, or else where the target is opened."""
    if cause is not None and (place := locate(cause)):
        return place.removeprefix("at ")
    return f"{report.target}, opened at {report.place}" if report.place else report.target
