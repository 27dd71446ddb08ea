"""Real processes are stopped with their children, go on, and die."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from goldfish.services import reaper
from goldfish.world.faults import NotPossibleError
from goldfish.world.faults.clock import wait_until
from goldfish.world.faults.process import killed, stopped

ECHO_WITH_A_CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
for line in sys.stdin:
    print(line, end="", flush=True)
"""


@pytest.fixture
def echo() -> Iterator["subprocess.Popen[str]"]:
    """A process with a child, that repeats what it hears."""
    with subprocess.Popen(
        [sys.executable, "-c", ECHO_WITH_A_CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        reaper.kill_tree(process.pid)


def state(pid: int) -> str:
    """The letter that Linux has for what a process does."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_stopped_process_goes_on_when_healed(echo: "subprocess.Popen[str]") -> None:
    """It and its child do nothing meanwhile, and afterwards it answers."""
    assert echo.stdin is not None
    assert echo.stdout is not None
    child = int(echo.stdout.readline())
    with stopped(echo.pid):
        wait_until(lambda: [state(echo.pid), state(child)] == ["T", "T"])
        echo.stdin.write("hello\n")
        echo.stdin.flush()
        assert state(echo.pid) == "T"
    assert echo.stdout.readline() == "hello\n"
    wait_until(lambda: state(child) != "T")


def test_a_killed_process_takes_its_children_along(echo: "subprocess.Popen[str]") -> None:
    """Both are gone when the call returns."""
    assert echo.stdout is not None
    child = int(echo.stdout.readline())
    assert killed(echo.pid).is_healed
    assert reaper.start_mark(echo.pid) is None
    assert reaper.start_mark(child) is None


def test_only_another_process_that_lives_can_be_hurt() -> None:
    """Our own pid and one that is nobody's are refused."""
    with pytest.raises(NotPossibleError, match="itself"):
        stopped(os.getpid())
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with pytest.raises(NotPossibleError, match="no process"):
        killed(gone.pid)
