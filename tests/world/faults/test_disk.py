"""Disks are full, read-only and locked for real processes, and files are damaged and restored."""

import errno
import fcntl
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from goldfish.errors import ServiceError
from goldfish.services import account
from goldfish.world.faults import DiskFaults, NotPossibleError
from goldfish.world.faults.disk import full_disk

WRITER = """
import sys
print("ready", flush=True)
for line in sys.stdin:
    try:
        with open(line.strip(), "ab") as file:
            file.write(b"0123456789")
        print("written", flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""
LIMITED_INSIDE = """
import sys
from goldfish.world.faults.disk import limit_file_size, unlimit
limit_file_size(4)
try:
    with open(sys.argv[1], "wb", buffering=0) as file:
        print(file.write(b"0123456789"))
        file.write(b"0123456789")
except OSError as error:
    print(error.errno)
unlimit()
print(open(sys.argv[1], "wb", buffering=0).write(b"0123456789"))
"""
AS_ANOTHER_USER = """
import os, sys
from pathlib import Path
from goldfish.world.faults.disk import DiskFaults
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
place = Path(sys.argv[1])
(place / "old").write_bytes(b"1")
with DiskFaults().read_only_directory(place):
    for name in ("old", "new"):
        try:
            (place / name).write_bytes(b"2")
            print("written")
        except PermissionError:
            print("refused")
(place / "new").write_bytes((place / "old").read_bytes())
print((place / "new").read_text())
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")


