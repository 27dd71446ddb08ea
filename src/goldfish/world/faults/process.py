"""Faults of a process: stopped for a while, or killed."""

import os
import signal

from goldfish.errors import NotPossibleError
from goldfish.services import reaper
from goldfish.world.faults.fault import Fault, Ledger


def stopped(pid: int, *, ledger: Ledger | None = None) -> Fault:
    """SIGSTOP a process and all its children; healing lets them go on.

    Expected of a store: others are not held up for ever, and what the process had begun is
    finished, or fails, once it goes on: it does not undo what others did meanwhile.
    """
    _require_alive(pid)
    frozen = reaper.freeze_tree(pid)
    return (ledger or Ledger()).note(
        f"process {pid} is stopped", lambda: reaper.send_signal(frozen, signal.SIGCONT)
    )


def killed(pid: int, *, ledger: Ledger | None = None) -> Fault:
    """SIGKILL a process and all its children, and wait until they are gone: nothing to heal.

    Expected of a store: what was acknowledged to it is there for the others, nothing is
    half-written, and no lock of it remains.
    """
    _require_alive(pid)
    reaper.wait_until_dead(reaper.kill_tree(pid))
    return (ledger or Ledger()).note(f"process {pid} was killed")


def _require_alive(pid: int) -> None:
    if pid == os.getpid():
        raise NotPossibleError("a process cannot stop or kill itself: give the pid of another one")
    if reaper.start_mark(pid) is None:
        raise NotPossibleError(f"no process has pid {pid}: give the pid of a running one")
