"""What every report asks of results: which have a verdict, for which reason, in which lines."""

from collections.abc import Iterable, Iterator

from goldfish.findings.reason import Reason
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.sanitize import escape_controls


def select_results(report: Report, verdict: Verdict) -> list[Result]:
    """Return the results with this verdict."""
    return [result for result in report.results if result.verdict is verdict]


def group_by_reason(results: Iterable[Result]) -> dict[Reason, list[Result]]:
    """Return the results by their reason, in the order of the first of each."""
    groups: dict[Reason, list[Result]] = {}
    for result in results:
        groups.setdefault(result.reason or Reason.stated(""), []).append(result)
    return groups


def state_finding(result: Result) -> str:
    """Return the word and the sentence: "lost: 'a' was acknowledged, but …"."""
    return f"{result.finding}: {result.summary}" if result.finding else result.summary


def list_lines(result: Result) -> Iterator[str]:
    """Yield all that is known of a failure, for a reader who has nothing else: a line each."""
    lines = (result.promise, state_finding(result), *result.evidence, result.reproduce)
    return (escape_controls(line) for line in lines if line)
