"""A specimen is wrong in one way, so a run about it tells of one cause."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.causes import find_causes
from goldfish.specimens import gallery


@pytest.mark.parametrize(
    ("name", "families"),
    [
        ("new-batch-first", "ORD TRM CLR"),
        ("clear-unknown-raises", "CLR LIV01"),
        ("milliseconds", "FID"),
        ("recalls-eight-at-most", "REC09 REC10 REC11"),
        ("trim-to-zero-keeps-all", "TRM CLR"),
        ("facts-of-whoever", "DUP06 DUP09 REV10"),
    ],
)
def test_a_specimen_has_one_cause(name: str, families: str) -> None:
    """Several promises may be broken, but there is one thing to mend."""
    wanted = tuple(families.split())
    checks = [check for code, check in catalogue().items() if code.startswith(wanted)]
    report = run(gallery()[name].target, checks, Plan(seed=7))
    causes = find_causes(report.results)
    assert len(causes) == 1
    assert len(causes[0].codes) > 1
