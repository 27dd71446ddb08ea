"""The sessions that this process knows: those searched last, as many as memory allows."""

import threading
from collections import OrderedDict
from collections.abc import Iterable

from goldfish.recall.session_index import SessionIndex

MOST_BYTES = 512 * 2**20


class Library:
    """Keeps what is known of each session until the room is needed for others."""

    def __init__(self, dimensions: int, most_bytes: int = MOST_BYTES) -> None:
        self.dimensions = dimensions
        self._most_bytes = most_bytes
        self._sessions: OrderedDict[str, SessionIndex] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session_ids: Iterable[str]) -> dict[str, SessionIndex]:
        """What is known of each of these sessions, which may be nothing yet."""
        with self._lock:
            return {session_id: self._get(session_id) for session_id in session_ids}

    def tidy(self) -> None:
        """Put away those that nobody has asked for longest, if there are too many."""
        with self._lock:
            total = sum(index.size for index in self._sessions.values())
            while total > self._most_bytes and len(self._sessions) > 1:
                _, index = self._sessions.popitem(last=False)
                total -= index.size

    def _get(self, session_id: str) -> SessionIndex:
        index = self._sessions.get(session_id)
        if index is None:
            index = self._sessions[session_id] = SessionIndex(session_id, self.dimensions)
        self._sessions.move_to_end(session_id)
        return index
