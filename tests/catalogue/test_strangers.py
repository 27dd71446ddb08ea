"""Correct memories for facts of unusual shapes are understood, asked what they can, and held."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict
from goldfish.specimens.references.sqlite import Reference
from goldfish.targets.declaration import as_target
from tests.catalogue.strangers import ListedNotebook, Notebook

ASKED = [
    *("DUP05", "DUP07", "DUP08", "DUP09", "DUP11", "DUP12", "REC01", "REC02", "REC05", "REC06"),
    *("REC09", "REC10", "REV07", "REV08", "REV10", "ISO23", "ISO24", "ISO27", "ISO31", "DUR23"),
    *("DUR24", "DUR25", "DUR26", "CON18", "CON19", "CON20", "FID32", "FID33", "FID34", "FID35"),
]
LISTING = ["REC13", "REC14"]
NOT_ASKED = {
    "REV01": "the store has no revise",
    "REV09": "the store has no forget_all",
    "TTL22": "its remember takes no ttl",
    "REC11": "its recall takes no offset",
    "REC15": "neither its list_facts nor its recall takes filter",
}


@pytest.mark.parametrize("store", [Notebook, ListedNotebook])
def test_a_correct_stranger_is_held(store: type) -> None:
    """One that only recalls, and gives pairs; one that lists by an async iterator."""
    codes = ASKED + (LISTING if store is ListedNotebook else [])
    report = run(as_target(store), [catalogue()[code] for code in codes], Plan(deadline=30))
    assert [each for each in report.results if each.verdict is not Verdict.HELD] == []


def test_what_a_stranger_lacks_is_unsupported() -> None:
    """By the method, or the parameter, that is not there."""
    report = run(as_target(Notebook), [catalogue()[code] for code in NOT_ASKED], Plan())
    assert {each.code: each.summary for each in report.results} == NOT_ASKED
    assert {each.verdict for each in report.results} == {Verdict.UNSUPPORTED}


class NoPaths(Reference):
    """A store that says so when an id looks like a path."""

    def expired(self, session_id: str) -> bool:
        if "/" in session_id or "\\" in session_id:  # every method asks this first
            raise ValueError("a session id cannot contain path separators")
        return super().expired(session_id)


def test_a_store_that_keeps_paths_out_on_purpose_is_not_blamed() -> None:
    """A rule that is told before anything is written; another error is none."""
    checks = [each for each in catalogue().values() if each.family == "ISO"]
    report = run(as_target(NoPaths), checks, Plan(deadline=30))
    blamed = [each for each in report.results if each.verdict in {Verdict.BROKEN, Verdict.UNKNOWN}]
    assert blamed == []
