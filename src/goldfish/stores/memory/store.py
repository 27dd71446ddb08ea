"""The store for tests and sketches: dicts in this process, gone with it."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Literal

from goldfish.messages import Snapshot
from goldfish.stores.base import BaseStore, Forked, Row
from goldfish.stores.memory.deadlines import STEP_SECONDS, Deadlines
from goldfish.stores.memory.facts import MemoryFacts
from goldfish.stores.observation import Observation
from goldfish.stores.search.backend import Embedded
from goldfish.stores.stating import Named

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder


@dataclass
class _Session:
    bodies: dict[str, str] = field(default_factory=dict)  # message id -> JSON, oldest first
    deadline: float | None = None
    shared: bool = False  # with a snapshot: the bodies are copied before they are changed
    state: dict[str, str] = field(default_factory=dict)  # name -> JSON
    token: str | None = None  # of the fork that began it

    def own_bodies(self) -> dict[str, str]:
        """Return the bodies, to be changed; the texts in them are shared with all snapshots."""
        if self.shared:
            self.bodies = dict(self.bodies)
            self.shared = False
        return self.bodies

    @property
    def is_empty(self) -> bool:
        return not self.bodies and not self.state

    def seconds_left(self) -> float | None:
        return None if self.deadline is None else self.deadline - time.monotonic()


@dataclass(frozen=True)
class _Saved:
    snapshot: Snapshot
    bodies: dict[str, str]
    seconds_left: float | None
    state: dict[str, str]

    def as_session(self) -> _Session:
        left = self.seconds_left
        deadline = None if left is None else time.monotonic() + left
        return _Session(self.bodies, deadline, shared=True, state=dict(self.state))


class InMemoryStore(BaseStore):
    """Keeps messages in this process only; otherwise it keeps every promise of the others.

    It holds encoded copies, so that nobody can edit the history through an object they passed in
    or got back, and it refuses what the durable stores refuse.
    """

    def __init__(
        self,
        *,
        ttl: float | None = None,
        embedder: "Embedder | Literal['default'] | None" = "default",
    ) -> None:
        super().__init__(ttl=ttl, embedder=embedder)
        self._kept_facts = MemoryFacts()
        self._by_id: dict[str, _Session] = {}
        self._saved: dict[str, dict[str, _Saved]] = {}  # by session and snapshot, oldest first
        self._user_states: dict[str, dict[str, str]] = {}  # by user and name: JSON
        self._deadlines: Deadlines[str] = Deadlines()
        self._lock = threading.Lock()  # several event loops in several threads may share a store

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        with self._lock:
            self._append_rows(session_id, rows)

    async def _append_and_read(
        self, session_id: str, rows: list[Row], embedded: Embedded | None, last: int
    ) -> Sequence[str]:
        with self._lock:
            self._append_rows(session_id, rows)
            return self._read_bodies(session_id, last)

    async def _read(self, session_id: str, last: int | None) -> Sequence[str]:
        with self._lock:
            return self._read_bodies(session_id, last)

    async def _keep_last(self, session_id: str, keep: int) -> int:
        with self._lock:
            session = self._find(session_id)
            if session is None:
                return 0
            bodies = session.own_bodies()
            doomed = list(islice(bodies, max(0, len(bodies) - keep)))
            for key in doomed:
                del bodies[key]
            return len(doomed)

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        with self._lock:
            session = self._find(session_id)
            if session is None:
                return 0
            bodies = session.own_bodies()
            return sum(bodies.pop(key, None) is not None for key in ids)

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        with self._lock:
            self._drop(session_id)
            if snapshots:
                self._saved.pop(session_id, None)

    async def _clear_all(self) -> None:
        with self._lock:
            self._by_id.clear()
            self._deadlines = Deadlines()
            self._saved.clear()
            self._user_states.clear()

    async def _sessions(self, prefix: str) -> list[str]:
        with self._lock:
            now = time.monotonic()
            return [
                key
                for key, session in self._by_id.items()
                if session.bodies and (session.deadline is None or session.deadline > now)
            ]

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        with self._lock:
            session = self._find(session_id)
            if session is not None and not session.is_empty:
                moment = None if seconds is None else time.monotonic() + seconds
                self._set_deadline(session_id, session, moment)

    async def _get_ttl(self, session_id: str) -> float | None:
        with self._lock:
            session = self._find(session_id)
            return None if session is None else session.seconds_left()

    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        with self._lock:
            if snapshot_id in self._saved.get(session_id, {}):
                return
            session = self._find(session_id) or _Session()
            session.shared = True
            snapshot = Snapshot(
                id=snapshot_id,
                session_id=session_id,
                label=label,
                created_at=created_at,
                message_count=len(session.bodies),
            )
            left, state = session.seconds_left(), dict(session.state)
            saved = _Saved(snapshot, session.bodies, left, state)
            self._saved.setdefault(session_id, {})[snapshot_id] = saved

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        with self._lock:
            saved = self._saved.get(session_id, {}).get(snapshot_id)
            if saved is not None:
                session = self._find(session_id)
                self._put(session_id, saved, session.token if session else None)
            return saved is not None

    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        with self._lock:
            return [saved.snapshot for saved in self._saved.get(session_id, {}).values()]

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        with self._lock:
            saved = self._saved.get(session_id, {})
            saved.pop(snapshot_id, None)
            if not saved:
                self._saved.pop(session_id, None)

    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        with self._lock:
            new_session = self._find(new_session_id)
            if token is not None and new_session is not None and new_session.token == token:
                return "done"
            saved = self._saved.get(session_id, {}).get(snapshot_id)
            if saved is None:
                return "not found"
            if new_session is not None and not new_session.is_empty:
                return "not empty"
            self._put(new_session_id, saved, token)
            return "done"

    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        with self._lock:
            session = self._find_or_begin(session_id)
            session.state.update(named)
            self._renew(session_id, session)

    async def _read_state(self, session_id: str) -> list[Named]:
        with self._lock:
            session = self._find(session_id)
            return [] if session is None else list(session.state.items())

    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        with self._lock:
            self._user_states.setdefault(user_id, {}).update(named)

    async def _read_user_state(self, user_id: str) -> list[Named]:
        with self._lock:
            return list(self._user_states.get(user_id, {}).items())

    async def _ping(self) -> None:
        """Do nothing: a dict always answers."""

    async def _examine(self, repair: bool) -> list[Observation]:
        detail = "what is stored ends with this process"
        return [Observation("durability", "warning", detail, "use a store that keeps a file")]

    def _facts_backend(self) -> MemoryFacts:
        return self._kept_facts

    def _facts_backend_from_thread(self) -> MemoryFacts:
        return self._kept_facts

    def _find(self, session_id: str) -> _Session | None:
        """Return the session; one that has expired is forgotten here and now."""
        self._sweep()
        session = self._by_id.get(session_id)
        if session is None or session.deadline is None or session.deadline > time.monotonic():
            return session
        self._drop(session_id)
        return None

    def _append_rows(self, session_id: str, rows: list[Row]) -> None:
        session = self._find_or_begin(session_id)
        bodies = session.own_bodies()
        for key, body in rows:
            bodies.setdefault(key, body)
        self._renew(session_id, session)

    def _read_bodies(self, session_id: str, last: int | None) -> list[str]:
        session = self._find(session_id)
        if session is None:
            return []
        if last is None:
            return list(session.bodies.values())
        return list(islice(reversed(session.bodies.values()), last))[::-1]

    def _find_or_begin(self, session_id: str) -> _Session:
        """Return the session, or a new one if there is none or it has expired."""
        session = self._find(session_id)
        if session is None:
            session = self._by_id[session_id] = _Session()
        return session

    def _put(self, session_id: str, saved: _Saved, token: str | None) -> None:
        """Restore the session as a snapshot shows it."""
        session = self._by_id[session_id] = saved.as_session()
        session.token = token
        self._set_deadline(session_id, session, session.deadline)

    def _renew(self, session_id: str, session: _Session) -> None:
        """Put the deadline off, in a store with a ttl."""
        if self._ttl is not None:
            self._set_deadline(session_id, session, time.monotonic() + self._ttl)

    def _set_deadline(self, session_id: str, session: _Session, moment: float | None) -> None:
        session.deadline = moment
        if moment is not None:
            self._deadlines.note(session_id, moment)

    def _drop(self, session_id: str) -> None:
        self._by_id.pop(session_id, None)
        self._deadlines.drop(session_id)

    def _sweep(self) -> None:
        """Drop expired sessions that nobody asks for, for a moment at most."""
        now = time.monotonic()

        def expire(session_id: str) -> float | None:
            session = self._by_id.get(session_id)
            if session is None or session.deadline is None or session.deadline > now:
                return None if session is None else session.deadline
            del self._by_id[session_id]
            return None

        self._deadlines.sweep(now, expire, STEP_SECONDS)
