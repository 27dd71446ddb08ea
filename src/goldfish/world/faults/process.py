"""What can happen to a process: it is stopped for a while, or killed."""

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
    _must_be_there(pid)
    frozen = reaper.freeze_tree(pid)
    return (ledger or Ledger()).note(
        f"process {pid} is stopped", lambda: reaper.send_signal(frozen, signal.SIGCONT)
    )


def killed(pid: int, *, ledger: Ledger | None = None) -> Fault:
    """SIGKILL a process and all its children, and wait until they are gone: nothing to heal.

    Expected of a store: what was acknowledged to it is there for the others, nothing is
    half-written, and no lock of it remains.
    """
    _must_be_there(pid)
    reaper.wait_until_dead(reaper.kill_tree(pid))
    return (ledger or Ledger()).note(f"process {pid} was killed")


def _must_be_there(pid: int) -> None:
    if pid == os.getpid():
        raise NotPossibleError("a process cannot stop or kill itself here: give another one's pid")
    if reaper.start_mark(pid) is None:
        raise NotPossibleError(f"there is no process {pid}: give the pid of one that lives")
