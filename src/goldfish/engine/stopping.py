"""Stops a run in good order: the signals of schedulers interrupt as Ctrl-C does."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

# SIGINT is left to Python and asyncio, which turn it into a KeyboardInterrupt in good order.
OTHERS = (signal.SIGTERM, signal.SIGHUP)


class Stop:
    """Whether somebody asked to stop, and the exit code that says by which signal."""

    def __init__(self) -> None:
        self.asked = False
        self._signal: int = signal.SIGINT

    @property
    def code(self) -> int:
        """The exit code of a process that this signal ended: 130 for Ctrl-C."""
        return 128 + self._signal

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Do what Ctrl-C does; while a loop runs, that is to cancel what the loop does."""
        self._signal = number
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):
            interrupt(signal.SIGINT, frame)
        else:  # a background job of a shell ignores Ctrl-C, and still may be told to end
            raise KeyboardInterrupt


@contextmanager
def interrupt_on_signals() -> Iterator[Stop]:
    """Let SIGTERM and SIGHUP interrupt as Ctrl-C does, where nobody has other plans for them."""
    stop = Stop()
    free = [each for each in OTHERS if signal.getsignal(each) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        free = []  # only the main thread may say what signals do
    for number in free:
        signal.signal(number, stop.hear)
    try:
        yield stop
    finally:
        for number in free:
            signal.signal(number, signal.SIG_DFL)
