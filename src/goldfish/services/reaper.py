"""The reaper: a program that waits for its parent's end, then ends and removes what is left.

It runs alone (``python -I -S reaper.py``), so it imports nothing but the standard library.
"""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable

PATIENCE = 5.0
_HAS_PROC = os.path.exists("/proc/self/stat")


def start_mark(pid: int) -> str | None:
    """Return a mark that tells this process from a later one with the same pid; None if dead."""
    if _HAS_PROC:
        fields = _read_stat(str(pid))
        # One whose threads have not all ended yet still holds its files and locks.
        is_dead = not fields or (fields[0] in "ZX" and int(fields[17]) <= 1)
        return None if is_dead else fields[19]
    state, _, started = _run_ps("-o", "stat=,lstart=", "-p", str(pid)).strip().partition(" ")
    return None if not state or state.startswith("Z") else started.strip()


def list_descendants(pid: int) -> list[int]:
    """Return the children of a process, and theirs; parents come before their children."""
    children: dict[int, list[int]] = {}
    for child, parent in _list_parents():
        children.setdefault(parent, []).append(child)
    found = list(children.get(pid, []))
    for each in found:
        found.extend(children.get(each, []))
    return found


def send_signal(pids: Iterable[int], signal_number: int) -> None:
    """Send a signal to each process that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal_number)


def freeze_tree(pid: int) -> list[int]:
    """Stop a process and all its descendants; return their pids, its own first."""
    frozen: list[int] = []
    tree = [pid]
    # A child may be forked while we look, so look again until nobody is new.
    while fresh := [each for each in tree if each not in frozen]:
        send_signal(fresh, signal.SIGSTOP)
        frozen += fresh
        tree = list_descendants(pid)
    return frozen


def wait_until_dead(pids: Iterable[int], timeout: float = PATIENCE) -> bool:
    """Wait until all these processes are dead; return False if one still lives after the time."""
    deadline = time.monotonic() + timeout
    while any(start_mark(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.002)
    return True


def wait_until_group_is_dead(group: int, timeout: float = PATIENCE) -> bool:
    """Wait until a process group that was killed, and its leader, hold nothing any more."""
    return wait_until_dead([group], timeout) and wait_until_dead(_list_group(group), timeout)


def kill_tree(pid: int) -> list[int]:
    """SIGKILL a process and all its descendants; return their pids."""
    tree = freeze_tree(pid)
    send_signal(tree, signal.SIGKILL)
    return tree


def end_tree(pid: int, gentle_signal: int | None) -> None:
    """End a process and its descendants: with the gentle signal if that works, else SIGKILL."""
    if gentle_signal is not None:
        tree = [pid, *list_descendants(pid)]
        send_signal([pid], gentle_signal)
        send_signal(tree, signal.SIGCONT)
        if wait_until_dead(tree):
            return
    wait_until_dead(kill_tree(pid))


def remove_directory(directory: str, lock: str | None, timeout: float = 1.0) -> None:
    """Remove a directory; one with a lock only if nobody holds that lock by the end of the time."""
    if lock is None:
        shutil.rmtree(directory, ignore_errors=True)
        return
    with contextlib.suppress(FileNotFoundError), open(lock, "rb") as handle:
        # The dying parent may close its pipe to us a moment before it lets go of the lock.
        deadline = time.monotonic() + timeout
        while not _try_lock(handle.fileno()):
            if time.monotonic() > deadline:
                return
            time.sleep(0.01)
        shutil.rmtree(directory, ignore_errors=True)


def main() -> None:
    """Note what the parent registers; end and remove it once the parent is dead."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    processes: dict[int, tuple[int | None, str]] = {}
    directories: dict[str, str | None] = {}
    for line in sys.stdin:
        match json.loads(line):
            case ["watch process", pid, gentle_signal, started]:
                processes[pid] = (gentle_signal, started)
            case ["forget process", pid]:
                processes.pop(pid, None)
            case ["watch directory", path, lock]:
                directories[path] = lock
            case ["forget directory", path]:
                directories.pop(path, None)
    for pid, (gentle_signal, started) in processes.items():
        if start_mark(pid) == started:
            end_tree(pid, gentle_signal)
    for path, lock in directories.items():
        remove_directory(path, lock)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_stat(pid: str) -> list[str]:
    # The name in the second field may hold blanks and brackets: what we need follows the last one.
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def _list_parents() -> list[tuple[int, int]]:
    if _HAS_PROC:
        table = [(pid, _read_stat(pid)) for pid in os.listdir("/proc") if pid.isdigit()]
        return [(int(pid), int(fields[1])) for pid, fields in table if fields]
    rows = (line.split() for line in _run_ps("-A", "-o", "pid=,ppid=").splitlines())
    return [(int(row[0]), int(row[1])) for row in rows]


def _list_group(group: int) -> list[int]:
    """Return the members of a process group, the dead that nobody has buried among them."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):  # which is so for most: a pod is alone
        return []
    if _HAS_PROC:
        table = [(pid, _read_stat(pid)) for pid in os.listdir("/proc") if pid.isdigit()]
        return [int(pid) for pid, fields in table if fields and int(fields[2]) == group]
    rows = (line.split() for line in _run_ps("-A", "-o", "pid=,pgid=").splitlines())
    return [int(row[0]) for row in rows if int(row[1]) == group]


def _run_ps(*arguments: str) -> str:
    return subprocess.run(["ps", *arguments], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    main()
