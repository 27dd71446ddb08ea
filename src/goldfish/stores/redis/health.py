"""The log of the connection to a Redis server: losses, returns, slow calls; never contents."""

import logging
import time
from collections.abc import Sequence
from typing import Any

log = logging.getLogger("goldfish.stores.redis")

SLOW = 1.0  # seconds, or half of what a call may take


class Health:
    """Whether a server answers; each change is logged once, not with each call."""

    def __init__(self, server: str, timeout: float) -> None:
        self.server = server
        self._slow = min(SLOW, timeout / 2)
        self._dropped = 0
        self._lost_at: float | None = None

    def note_failure(self, error: BaseException) -> None:
        """Note that a call got no answer."""
        if self._lost_at is None:
            self._lost_at, self._dropped = time.monotonic(), 0
            kind = type(error).__name__
            log.warning("%s cannot be reached (%s): calls fail until it can", self.server, kind)

    def note_dropped(self, calls: int) -> None:
        """Note that calls were given up before they were sent, and never will be."""
        self._dropped += calls

    def note_answer(self, commands: Sequence[tuple[Any, ...]], seconds: float) -> None:
        """Note that the commands were answered."""
        if self._lost_at is not None:
            away, self._lost_at = time.monotonic() - self._lost_at, None
            text = "%s answers again after %.1f s; %d writes that waited meanwhile were dropped"
            log.info(text, self.server, away, self._dropped)
        if seconds > self._slow:
            name, others = commands[0][0], len(commands) - 1
            also = f" (and {others} more, sent together)" if others else ""
            log.warning("%s took %.1f s for %s%s", self.server, seconds, name, also)

    def note_reconnection(self) -> None:
        """Note that a new connection replaces one that the server had closed."""
        log.info("%s had closed a connection: connected again", self.server)
