"""A directory that all processes of a test run share; the last of them removes it."""

import atexit
import contextlib
import fcntl
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from goldfish.errors import ServiceError
from goldfish.services import account, cleanup


class _TestRun:
    """This process's share in the directory of its test run."""

    def __init__(self) -> None:
        self.mutex = threading.RLock()
        self.directory: Path | None = None
        self.lock: int | None = None

    def join(self) -> Path:
        """Return the directory, made if we are the first, and hold it until we end."""
        if self.directory is None:
            run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex(8)
            directory = account.temporary_directory() / f"goldfish-run-{os.geteuid()}-{run}"
            cleanup.watch_directory(directory, unless_locked=directory / "lock")
            while self.lock is None:
                self.lock = _lock_shared(directory)
            self.directory = directory
            # Registered after the exit function of ``cleanup``, so it runs before that.
            atexit.register(self.leave)
        return self.directory

    def leave(self) -> None:
        """Let go of the directory; also in a forked child, because the parent holds it."""
        if self.lock is not None:
            os.close(self.lock)
        # A new mutex, because in a child the old one may be held by a thread that is not there.
        self.mutex, self.directory, self.lock = threading.RLock(), None, None


_run = _TestRun()
os.register_at_fork(after_in_child=_run.leave)


def once_per_run(name: str, make: Callable[[Path], None]) -> Path:
    """Return the path of this name in the run's directory; the first process that asks makes it."""
    with _run.mutex:
        directory = _run.join()
        finished = directory / name
        if not finished.exists():
            with _lock_exclusively(directory / f"{name}.making"):
                if not finished.exists():
                    _make(directory / f"{name}.unfinished", finished, make)
        return finished


def _make(unfinished: Path, finished: Path, make: Callable[[Path], None]) -> None:
    # A process that was killed here may have left a part.
    shutil.rmtree(unfinished, ignore_errors=True)
    make(unfinished)
    unfinished.rename(finished)


def _lock_shared(directory: Path) -> int | None:
    """Take a shared lock on the directory; return None if its last holder removed it meanwhile."""
    with contextlib.suppress(FileExistsError):
        directory.mkdir()
    try:
        if directory.stat().st_uid != os.geteuid():
            raise ServiceError(f"{directory} belongs to somebody else: remove it")
        directory.chmod(0o711)
        handle = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        return None
    fcntl.flock(handle, fcntl.LOCK_SH)
    # Another run may have removed the lock, or put a new one in its place, while we waited for it.
    with contextlib.suppress(FileNotFoundError):
        if os.path.samestat(os.fstat(handle), os.stat(directory / "lock")):
            return handle
    os.close(handle)
    return None


@contextlib.contextmanager
def _lock_exclusively(lock: Path) -> Iterator[None]:
    with open(lock, "wb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
