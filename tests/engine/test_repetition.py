"""Several runs of the same checks, as one report."""

from goldfish.engine.repetition import merge_runs
from goldfish.findings.result import Report, Result, Verdict


def run(seed: int, verdict: Verdict, finding: str | None = None) -> Report:
    """Return the report of one run of one check."""
    result = Result("CON01", "n", "P.", verdict, finding=finding, acknowledged=10, lost=1)
    return Report("t", seed, (result,))


def test_a_promise_is_broken_if_one_run_broke_it() -> None:
    """The counts of all are added up, and each word is counted."""
    held, lost = run(1, Verdict.HELD), run(2, Verdict.BROKEN, "lost")
    merged = merge_runs([held, lost, held])
    (result,) = merged.results
    assert (merged.runs, merged.seed, merged.verdict) == (3, 1, Verdict.BROKEN)
    assert (result.finding, result.acknowledged, result.lost) == ("lost", 30, 3)
    assert (result.said, result.is_unsteady) == ((("held", 2), ("lost", 1)), True)


def test_one_run_is_its_own_report() -> None:
    """Nothing is counted."""
    report = run(1, Verdict.HELD)
    assert merge_runs([report]) is report
