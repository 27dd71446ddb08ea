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
    """Return True if the server says that it did nothing, because it was too late."""
    return str(error).startswith("LATE ")


class ServerClock:
    """The difference between the server's clock and the event loop's, as far as it is known."""

    def __init__(self) -> None:
        self._ahead: float | None = None
        self._learn_at = -math.inf

    def is_old(self, now: float) -> bool:
        """Return True if it is time to ask again."""
        return now >= self._learn_at

    def learn(self, answer: Any, now: float) -> None:
        """Take over the answer to TIME that came just now.

        The server gave it a moment ago, so deadlines end a moment early, never late. A user who
        may not ask for the time writes without deadlines.
        """
        self._learn_at = now + LEARN_EVERY
        if isinstance(answer, Exception):
            self._ahead = None
        else:
            seconds, microseconds = map(int, answer)
            self._ahead = seconds + microseconds / 1e6 - now

    def forget(self) -> None:
        """Ask again before the next write, because the clock may have been set."""
        self._learn_at = -math.inf

    def stamp(self, command: tuple[Any, ...], due: float) -> tuple[Any, ...]:
        """Return the command as it is sent: with its deadline by the server's clock."""
        if command[-1] is not DUE:
            return command
        if self._ahead is None or due == math.inf:
            return (*command[:-1], b"")
        return (*command[:-1], b"%d" % ((due + self._ahead) * 1000))
