"""Facts in dicts of this process."""

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from itertools import islice, takewhile

from goldfish.stores.facts.backend import (
    STEP,
    TOKEN_SECONDS,
    Added,
    Changes,
    Known,
    Named,
    New,
    Revised,
    Row,
    Stored,
    Unchanged,
    Unmarked,
    Vector,
    Written,
)
from goldfish.stores.facts.encoding import decode_links, keep_birth
from goldfish.stores.facts.identity import NAMED
from goldfish.stores.memory.deadlines import STEP_SECONDS, Deadlines
from goldfish.stores.retrieval.blocks import NO_MARKS, Marked, Marks


class _User:
    def __init__(self, epoch: int, model: str) -> None:
        self.known = Known(epoch)
        self.model = model
        self.rows: dict[int, Row] = {}  # the one that changed last is the last
        self.vectors: dict[int, bytes] = {}
        self.marks: dict[int, Marked] = {}
        self.links: defaultdict[int, set[int]] = defaultdict(set)  # both ways
        self.keys: dict[str, int] = {}
        self.key_of: dict[int, str] = {}
        self.unnamed = 0  # facts without a name
        self.deadlines: Deadlines[int] = Deadlines()
        self.ids: dict[str, int] = {}
        self.past: dict[int, list[str]] = {}
        self.tokens: dict[str, int] = {}  # of calls: the fact that they wrote
        self.tokens_of: dict[int, list[str]] = {}
        self.token_deadlines: Deadlines[str] = Deadlines()

    @property
    def is_marked(self) -> bool:
        """Whether every fact has its marks."""
        return len(self.marks) == len(self.rows)

    def count(self) -> int:
        """Return the number of the next change."""
        self.known = self.known._replace(version=self.known.version + 1)
        return self.known.version

    def put(self, row: Row) -> None:
        self.rows.pop(row.seq, None)
        self.rows[row.seq] = row
        self.ids[row.id] = row.seq
        if row.expires_at is not None:
            self.deadlines.note(row.seq, row.expires_at)

    def claim(self, key: str, seq: int) -> None:
        """Let the fact be found by this key alone."""
        self.release(seq)
        self.keys[key] = seq
        self.key_of[seq] = key
        self.unnamed += not key.startswith(NAMED)

    def release(self, seq: int) -> None:
        """Let the fact be found by no key."""
        key = self.key_of.pop(seq, None)
        if key is not None:
            del self.keys[key]
            self.unnamed -= not key.startswith(NAMED)

    def note(self, token: str | None, seq: int, now: float) -> None:
        """Note the token, by which the call is known again for a while."""
        if token is not None:
            self.tokens[token] = seq
            self.tokens_of.setdefault(seq, []).append(token)
            self.token_deadlines.note(token, now + TOKEN_SECONDS)

    def say(self, row: Row, vectors: bytes, marks: bytes) -> None:
        """Store a fact that is new, or says something new."""
        self.unlink(row.seq)
        self.vectors[row.seq] = vectors
        self.marks[row.seq] = Marked(row.seq, row.said_at, marks)
        self.put(row)

    def unlink(self, seq: int) -> None:
        for other in self.links.pop(seq, ()):
            self.links[other].discard(seq)

    def stored(self, row: Row) -> Stored:
        """Return the fact with those that links connect it to."""
        return Stored(row, [self.rows[other] for other in self.links.get(row.seq, ())])

    def find_seen(self, token: str | None) -> Row | None:
        """Return the fact that a call with this token wrote, if it is still there."""
        return self.rows.get(self.tokens.get(token or "", 0))

    def drop(self, seq: int) -> None:
        for token in self.tokens_of.pop(seq, ()):
            del self.tokens[token]
            self.token_deadlines.drop(token)
        row = self.rows.pop(seq)
        self.unlink(seq)
        del self.vectors[seq]
        self.marks.pop(seq, None)
        del self.ids[row.id]
        self.release(seq)
        self.past.pop(seq, None)
        self.deadlines.drop(seq)

    def drop_expired(self, now: float) -> None:
        """Drop the facts whose time is over, and the tokens of calls that are long done."""

        def expire(seq: int) -> float | None:
            moment = self.rows[seq].expires_at
            if moment is not None and moment <= now:
                self.drop(seq)
                return None
            return moment

        self.deadlines.sweep(now, expire)
        self.token_deadlines.sweep(now, self._drop_token)

    def _drop_token(self, token: str) -> None:
        self.tokens_of[self.tokens.pop(token)].remove(token)

    @property
    def next(self) -> float | None:
        """When something of the user may be over for the first time."""
        moments = (self.deadlines.next, self.token_deadlines.next)
        return min((moment for moment in moments if moment is not None), default=None)

    def find(self, fact_id: str) -> Row | None:
        seq = self.ids.get(fact_id)
        return None if seq is None else self.rows[seq]


