"""The processes of one test run share what is dear to make."""

import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

SHARE = """
import os, sys
from pathlib import Path
from goldfish.services.testrun import once_per_run

def make(path):
    path.mkdir()
    (path / "maker").write_text(str(os.getpid()))

path = once_per_run("dear", make)
print((path / "maker").read_text(), path.parent, flush=True)
sys.stdin.readline()
print((path / "maker").exists(), flush=True)
os._exit(0)
"""


def test_workers_share_one_directory_until_the_last_is_gone() -> None:
    """One of three workers makes it, all use it, and it goes with the last of them."""
    environment = {**os.environ, "PYTEST_XDIST_TESTRUNUID": uuid.uuid4().hex}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", SHARE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for _ in range(3)
    ]
    told = [worker.stdout.readline().split() for worker in workers if worker.stdout]
    assert len({maker for maker, _ in told}) == 1
    directory = Path(told[0][1])
    assert directory.parent == Path(tempfile.gettempdir())
    for worker in workers:
        assert worker.communicate("\n")[0].split() == ["True"]
    _wait_for_the_end_of(directory)


def _wait_for_the_end_of(directory: Path) -> None:
    deadline = time.monotonic() + 20
    while directory.exists():
        assert time.monotonic() < deadline, f"{directory} was left behind"
        time.sleep(0.02)
