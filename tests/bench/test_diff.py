"""The benchmark of comparisons runs, and says what it measured; no time is judged here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "diff.py"


@pytest.mark.parametrize("shape", ["rowid", "text-key", "no-key"])
def test_both_contenders_and_the_hash_are_timed_on_small_databases(
    tmp_path: Path, shape: str
) -> None:
    """With the peak of memory; a contender that is missing is named, and no file is left."""
    command = [sys.executable, str(SCRIPT), "--megabytes", "1", "--rounds", "1", "--shape", shape]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    first, ours, theirs, hashed = run.stdout.splitlines()
    assert first == f"{shape}: two databases of 1 MB, 10 rows differ"
    assert ours.startswith("  goldfish diff  ")
    assert ours.endswith(" MB at most")
    assert "so ours takes" in theirs or "sqldiff is missing: apt-get install" in theirs
    assert hashed.endswith(" x reading every row")
    assert list(tmp_path.iterdir()) == []
