"""Servers and directories that a reaper removes if this process dies without doing so.

The reaper is one small child process. It reads a pipe from us; when we end, in whatever way, the
pipe closes, and it ends every process and removes every directory that is still registered.
"""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from goldfish.services import reaper
from goldfish.services.remote import get_provider


class _Reaper:
    """The reaper of this process; the first registration starts it."""

    def __init__(self) -> None:
        self.mutex = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._registered: dict[tuple[str, int | str], list[object]] = {}

    def watch(self, kind: str, key: int | str, *details: object) -> None:
        if provider := get_provider():
            provider.tell("watch", kind, key, *details)
            return
        with self.mutex:
            self._registered[kind, key] = [f"watch {kind}", key, *details]
            self._tell(self._registered[kind, key])

    def forget(self, kind: str, key: int | str) -> None:
        if provider := get_provider():
            provider.tell("forget", kind, key)
            return
        with self.mutex:
            if self._registered.pop((kind, key), None) is not None:
                self._tell([f"forget {kind}", key])

    def finish(self) -> None:
        """Let the reaper do its work now, and wait for it."""
        with self.mutex:
            process, self._process = self._process, None
            self._registered.clear()
        if process is not None and process.stdin is not None:
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=2 * reaper.PATIENCE)

    def abandon(self) -> None:
        """In a forked child, leave the parent's reaper to the parent."""
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            # The child must not wait for, or warn about, a process that is not its own child.
            process.returncode = 0
        self.mutex, self._process, self._registered = threading.RLock(), None, {}

    def _tell(self, message: list[object]) -> None:
        if self._process is None:
            self._start()
        elif not self._send(message):
            # Somebody ended the reaper: the next one learns everything that is registered.
            self._process.wait()
            self._start()

    def _start(self) -> None:
        if self._process is None:
            atexit.register(self.finish)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(reaper.__file__).absolute())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            bufsize=0,
        )
        for message in self._registered.values():
            self._send(message)

    def _send(self, message: list[object]) -> bool:
        """Send the message; return False if the reaper is dead."""
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            return False
        return True


_reaper = _Reaper()
# No fork while the pipe is being made: a child that keeps its write end would hide our death.
os.register_at_fork(
    before=lambda: _reaper.mutex.acquire(),
    after_in_parent=lambda: _reaper.mutex.release(),
    after_in_child=_reaper.abandon,
)


def watch(kind: str, key: int | str, *details: object) -> None:
    """Watch what another process described."""
    _reaper.watch(kind, key, *details)


def forget(kind: str, key: int | str) -> None:
    """Leave alone what another process described."""
    _reaper.forget(kind, key)


def watch_process(pid: int, gentle_signal: int | None = None) -> None:
    """End this process and its descendants when we die: gently first if a signal is given."""
    started = reaper.start_mark(pid)
    if started is not None:
        _reaper.watch("process", pid, gentle_signal, started)


def forget_process(pid: int) -> None:
    """Leave this process alone; one that was never watched is no error."""
    _reaper.forget("process", pid)


def watch_directory(path: Path | str, *, unless_locked: Path | str | None = None) -> None:
    """Remove this directory when we die, unless somebody then holds a lock on the given file."""
    lock = None if unless_locked is None else os.path.abspath(unless_locked)
    _reaper.watch("directory", os.path.abspath(path), lock)


def forget_directory(path: Path | str) -> None:
    """Leave this directory alone; one that was never watched is no error."""
    _reaper.forget("directory", os.path.abspath(path))
