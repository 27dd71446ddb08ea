"""One small process that clears away our servers and directories if this process dies.

It holds the read end of a pipe from us; when we end, in whatever way, the pipe closes and it ends
every process and removes every directory that is still registered.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from goldfish.services import gravedigger


class _Undertaker:
    """The undertaker of this process, started at the first registration."""

    def __init__(self) -> None:
        self.mutex = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ledger: dict[tuple[str, int | str], list[object]] = {}

    def watch(self, kind: str, key: int | str, *details: object) -> None:
        with self.mutex:
            self._ledger[kind, key] = [f"watch {kind}", key, *details]
            self._tell(self._ledger[kind, key])

    def forget(self, kind: str, key: int | str) -> None:
        with self.mutex:
            if self._ledger.pop((kind, key), None) is not None:
                self._tell([f"forget {kind}", key])

    def dismiss(self) -> None:
        """Let the undertaker do its work now, and wait for it."""
        with self.mutex:
            process, self._process = self._process, None
            self._ledger.clear()
        if process is not None and process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=2 * gravedigger.PATIENCE)

    def abandon(self) -> None:
        """In a forked child: leave the parent's undertaker to the parent alone."""
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            # The child must not wait for, or warn about, a process that is not its own child.
            process.returncode = 0
        self.mutex, self._process, self._ledger = threading.RLock(), None, {}

    def _tell(self, message: list[object]) -> None:
        if self._process is None:
            self._hire()
        elif not self._say(message):
            # Somebody ended the undertaker: the next one learns the whole ledger.
            self._process.wait()
            self._hire()

    def _hire(self) -> None:
        if self._process is None:
            atexit.register(self.dismiss)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(gravedigger.__file__).absolute())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            bufsize=0,
        )
        for entry in self._ledger.values():
            self._say(entry)

    def _say(self, message: list[object]) -> bool:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            return False
        return True


_undertaker = _Undertaker()
# No fork while the pipe is being made: a child that keeps its write end would hide our death.
os.register_at_fork(
    before=lambda: _undertaker.mutex.acquire(),
    after_in_parent=lambda: _undertaker.mutex.release(),
    after_in_child=_undertaker.abandon,
)


def watch_process(pid: int, gentle_signal: int | None = None) -> None:
    """End this process and its descendants when we die: gently first if a signal is given."""
    born = gravedigger.birth(pid)
    if born is not None:
        _undertaker.watch("process", pid, gentle_signal, born)


def forget_process(pid: int) -> None:
    """Leave this process alone; one that was never watched is no error."""
    _undertaker.forget("process", pid)


def watch_directory(path: Path | str, *, unless_locked: Path | str | None = None) -> None:
    """Remove this directory when we die, unless somebody then holds a lock on the given file."""
    lock = None if unless_locked is None else os.path.abspath(unless_locked)
    _undertaker.watch("directory", os.path.abspath(path), lock)


def forget_directory(path: Path | str) -> None:
    """Leave this directory alone; one that was never watched is no error."""
    _undertaker.forget("directory", os.path.abspath(path))
