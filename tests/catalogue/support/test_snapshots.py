"""The words in which checks speak of saved states."""

from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.catalogue.snapshots.processes import expect_undone_or_kept
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict, Violation
from goldfish.harness.memory import identity
from goldfish.messages import Snapshot
from goldfish.specimens.references.snapshots import SnapshotReference
from goldfish.targets.declaration import as_target


@pytest.mark.parametrize(
    "found",
    [
        "7",
        {"id": "7", "label": None},
        {"snapshot_id": "7"},
        Snapshot(id="7", session_id="chat"),
    ],
)
def test_a_snapshot_is_known_by_its_id_however_it_is_told(found: Any) -> None:
    """As the id itself, a mapping, or an object."""
    assert identity(found) == "7"


KEPT = ["k1", "k2"]
BATCHES = [["a1", "a2"], ["b1", "b2"], ["c1", "c2"], ["d1", "d2"]]


@pytest.mark.parametrize(
    "found",
    [
        ["k1", "k2", "b1", "b2", "c1", "c2", "d1", "d2"],
        ["k1", "k2", "c1", "c2", "d1", "d2"],
        ["k1", "k2", "d1", "d2"],
    ],
)
def test_each_write_is_before_the_rollback_or_after_it(found: list[str]) -> None:
    """What was under way may be on either side, as long as the order allows it."""
    expect_undone_or_kept(KEPT, BATCHES, found, begun=1, done=3)


@pytest.mark.parametrize(
    ("finding", "found"),
    [
        ("resurrected", ["k1", "k2", "a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2"]),
        ("lost", ["k1", "k2"]),
        ("lost", ["k1", "k2", "d2"]),
        ("torn", ["k1", "k2", "c2", "d1", "d2"]),
        ("torn", ["k1", "k2", "b1", "b2", "d1", "d2"]),
        ("torn", ["k1", "d1", "d2"]),
        ("torn", ["c1", "c2", "k1", "k2", "d1", "d2"]),
    ],
)
def test_a_write_on_neither_side_is_told(finding: str, found: list[str]) -> None:
    """Undone and there, done and gone, half of a batch, a gap, or in front of what was saved."""
    with pytest.raises(Violation) as caught:
        expect_undone_or_kept(KEPT, BATCHES, found, begun=1, done=3)
    assert caught.value.finding == finding


class Modest(SnapshotReference):
    """Only saving and rolling back, with numbers for ids, told as mappings."""

    list_sessions = delete_snapshot = fork = set_ttl = None  # type: ignore[assignment]

    def save_snapshot(self, session_id: str) -> int:  # type: ignore[override]
        return len(super().save_snapshot(session_id)) and self._number()

    def new_name(self, session_id: str) -> str:
        return str(self._number() + 1)

    def _number(self) -> int:
        (last,) = self.db.execute("SELECT max(n) FROM snapshots").fetchone()
        return last or 0

    def rollback_to_snapshot(self, session_id: str, snapshot_id: int) -> None:  # type: ignore[override]
        super().rollback_to_snapshot(session_id, str(snapshot_id))

    def list_snapshots(self, session_id: str) -> list[Any]:
        return [{"snapshot_id": int(each.id)} for each in super().list_snapshots(session_id)]


def test_a_modest_stranger_is_asked_only_what_it_has() -> None:
    """A store with half of the powers and ids of its own kind is held, and blamed for nothing."""
    checks = [check for check in catalogue().values() if check.family == "SNP"]
    report = run(as_target(Modest, "modest"), checks, Plan(workers=2, deadline=30))
    broken = [each for each in report.results if each.verdict in {Verdict.BROKEN, Verdict.UNKNOWN}]
    assert broken == []
    assert report.counts["held"] >= 18
