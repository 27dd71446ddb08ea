"""Stores that give one id to several snapshots."""

from goldfish.specimens import variant
from goldfish.specimens.references.snapshots import SnapshotReference

variant("snapshots-are-counted", SnapshotReference, "SNP32", "lost")(
    bug="A snapshot is numbered by how many there are, which is less after a deletion.",
    new_name=lambda self, session_id: (
        f"{self.key(session_id).hex()}-{len(self.list_snapshots(session_id)) + 1}"
    ),
)
