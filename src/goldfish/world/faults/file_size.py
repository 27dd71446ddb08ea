"""A full disk, for one process: its files cannot grow beyond a limit (RLIMIT_FSIZE)."""

import os
import resource
import signal
import sys

from goldfish.errors import NotPossibleError

Limits = tuple[int, int]


def limit_file_size(size: int) -> Limits:
    """Let this process write no file beyond so many bytes: a write fails with EFBIG; what was.

    The signal that would end the process is ignored, which Python does by itself at its start.
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
    """The same for another process, on Linux; one that the signal would end is refused."""
    if sys.platform != "linux":
        raise NotPossibleError(
            "only Linux can limit another process: call limit_file_size() inside it"
        )
    if not _survives_signal(pid):
        raise NotPossibleError(
            f"process {pid} would die of SIGXFSZ: let it ignore that signal, as Python does"
        )
    before = _of_process(pid)
    return _of_process(pid, (size, before[1]))


def restore_file_size_of(pid: int, before: Limits) -> None:
    """Give a process its former limit back; one that has ended is no error."""
    if pid == os.getpid():
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    elif _exists(pid):
        _of_process(pid, before)


def _of_process(pid: int, limits: Limits | None = None) -> Limits:
    assert sys.platform == "linux"  # for the type checker
    try:
        if limits is None:
            return resource.prlimit(pid, resource.RLIMIT_FSIZE)
        return resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
    except ProcessLookupError:
        raise NotPossibleError(
            f"there is no process {pid}: give the pid of one that lives"
        ) from None
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
        return True  # there is none, which the next step says better
    ignored, caught = (int(masks[name], 16) for name in ("SigIgn", "SigCgt"))
    return bool((ignored | caught) >> (signal.SIGXFSZ - 1) & 1)
