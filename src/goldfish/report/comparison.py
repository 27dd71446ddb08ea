"""Several reports side by side: how each family stands, and where the verdicts differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.words import NOT_ASKED


@dataclass(frozen=True)
class Difference:
    """A promise with a different verdict in each report; None where it was not asked."""

    code: str
    promise: str
    results: tuple[Result | None, ...]


def summarise_family(report: Report, family: str) -> tuple[str, str]:
    """Return the verdict of a family as a word, and the same with its counts."""
    verdicts = [result.verdict for result in report.results if result.family == family]
    broken, held, unknown = (
        verdicts.count(each) for each in (Verdict.BROKEN, Verdict.HELD, Verdict.UNKNOWN)
    )
    if broken:
        return "broken", f"{broken} of {broken + held + unknown} broken"
    if unknown:
        return "unknown", f"{unknown} unknown, {held} held"
    return ("held", f"{held} held") if held else ("none", NOT_ASKED)


def find_differences(reports: Sequence[Report]) -> list[Difference]:
    """Return the promises on which the verdicts differ, in the order of the catalogue."""
    by_code = [{result.code: result for result in report.results} for report in reports]
    codes = dict.fromkeys(code for results in by_code for code in results)
    rows = [(code, tuple(results.get(code) for results in by_code)) for code in codes]
    return [
        Difference(code, next(each.promise for each in results if each), results)
        for code, results in rows
        if len({describe_result(result) for result in filter(was_asked, results)}) > 1
    ]


def was_asked(result: Result | None) -> TypeGuard[Result]:
    """Return True if the check ran: held, broken or unknown."""
    return result is not None and result.verdict not in {Verdict.UNSUPPORTED, Verdict.SKIPPED}


def describe_result(result: Result | None) -> str:
    """Return the verdict in a word or two: "broken: lost"."""
    if not was_asked(result):
        return NOT_ASKED
    return f"{result.verdict.value}: {result.finding}" if result.finding else result.verdict.value
