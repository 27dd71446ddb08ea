"""A full disk, for one process: its files cannot grow beyond a limit (RLIMIT_FSIZE)."""

import os
import resource
import signal
import sys

from goldfish.errors import NotPossibleError

Limits = tuple[int, int]


def limit_file_size(size: int) -> Limits:
    """Let a write of this process beyond so many bytes fail with EFBIG; return the old limits.

    The signal that would end the process is ignored; Python itself does so at its start.
    """
    if signal.getsignal(signal.SIGXFSZ) is signal.SIG_DFL:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    return before


def unlimit() -> None:
    """Let this process write files as large as its hard limit allows."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def limit_file_size_of(pid: int, size: int) -> Limits:
    """Do the same to another process, on Linux; refuse one that the signal would end."""
    if sys.platform != "linux":
        raise NotPossibleError(
            "only Linux can limit another process: call limit_file_size() inside it"
        )
    if not _survives_signal(pid):
        raise NotPossibleError(
            f"process {pid} would die of SIGXFSZ: let it ignore that signal, as Python does"
        )
    before = _change_limits(pid)
    return _change_limits(pid, (size, before[1]))


def restore_file_size_of(pid: int, before: Limits) -> None:
    """Restore the former limits of a process; one that has ended is no error."""
    if pid == os.getpid():
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    elif _exists(pid):
        _change_limits(pid, before)


def _change_limits(pid: int, limits: Limits | None = None) -> Limits:
    assert sys.platform == "linux"  # for the type checker
    try:
        if limits is None:
            return resource.prlimit(pid, resource.RLIMIT_FSIZE)
        return resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
    except ProcessLookupError:
        raise NotPossibleError(f"no process has pid {pid}: give the pid of a running one") from None
    except OSError as error:
        raise NotPossibleError(
            f"process {pid} cannot be limited ({error}): run it as the same user"
        ) from error


def _exists(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


def _survives_signal(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/status") as file:
            masks = dict(line.split(":", 1) for line in file)
    except OSError:
        return True  # no such process: the next step says so
    ignored, caught = (int(masks[name], 16) for name in ("SigIgn", "SigCgt"))
    return bool((ignored | caught) >> (signal.SIGXFSZ - 1) & 1)