class MemoryFacts:
    """A ``FactsBackend`` that is gone with its process."""

    def __init__(self) -> None:
        self._users: dict[str, _User] = {}
        self._deadlines: Deadlines[str] = Deadlines()  # of users of whom something may be over
        self._lock = threading.Lock()

    async def changes(self, user_id: str, known: Known) -> Changes:
        with self._lock:
            now = time.monotonic()
            self._sweep(now)
            user = self._users.get(user_id)
            if user is None:
                return Changes(Known(), "", now, NO_MARKS, {}, anew=True)
            if not user.is_marked:
                return Changes(user.known, user.model, now, NO_MARKS, {}, marked=False)
            anew = known.epoch != user.known.epoch
            since = 0 if anew else known.version
            rows = [*takewhile(lambda row: row.changed > since, reversed(user.rows.values()))]
            marks = Marks.of([user.marks[row.seq] for row in reversed(rows)])
            deadlines = {row.seq: row.expires_at for row in rows if row.expires_at is not None}
            removed = not anew and known.removals != user.known.removals
            alive = list(user.rows) if removed else None
            return Changes(user.known, user.model, now, marks, deadlines, alive, anew)

    async def find(self, user_id: str, fact_id: str) -> Stored | None:
        with self._lock:
            user = self._find_living(user_id, time.monotonic())
            row = user.find(fact_id) if user else None
            return user.stored(row) if user and row else None

    async def find_named(self, user_id: str, key: str) -> Named:
        with self._lock:
            user = self._find_living(user_id, time.monotonic())
            if user is None:
                return Named(None, True)
            seq = user.keys.get(key)
            return Named(None if seq is None else user.rows[seq], not user.unnamed)

    async def page(self, user_id: str, offset: int, limit: int | None) -> list[Stored]:
        with self._lock:
            user = self._find_living(user_id, time.monotonic())
            if user is None:
                return []
            end = None if limit is None else offset + limit
            return [user.stored(user.rows[seq]) for seq in sorted(user.rows)[offset:end]]

    async def read(self, user_id: str, seqs: list[int]) -> list[Stored]:
        with self._lock:
            user = self._find_living(user_id, time.monotonic())
            if user is None:
                return []
            return [user.stored(user.rows[seq]) for seq in seqs if seq in user.rows]

    async def read_unchanged(self, user_id: str, known: Known, seqs: list[int]) -> Unchanged | None:
        with self._lock:
            now = time.monotonic()
            user = self._find_living(user_id, now)
            if user is None or user.known != known:
                return None
            return Unchanged(now, [user.stored(user.rows[seq]) for seq in seqs if seq in user.rows])

    async def vectors(self, user_id: str, seqs: list[int]) -> list[Vector]:
        with self._lock:
            user = self._users.get(user_id)
            if user is None:
                return []
            rows = [user.rows[seq] for seq in seqs if seq in user.rows]
            return [Vector(row.seq, row.said_at, user.vectors[row.seq]) for row in rows]

    async def bases(self, user_id: str, after: int) -> list[tuple[int, str]]:
        with self._lock:
            user = self._users.get(user_id)
            rows = user.rows.values() if user else ()
            return [(row.seq, row.base) for row in rows if row.seq > after]

    async def remember(self, user_id: str, new: New) -> Written:
        with self._lock:
            now = time.monotonic()
            user = self._find_or_begin(user_id, new, now)
            if user.model != new.model:
                return Written("other model", user.model)
            if repeated := user.find_seen(new.token):
                return Written("done", repeated.id)
            deadline = None if new.ttl is None else now + new.ttl
            seq = user.keys.get(new.key)
            if seq is not None:
                user.note(new.token, seq, now)
                written = _count_again(user, user.rows[seq], deadline)
            else:
                row = _add(user, new, deadline)
                user.note(new.token, row.seq, now)
                written = Written("done", new.id, Added(user.known, now, user.is_marked, row))
            self._note(user_id, user)
            return written

    async def replace(self, user_id: str, new: New, former: Sequence[str] | None = None) -> Written:
        with self._lock:
            now = time.monotonic()
            user = self._find_or_begin(user_id, new, now)
            if user.model != new.model:
                return Written("other model", user.model)
            if former is None and user.unnamed:
                return Written("unnamed", "")
            _replace(user, new, former or (), None if new.ttl is None else now + new.ttl)
            self._note(user_id, user)
            return Written("done", new.id)

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        with self._lock:
            user = self._find_living(user_id, time.monotonic())
            row = user.find(fact_id) if user else None
            if user is None or row is None:
                return Written("not found", fact_id)
            if user.model != revised.model:
                return Written("other model", user.model)
            if user.find_seen(revised.token):
                return Written("done", fact_id)
            holder = user.keys.get(revised.key, row.seq)
            if holder != row.seq:
                return Written("taken", user.rows[holder].id)
            user.note(revised.token, row.seq, time.monotonic())
            _reword(user, row, revised)
            self._note(user_id, user)
            return Written("done", fact_id)

    async def link(self, user_id: str, fact_id: str, said_at: int, near: str) -> None:
        with self._lock:
            user = self._users.get(user_id)
            row = user.find(fact_id) if user else None
            if user and row and row.said_at == said_at and row.near == "[]":
                user.put(row._replace(near=near, changed=user.count()))
                for key, _ in decode_links(near):
                    older = user.ids.get(key)
                    if older is not None:
                        user.links[row.seq].add(older)
                        user.links[older].add(row.seq)

    async def forget(self, user_id: str, fact_id: str) -> None:
        with self._lock:
            user = self._users.get(user_id)
            row = user.find(fact_id) if user else None
            if user and row:
                user.drop(row.seq)
                user.count()
                user.known = user.known._replace(removals=user.known.removals + 1)
                if not user.rows:
                    self._remove(user_id)

    async def forget_all(self, user_id: str) -> None:
        with self._lock:
            self._remove(user_id)

    async def history(self, user_id: str, fact_id: str) -> list[str]:
        with self._lock:
            user = self._users.get(user_id)
            row = user.find(fact_id) if user else None
            return list(user.past.get(row.seq, ())) if user and row else []

    async def users(self) -> list[str]:
        with self._lock:
            return list(self._users)

    async def unmarked(self, user_id: str, after: int) -> list[Unmarked]:
        with self._lock:
            user = self._users.get(user_id)
            seqs = sorted(user.rows.keys() - user.marks.keys()) if user else []
            rows = [user.rows[seq] for seq in seqs if seq > after] if user else []
            return [
                Unmarked(row.seq, row.said_at, row.base, row.said, user.vectors[row.seq])
                for row in islice(rows, STEP)
                if user
            ]

    async def mark(self, user_id: str, marked: list[Marked]) -> bool:
        with self._lock:
            user = self._users.get(user_id)
            for each in marked if user else ():
                row = user.rows.get(each.seq) if user else None
                if user and row and row.said_at == each.said_at:
                    user.marks[each.seq] = each
            return user is None or user.is_marked

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[Vector]
    ) -> bool:
        with self._lock:
            user = self._users.get(user_id)
            if user is None or user.known != known:
                return False
            user.vectors |= {x.seq: x.vectors for x in vectors if x.seq in user.rows}
            user.marks.clear()
            user.model, user.known = model, user.known._replace(epoch=epoch)
            return True

    def _find_or_begin(self, user_id: str, new: New, now: float) -> _User:
        user = self._find_living(user_id, now)
        if user is None:
            user = self._users[user_id] = _User(new.epoch, new.model)
        return user

    def _find_living(self, user_id: str, now: float) -> _User | None:
        """Return the user without what has expired; None if nothing is left."""
        self._sweep(now)
        user = self._users.get(user_id)
        if user is not None:
            user.drop_expired(now)
            if not user.rows:
                self._remove(user_id)
                return None
        return user

    def _sweep(self, now: float) -> None:
        """Drop what has expired of users that nobody asks for, for a moment at most."""

        def expire(user_id: str) -> float | None:
            user = self._users[user_id]
            user.drop_expired(now)
            if user.rows:
                return user.next
            self._remove(user_id)
            return None

        self._deadlines.sweep(now, expire, STEP_SECONDS)

    def _note(self, user_id: str, user: _User) -> None:
        if user.next is not None:
            self._deadlines.note(user_id, user.next)

    def _remove(self, user_id: str) -> None:
        self._users.pop(user_id, None)
        self._deadlines.drop(user_id)


