"""Stores that give one id to several snapshots."""

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.snapshots import SnapshotReference

variant("snapshots-are-counted", SnapshotReference, "SNP32", "lost")(
    bug="A snapshot is numbered by how many there are, which is less after a deletion.",
    new_name=lambda self, session_id: (
        f"{self.key(session_id).hex()}-{len(self.list_snapshots(session_id)) + 1}"
    ),
)


@specimen("counts-its-own-snapshots", "SNP21", "lost")
class CountsItsOwnSnapshots(SnapshotReference):
    bug = "Each opening numbers its snapshots from 1, and so replaces those of another."

    made = 0

    def new_name(self, session_id: str) -> str:
        self.made += 1
        return f"{self.key(session_id).hex()}-{self.made}"

    def enter(self, session_id: str, name: str, label: str | None) -> None:
        self.db.execute("DELETE FROM copies WHERE snapshot = ?", (name,))
        self.db.execute("DELETE FROM snapshots WHERE id = ?", (name,))
        super().enter(session_id, name, label)
