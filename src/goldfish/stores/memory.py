"""The store for tests and sketches: a dict in this process, gone with it."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from goldfish.stores.base import BaseStore, Row


@dataclass
class _Session:
    bodies: dict[str, str] = field(default_factory=dict)  # message id -> JSON, oldest first
    deadline: float | None = None


class InMemoryStore(BaseStore):
    """Keeps messages in this process only; otherwise it keeps every promise of the others.

    It holds encoded copies, so that nobody can edit the history through an object they passed in
    or got back, and it refuses what the durable stores refuse.
    """

    def __init__(self, *, ttl: float | None = None) -> None:
        super().__init__(ttl=ttl)
        self._by_id: dict[str, _Session] = {}
        self._sweep_at = 64
        self._lock = threading.Lock()  # several event loops in several threads may share a store

    async def _append(self, session_id: str, rows: list[Row]) -> None:
        with self._lock:
            session = self._alive(session_id)
            if session is None:
                self._sweep()
                session = self._by_id[session_id] = _Session()
            for key, body in rows:
                session.bodies.setdefault(key, body)
            if self._ttl is not None:
                session.deadline = time.monotonic() + self._ttl

    async def _read(self, session_id: str, last: int | None) -> Sequence[str]:
        with self._lock:
            session = self._alive(session_id)
            if session is None:
                return []
            if last is None:
                return list(session.bodies.values())
            return list(islice(reversed(session.bodies.values()), last))[::-1]

    async def _keep_last(self, session_id: str, keep: int) -> int:
        with self._lock:
            session = self._alive(session_id)
            if session is None:
                return 0
            doomed = list(islice(session.bodies, max(0, len(session.bodies) - keep)))
            for key in doomed:
                del session.bodies[key]
            return len(doomed)

    async def _remove(self, session_id: str, ids: list[str]) -> int:
        with self._lock:
            session = self._alive(session_id)
            if session is None:
                return 0
            return sum(session.bodies.pop(key, None) is not None for key in ids)

    async def _clear(self, session_id: str) -> None:
        with self._lock:
            self._by_id.pop(session_id, None)

    async def _clear_all(self) -> None:
        with self._lock:
            self._by_id.clear()

    async def _sessions(self) -> list[str]:
        with self._lock:
            self._drop_expired()
            return [key for key, session in self._by_id.items() if session.bodies]

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        with self._lock:
            session = self._alive(session_id)
            if session is not None and session.bodies:
                session.deadline = None if seconds is None else time.monotonic() + seconds

    async def _get_ttl(self, session_id: str) -> float | None:
        with self._lock:
            session = self._alive(session_id)
            if session is None or session.deadline is None:
                return None
            return session.deadline - time.monotonic()

    def _alive(self, session_id: str) -> _Session | None:
        """The session, unless it has expired: then it is forgotten here and now."""
        session = self._by_id.get(session_id)
        if session is None or session.deadline is None or session.deadline > time.monotonic():
            return session
        del self._by_id[session_id]
        return None

    def _sweep(self) -> None:
        """Drop expired sessions that nobody asks for, each time the number of sessions doubles."""
        if len(self._by_id) >= self._sweep_at:
            self._drop_expired()
            self._sweep_at = 2 * len(self._by_id) + 64

    def _drop_expired(self) -> None:
        for key in list(self._by_id):
            self._alive(key)