def _add(user: _User, new: New, deadline: float | None) -> Row:
    """Store the fact as the last one."""
    at = user.count()
    row = Row(at, at, at, new.id, new.base, new.said, 1, "[]", deadline)
    user.claim(new.key, at)
    user.say(row, new.vectors, new.marks)
    return row


def _replace(user: _User, new: New, former: Sequence[str], deadline: float | None) -> None:
    """Store the fact, and remove those whose place it takes."""
    holder = user.keys.get(new.key)
    gone = {user.ids[each] for each in former if each in user.ids}
    if holder is not None:
        gone.add(holder)
        new = new._replace(base=keep_birth(user.rows[holder].base, new.base))
    for seq in gone:
        user.drop(seq)
    user.known = user.known._replace(removals=user.known.removals + len(gone))
    _add(user, new, deadline)


def _count_again(user: _User, row: Row, deadline: float | None) -> Written:
    old = row.expires_at
    later = None if old is None or deadline is None else max(old, deadline)
    user.put(row._replace(times_seen=row.times_seen + 1, changed=user.count(), expires_at=later))
    return Written("done", row.id)


def _reword(user: _User, row: Row, revised: Revised) -> None:
    user.past.setdefault(row.seq, []).append(row.said)
    user.claim(revised.key, row.seq)
    at = user.count()
    reworded = row._replace(changed=at, said_at=at, said=revised.said, near="[]")
    user.say(reworded, revised.vectors, revised.marks)
