"""A memory that can remove messages in one way only is asked about that one."""

from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.specimens.concurrency.messages import TrimsWhatItSaw
from goldfish.specimens.durability.messages import Cached
from goldfish.specimens.references.sqlite import Reference
from goldfish.targets.declaration import as_target


class DeletesOnly(Cached):
    """A store whose cache misses what another opening deleted, and which cannot trim."""

    lacking = {"trim": "it has none"}  # noqa: RUF012 - read, never written

    def mark(self, session_id: str) -> Any:
        """Return the number of the newest message, which a deletion before it leaves as it was."""
        return super().mark(session_id)[0]


class TrimsOnly(TrimsWhatItSaw):
    """A store whose trim loses what arrives meanwhile, and which cannot clear."""

    lacking = {"clear": "it has none"}  # noqa: RUF012 - read, never written


class RemovesNothing(Reference):
    """A store that keeps all it was given."""

    lacking = dict.fromkeys(("trim", "clear", "delete_messages"), "it has none")


def ask(store: type, code: str) -> Result:
    """Return what one check says of a store."""
    (result,) = run(as_target(store), [catalogue()[code]], Plan(deadline=30)).results
    return result


@pytest.mark.parametrize(
    ("store", "code", "finding"), [(DeletesOnly, "DUR06", "stale"), (TrimsOnly, "CON17", "lost")]
)
def test_one_way_to_remove_is_enough_to_be_asked(store: type, code: str, finding: str) -> None:
    """Each promise is about trims, deletions or clears, whichever there are."""
    result = ask(store, code)
    assert (result.verdict, result.finding) == (Verdict.BROKEN, finding), result.summary


@pytest.mark.parametrize("code", ["DUR06", "DUR30", "CON17"])
def test_a_memory_that_removes_nothing_is_not_asked(code: str) -> None:
    """It says which methods would be needed."""
    result = ask(RemovesNothing, code)
    assert result.verdict is Verdict.UNSUPPORTED
    assert "trim" in result.summary
