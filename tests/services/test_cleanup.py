"""Nothing outlives the process that started it, however that process ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldfish.services import reaper

START_BOTH = """
import json, os, sys, time
from goldfish.services import PostgresServer, RedisServer, reaper, testrun
redis, postgres = RedisServer().start(), PostgresServer().start()
if "pause" in sys.argv:
    redis.pause(); postgres.pause()
if "fork" in sys.argv:
    child = os.fork()
    if child == 0:
        time.sleep(30); os._exit(0)
pids = [redis.pid, postgres.pid, *reaper.list_descendants(postgres.pid)]
pids = [pid for pid in pids if reaper.start_mark(pid)]
directories = [redis.directory, postgres.directory]
if not os.environ.get("PYTEST_XDIST_TESTRUNUID"):
    directories.append(testrun._run.directory)
print(json.dumps([pids, [str(each) for each in directories]]), flush=True)
if "exit" in sys.argv:
    sys.exit()
time.sleep(60)
"""

WATCH_DIRECTORY = """
import os, sys, time
from goldfish.services import cleanup
cleanup.watch_directory(sys.argv[1])
if "again" in sys.argv:
    cleanup._reaper._process.kill()
    cleanup._reaper._process.wait()
    cleanup.watch_directory(sys.argv[2])
if "forget" in sys.argv:
    cleanup.forget_directory(sys.argv[1])
if os.fork() == 0:
    # The child's end must not clear away what the parent still uses.
    sys.exit()
os.wait()
time.sleep(0.2)
print(os.path.isdir(sys.argv[1]), flush=True)
os.kill(os.getpid(), 9)
"""


def until(condition: Callable[[], bool]) -> bool:
    """Whether the condition comes true within the time that a slow machine may take."""
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def run_both(*arguments: str, alone: bool = False) -> tuple["subprocess.Popen[bytes]", Any]:
    """A process that starts both servers, in this test run or one of its own, and its words."""
    environment = {**os.environ, **({"PYTEST_XDIST_TESTRUNUID": ""} if alone else {})}
    command = [sys.executable, "-c", START_BOTH, *arguments]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    with parent.stdout as printed:
        return parent, json.loads(printed.readline())


@pytest.mark.parametrize("manner", [[], ["pause", "fork"]], ids=["plain", "paused and forked"])
def test_a_killed_parent_leaves_no_process_and_no_directory(manner: list[str]) -> None:
    """After SIGKILL of the parent all is gone: running, or paused with a forked child about."""
    parent, (pids, directories) = run_both(*manner)
    children = reaper.list_descendants(parent.pid)
    before = [bool(reaper.start_mark(pid)) for pid in pids]
    before += [Path(directory).is_dir() for directory in directories]
    parent.kill()
    parent.wait()
    assert all(before)
    assert len(before) > 6
    assert until(lambda: not any(reaper.start_mark(pid) for pid in pids))
    assert until(lambda: not any(Path(directory).exists() for directory in directories))
    reaper.send_signal(children, signal.SIGKILL)


def test_a_forgotten_server_ends_at_a_normal_exit() -> None:
    """A process that ends without closing its servers has cleared them away when it is gone."""
    parent, (pids, directories) = run_both("exit", alone=True)
    parent.wait(timeout=30)
    assert not any(reaper.start_mark(pid) for pid in pids)
    assert not any(Path(directory).exists() for directory in directories)


@pytest.mark.parametrize("manner", ["once", "again"])
def test_a_watched_directory_goes_with_its_process(tmp_path: Path, manner: str) -> None:
    """It is there while the process lives and gone after its death, also with a new reaper."""
    watched, second = tmp_path / "watched", tmp_path / "second"
    for directory in (watched, second):
        directory.mkdir()
        (directory / "file").write_text("x")
    arguments = [str(watched), str(second), manner]
    outcome = subprocess.run(
        [sys.executable, "-c", WATCH_DIRECTORY, *arguments], stdout=subprocess.PIPE, check=False
    )
    assert outcome.returncode == -signal.SIGKILL
    assert outcome.stdout.split() == [b"True"]
    assert until(lambda: not watched.exists())
    assert until(lambda: second.exists() == (manner == "once"))


def test_a_forgotten_directory_stays(tmp_path: Path) -> None:
    """What was registered and then forgotten is left alone."""
    kept = tmp_path / "kept"
    kept.mkdir()
    command = [sys.executable, "-c", WATCH_DIRECTORY, str(kept), "forget"]
    subprocess.run(command, stdout=subprocess.PIPE, check=False)
    time.sleep(0.3)
    assert kept.is_dir()


def test_a_later_process_with_the_same_pid_is_spared() -> None:
    """The reaper ends a process only if it is the one that was registered."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as bystander:
        notes = json.dumps(["watch process", bystander.pid, None, "another mark"])
        digger = [sys.executable, "-I", "-S", reaper.__file__]
        subprocess.run(digger, input=notes.encode(), check=True)
        assert bystander.poll() is None
        notes = json.dumps(["watch process", bystander.pid, None, reaper.start_mark(bystander.pid)])
        subprocess.run(digger, input=notes.encode(), check=True)
        assert bystander.wait() == -signal.SIGKILL
