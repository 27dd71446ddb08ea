"""The load that a command runs under."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "bench" / "load.py"
COUNT = (
    "import os, sys; from goldfish.services import reaper;"
    "sys.exit(len(reaper.list_descendants(os.getppid())) - 1)"
)


def test_a_command_runs_beside_that_many_busy_processes() -> None:
    """Its exit code is passed on."""
    command = [sys.executable, str(SCRIPT), "--load", "3", "--", sys.executable, "-c", COUNT]
    assert subprocess.run(command, check=False).returncode == 3
