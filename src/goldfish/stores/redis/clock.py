"""Deadlines by the server's clock, so that a write that was given up does nothing later.

A server that stood still goes on with what is in its sockets, long after the callers have given up,
and closing the connection does not take that back. So a script that writes carries the time at
which its caller gives up, and does nothing after that. The server judges by its own clock, and we
learn on connecting, and now and then, how far that is ahead of ours.
"""

import math
from typing import Any

DUE = object()  # stands for the deadline in a command, until that is sent
LEARN_EVERY = 60.0  # seconds: clocks drift, and are set


def is_late(error: BaseException | None) -> bool:
    """Whether the server says that it did nothing, because it was too late."""
    return str(error).startswith("LATE ")


class ServerClock:
    """How far the server's clock is ahead of the event loop's, as far as that is known."""

    def __init__(self) -> None:
        self._ahead: float | None = None
        self._learn_at = -math.inf

    def is_old(self, now: float) -> bool:
        """Whether it is time to ask again."""
        return now >= self._learn_at

    def learn(self, answer: Any, now: float) -> None:
        """Take over the answer to TIME that came just now.

        It was given before it came: so what is judged by it ends a moment early, never late. A
        user who may not ask for the time writes without deadlines.
        """
        self._learn_at = now + LEARN_EVERY
        if isinstance(answer, Exception):
            self._ahead = None
        else:
            seconds, microseconds = map(int, answer)
            self._ahead = seconds + microseconds / 1e6 - now

    def forget(self) -> None:
        """The clock may have been set: ask before the next write."""
        self._learn_at = -math.inf

    def stamp(self, command: tuple[Any, ...], due: float) -> tuple[Any, ...]:
        """The command as it is sent: with its deadline as the server tells the time."""
        if command[-1] is not DUE:
            return command
        if self._ahead is None or due == math.inf:
            return (*command[:-1], b"")
        return (*command[:-1], b"%d" % ((due + self._ahead) * 1000))
