"""Several runs of the same checks as one report, which says how often each check said what."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from goldfish.findings.result import Report, Result, Verdict

# What one run says beats what others say; of equals, the first run.
_WEIGHT = [
    Verdict.BROKEN,
    Verdict.UNKNOWN,
    Verdict.HELD,
    Verdict.UNSUPPORTED,
    Verdict.SKIPPED,
]


def merge_runs(reports: Sequence[Report]) -> Report:
    """Return one report of all runs: a promise is broken if one run broke it."""
    first = reports[0]
    if len(reports) == 1:
        return first
    columns = zip(*(report.results for report in reports), strict=True)
    return replace(first, results=tuple(map(_merge, columns)), runs=len(reports))


def _merge(results: Sequence[Result]) -> Result:
    said = Counter(each.finding or each.verdict.value for each in results)
    return replace(
        min(results, key=lambda each: _WEIGHT.index(each.verdict)),
        seconds=sum(each.seconds for each in results),
        acknowledged=sum(each.acknowledged for each in results),
        lost=sum(each.lost for each in results),
        notes=tuple(dict.fromkeys(note for each in results for note in each.notes)),
        said=tuple(said.most_common()),
    )