@pytest.fixture
def writer() -> Iterator["subprocess.Popen[str]"]:
    """A process that appends ten bytes to each file it is told."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"  # by now Python ignores the signal
        yield process
        process.kill()


def append(writer: "subprocess.Popen[str]", path: Path) -> str:
    """What the writer says after it tried."""
    assert writer.stdin is not None
    assert writer.stdout is not None
    writer.stdin.write(f"{path}\n")
    writer.stdin.flush()
    return writer.stdout.readline().strip()


def run(code: str, *arguments: str) -> list[str]:
    """The lines that a Python process prints."""
    command = [sys.executable, "-c", code, *arguments]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert outcome.stderr == ""
    return outcome.stdout.split()


@on_linux
def test_a_full_disk_fails_the_writes_of_that_process_only(
    writer: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    """The other process gets EFBIG, we do not, and healing lets it write."""
    assert append(writer, tmp_path / "file") == "written"
    with full_disk(writer.pid):
        assert append(writer, tmp_path / "file") == str(errno.EFBIG)
        (tmp_path / "ours").write_bytes(b"x")
    assert append(writer, tmp_path / "file") == "written"
    assert (tmp_path / "file").stat().st_size == 20


@on_linux
def test_an_allowance_lets_small_files_grow(
    writer: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    """Files may be as large as allowed, and not larger."""
    with DiskFaults().full(writer.pid, allowance=20):
        assert append(writer, tmp_path / "file") == "written"
        assert append(writer, tmp_path / "file") == "written"
        assert append(writer, tmp_path / "file") == str(errno.EFBIG)


@on_linux
def test_a_process_that_ends_while_its_disk_is_full_is_no_error(
    writer: "subprocess.Popen[str]",
) -> None:
    """There is nothing to heal in it."""
    with full_disk(writer.pid):
        writer.kill()
        writer.wait()


@on_linux
def test_a_program_that_would_die_of_it_is_refused() -> None:
    """One that does not ignore the signal is named, with what to do; so is one that is gone."""
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        with pytest.raises(NotPossibleError, match="SIGXFSZ"):
            full_disk(sleeper.pid)
        sleeper.kill()
    with pytest.raises(NotPossibleError, match="no process"):
        full_disk(sleeper.pid)


def test_a_process_can_limit_itself(tmp_path: Path) -> None:
    """Inside a process the first bytes pass, the next write fails, and the limit can be lifted."""
    assert run(LIMITED_INSIDE, str(tmp_path / "file")) == ["4", str(errno.EFBIG), "10"]


def test_the_disk_of_this_process_can_be_full(tmp_path: Path) -> None:
    """Without a pid it is our own, until healed."""
    with open(tmp_path / "file", "wb", buffering=0) as file, DiskFaults().full() as fault:
        with pytest.raises(OSError, match="too large"):
            file.write(b"x")
        fault.heal()
        assert file.write(b"x") == 1


def test_a_read_only_directory_refuses_new_and_old_files() -> None:
    """A user who is not root can neither make nor change a file there, and can afterwards."""
    place = account.make_private_directory() / "place"
    place.mkdir()
    account.hand_over(place)
    try:
        assert run(AS_ANOTHER_USER, str(place)) == ["refused", "refused", "1"]
    finally:
        subprocess.run(["rm", "-r", str(place.parent)], check=True)


@pytest.mark.skipif(not account.is_root(), reason="permissions bind everybody but root")
def test_a_read_only_directory_is_not_possible_for_root(tmp_path: Path) -> None:
    """It says so, and leaves the permissions as they were."""
    mode = tmp_path.stat().st_mode
    with pytest.raises(NotPossibleError, match="root"):
        DiskFaults().read_only_directory(tmp_path)
    assert tmp_path.stat().st_mode == mode


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_locked_database_cannot_be_written(tmp_path: Path, journal: str) -> None:
    """A writer's patience ends with SQLite's own error; afterwards it writes."""
    path = tmp_path / "memory.db"
    connection = sqlite3.connect(path, timeout=0.02, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute("CREATE TABLE fact (word)")
    with DiskFaults().locked(path), pytest.raises(sqlite3.OperationalError, match="locked"):
        connection.execute("INSERT INTO fact VALUES (1)")
    connection.execute("INSERT INTO fact VALUES (2)")
    assert connection.execute("SELECT * FROM fact").fetchall() == [(2,)]
    connection.close()


def test_another_file_is_locked_for_all_who_ask(tmp_path: Path) -> None:
    """Both kinds of lock are taken, and free again afterwards."""
    path = tmp_path / "memory.json"
    path.write_text("{}")
    with open(path, "r+b") as file:
        with DiskFaults().locked(path):
            for lock in (fcntl.flock, fcntl.lockf):
                with pytest.raises(BlockingIOError):
                    lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_only_a_file_that_is_there_can_be_locked(tmp_path: Path) -> None:
    """The error says so, and is one of ours."""
    with pytest.raises(ServiceError, match="no file"):
        DiskFaults().locked(tmp_path / "nothing")


def test_a_truncated_file_is_restored(tmp_path: Path) -> None:
    """Its end is missing, and comes back for who has the file open too."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with open(path, "rb", buffering=0) as reader:
        with DiskFaults().truncated(path, 0.3):
            assert reader.read() == b"012"
        os.lseek(reader.fileno(), 0, os.SEEK_SET)
        assert reader.read() == b"0123456789"
    with pytest.raises(ValueError, match="from 0 to 1"):
        DiskFaults().truncated(path, 2)


def test_a_file_is_damaged_by_its_seed(tmp_path: Path) -> None:
    """The same seed damages the same bytes, another one others, and healing restores them."""
    path, original = tmp_path / "file", bytes(1000)
    path.write_bytes(original)
    seen = []
    for seed in (1, 1, 2):
        with DiskFaults().damaged(path, seed):
            seen.append(path.read_bytes())
            assert sum(byte != 0 for byte in seen[-1]) == 16
        assert path.read_bytes() == original
    assert seen[0] == seen[1] != seen[2]


def test_the_ends_of_lines_may_be_spared(tmp_path: Path) -> None:
    """Everything else is another byte."""
    path, original = tmp_path / "file", b"ab\ncd\n"
    path.write_bytes(original)
    with DiskFaults().damaged(path, flips=1000, spared=b"\n"):
        damaged = path.read_bytes()
    same = [place for place, byte in enumerate(original) if damaged[place] == byte]
    assert same == [2, 5]


def test_damage_stays_if_nothing_is_to_be_restored(tmp_path: Path) -> None:
    """With restore=False there is nothing to heal."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    assert DiskFaults().truncated(path, 0, restore=False).is_healed
    assert path.read_bytes() == b""
    assert DiskFaults().damaged(path, restore=False).is_healed
