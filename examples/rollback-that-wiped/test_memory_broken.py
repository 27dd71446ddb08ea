"""The test that catches it: three processes, one file, and what the file must hold in the end."""

import subprocess
import sys
from pathlib import Path
from typing import Any

STEPS = Path(__file__).with_name("steps.py")
VOLATILE = ["*.created_at=any", "*.updated_at=any", "snapshots.snapshot_id"]


class TestMemory:
    """What users expect of going back; ``snapshot_db`` compares the file that is left."""

    kind = "broken"

    def test_rollback_keeps_every_snapshot(self, snapshot_db: Any) -> None:
        """A saves and is killed, B rolls back, C lists: each a process of its own."""
        path = snapshot_db(ignore=VOLATILE).path
        assert self.process(path, "save") == -9
        assert self.process(path, "roll back") == 0
        assert self.process(path, "list") == 0

    def process(self, path: Path, step: str) -> int:
        """Run one step; how it ended."""
        return subprocess.run([sys.executable, STEPS, self.kind, path, step]).returncode
