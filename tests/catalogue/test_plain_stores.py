"""Correct memories on plain files and plain Redis hold what slips through elsewhere."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict
from goldfish.targets.declaration import Target
from tests.catalogue.plain_stores import append_only_log, framed_log, redis_list

ON_FILES = ("FLT27", "FLT28", "FLT34", "DUR36", "CON29", "DUP20", "ISO38", "ISO39")
ON_REDIS = ("TTL26", "TTL28", "TTL30", "TTL32", "CON29", "ISO38", "ISO39")


@pytest.mark.parametrize(
    ("target", "codes"),
    [(append_only_log, ON_FILES), (framed_log, ("FLT27", "FLT28")), (redis_list, ON_REDIS)],
)
def test_a_plain_store_that_is_right_is_held(target: Target, codes: tuple[str, ...]) -> None:
    """A log whose end is missing is what a killed writer leaves, and no loss."""
    if target.services:
        pytest.importorskip("redis")
    checks = [catalogue()[code] for code in codes]
    report = run(target, checks, Plan(deadline=30))
    assert [each for each in report.results if each.verdict is not Verdict.HELD] == []
