"""The test that catches it: three processes, one file, and what the file must hold in the end."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STEPS = Path(__file__).with_name("steps.py")
VOLATILE = ["*.created_at=any", "*.updated_at=any", "snapshots.snapshot_id"]


def process(manager: str, path: Path, step: str) -> int:
    """Run one step in a process of its own; how it ended."""
    return subprocess.run([sys.executable, STEPS, manager, path, step]).returncode


@pytest.mark.parametrize("manager", ["broken", "fixed"])
def test_rollback_keeps_every_snapshot(snapshot_db: Any, manager: str) -> None:
    path = snapshot_db(ignore=VOLATILE, shared=True).path
    assert process(manager, path, "save") == -9
    assert process(manager, path, "roll back") == 0
    assert process(manager, path, "list") == 0
