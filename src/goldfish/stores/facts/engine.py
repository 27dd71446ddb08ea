"""Facts over any backend: remembering, revising, recalling and listing.

A text is embedded before anything is written. Two facts that are near each other are linked once
the later one is written: the writes of a user have one order, so its writer sees the earlier one.
A fact that was written is returned, even if linking it fails.
"""

import asyncio
import json
import logging
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from goldfish.errors import FactNotFound, MemoryStoreError
from goldfish.messages import Fact, Recollection, new_id
from goldfish.stores.facts.backend import (
    VECTORS,
    Changes,
    FactsBackend,
    Known,
    New,
    Revised,
    Row,
    Written,
)
from goldfish.stores.facts.encoding import build_fact, encode_base, encode_said
from goldfish.stores.facts.filters import Filter
from goldfish.stores.facts.identity import identity
from goldfish.stores.facts.index import Hints, UserFacts
from goldfish.stores.retrieval.cache import IndexCache
from goldfish.stores.retrieval.embedder import (
    LazyEmbedder,
    mismatch_error,
    refuse_other_models,
)
from goldfish.stores.retrieval.names import put_in_first_person

if TYPE_CHECKING:
    from goldfish.stores.facts.ranking import Question

T = TypeVar("T")
# From here on a thread does the work, so that others can go on; below, it takes a few ms at most.
ROWS = 500  # that are taken in, and not ranked yet
SOME = 50  # facts to be ranked
MANY = 5000  # facts to be asked
LONG = 2000  # characters: to find the stem of a new word takes some 40 µs

_log = logging.getLogger("goldfish.facts")


class FactEngine:
    """The facts of one store."""

    def __init__(self, backend: FactsBackend, embedder: LazyEmbedder) -> None:
        self._backend = backend
        self._embedder = embedder
        self._cache = IndexCache(UserFacts)
        self._dimensions = 0

    async def remember(
        self,
        user_id: str,
        text: str,
        metadata: Mapping[str, Any] | None,
        ttl: float | None,
        *,
        key: str | None = None,
        token: str | None = None,
    ) -> Fact:
        """Store the fact, or count it again; return it as it is stored.

        Facts with one key are the same; by default it is made of the text. A call with a token that
        the user's facts have seen changes nothing.
        """
        now = datetime.now(UTC)
        base, said = encode_base(metadata, now), encode_said(text, now)
        model = await self._prepare()
        vectors = await self._embed(text)
        same = await _process(text, identity) if key is None else key
        new = New(new_id(), same, base, said, ttl, model, vectors, _new_epoch(), token)
        written = await self._backend.remember(user_id, new)
        _refuse_other_model(written, model)
        made = new if written.detail == new.id else None
        fact = await self._settle(user_id, written.detail, made)
        return fact or build_fact(user_id, written.detail, base, said)

    async def revise(
        self, user_id: str, fact_id: str, text: str, *, token: str | None = None
    ) -> Fact:
        """Replace what the fact says; return it as it is stored."""
        said = encode_said(text, datetime.now(UTC))
        model = await self._prepare()
        vectors = await self._embed(text)
        revised = Revised(await _process(text, identity), said, model, vectors, token)
        written = await self._backend.revise(user_id, fact_id, revised)
        _refuse_other_model(written, model)
        if written.outcome == "taken":
            raise MemoryStoreError(
                f"fact {written.detail!r:.80} of this user says the same: "
                "forget one of the two, or revise to something else"
            )
        fact = None if written.outcome == "not found" else await self._settle(user_id, fact_id)
        if fact is None:
            raise FactNotFound(
                f"user {user_id!r:.80} has no fact {fact_id!r:.80}: "
                "list_facts() names those that there are"
            )
        return fact

    async def recall(
        self, user_id: str, query: str, wanted: Filter, offset: int, limit: int
    ) -> list[Recollection]:
        """Return the user's facts that fit the query, best first."""
        model = await self._prepare()
        facts = await self._refresh(user_id)
        refuse_other_models([facts.model], model)
        long = len(query) > LONG
        hints = await self._use(facts, lambda: facts.hints(query), long=long)
        question = await self._make_question(query, hints)
        work = partial(facts.recall, question, wanted, offset, limit)
        return await self._use(facts, work, long=long)

    async def page(
        self, user_id: str, wanted: Filter, offset: int, limit: int | None
    ) -> list[Fact]:
        """Return the user's facts in the order first remembered."""
        facts = await self._refresh(user_id)
        return await self._use(facts, lambda: facts.page(wanted, offset, limit))

    async def get(self, user_id: str, fact_id: str) -> Fact | None:
        """Return one fact of the user, or None."""
        facts = await self._refresh(user_id)
        return await self._use(facts, lambda: facts.find(fact_id))

    async def history(self, user_id: str, fact_id: str) -> list[Fact]:
        """Return what the fact said before it was revised, oldest first."""
        facts = await self._refresh(user_id)
        entry = facts.get(fact_id)
        if entry is None:
            return []
        base, earlier = entry.row.base, await self._backend.history(user_id, fact_id)
        return [build_fact(user_id, fact_id, base, said) for said in earlier]

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove one fact."""
        await self._backend.forget(user_id, fact_id)

    async def forget_all(self, user_id: str) -> None:
        """Remove every fact of the user."""
        await self._backend.forget_all(user_id)

    async def users(self) -> list[str]:
        """Return everybody who may have facts."""
        return await self._backend.users()

    async def reembed(self) -> int:
        """Give all facts of all users vectors of the present model; return how many."""
        return sum([await self._reembed(user_id) for user_id in await self._backend.users()])

    async def _reembed(self, user_id: str) -> int:
        model = await self._prepare()
        while True:
            facts = await self._refresh(user_id)
            known, entries = await self._use(facts, facts.everything)
            if facts.model == model or not entries:
                return 0
            vectors = [(e.row.seq, await self._embed(e.text)) for e in entries]
            if await self._backend.embed(user_id, known, model, _new_epoch(), vectors):
                return len(vectors)

    async def _settle(self, user_id: str, fact_id: str, new: New | None = None) -> Fact | None:
        """Link a fact that was written, if possible; return it, or None if it is gone already.

        If the fact is new, no more of it is needed than what was written.
        """
        try:
            return await self._link(user_id, fact_id)
        except Exception as error:
            _log.warning("a fact was stored, but not linked: %s", type(error).__name__)
        if new is not None:
            return build_fact(user_id, fact_id, new.base, new.said)
        row = await self._read_row(user_id, fact_id)
        if row is None:
            return None
        return build_fact(user_id, row.id, row.base, row.said, times_seen=row.times_seen)

    async def _read_row(self, user_id: str, fact_id: str) -> Row | None:
        """Read one fact straight from the backend, even if others of the user are damaged."""
        known, found, more = Known(), None, True
        while more:
            changes = await self._backend.changes(user_id, known)
            found = next((row for row in changes.rows if row.id == fact_id), found)
            known, more = changes.known, changes.more
        return found

    async def _link(self, user_id: str, fact_id: str) -> Fact | None:
        """Note which others the fact resembles; return it, or None if it is gone already."""
        facts = await self._refresh(user_id)
        entry = facts.get(fact_id)
        long = entry is not None and len(entry.text) > LONG
        links = await self._use(facts, lambda: _find_links(facts, fact_id), long=long)
        if links is not None:
            said_at, near = links
            await self._backend.link(user_id, fact_id, said_at, near)
            facts = await self._refresh(user_id)
        return await self._use(facts, lambda: facts.find(fact_id))

    async def _prepare(self) -> str:
        """Load the model; return its name."""
        model, self._dimensions = await self._embedder.prepare()
        return model

    async def _embed(self, text: str) -> bytes:
        (vectors,) = await self._embedder.encode_to_store([text], VECTORS)
        return vectors

    async def _refresh(self, user_id: str) -> UserFacts:
        """Return all facts of the user as they are now, or a moment later."""
        facts = self._cache.get(user_id)
        try:
            complete = False
            while not complete:
                facts.dimensions = self._dimensions
                known = facts.known
                changes = await self._backend.changes(user_id, known)
                if facts.has(changes):
                    break
                if known != Known() and changes.known.epoch != known.epoch:
                    facts = self._cache.renew(user_id, facts)  # others are at work with this one
                    continue
                work = partial(self._take_in, facts, known, changes)
                complete = await self._do_locked(facts, work, _is_much(facts, changes))
        finally:
            self._cache.weigh(user_id, facts)
        return facts

    def _take_in(self, facts: UserFacts, known: Known, changes: Changes) -> bool:
        complete = facts.apply(known, changes)
        self._cache.weigh(facts.user_id, facts)  # a thread may outlive the call that waits for it
        return complete

    async def _use(self, facts: UserFacts, work: Callable[[], T], *, long: bool = False) -> T:
        """Do the work while nobody changes what is known of the user."""
        large = facts.effort > (MANY if facts.ready else SOME)
        return await self._do_locked(facts, work, large or long)

    async def _do_locked(self, facts: UserFacts, work: Callable[[], T], large: bool) -> T:
        """Do the work with the lock: in a thread if it is much, or if one has to wait for it."""

        def work_locked() -> T:
            with facts.lock:
                facts.refuse_lost()
                return work()

        if large or not facts.lock.acquire(blocking=False):
            return await asyncio.to_thread(work_locked)
        try:
            return work_locked()
        finally:
            facts.lock.release()

    async def _make_question(self, query: str, hints: Hints) -> "Question":
        from goldfish.stores.facts.ranking import Question
        from goldfish.stores.retrieval.words import split_words

        if not query.strip():
            return Question([], None)
        vector = await self._embedder.encode(put_in_first_person(query, hints.speaking))
        words = await _process(query, split_words)
        return Question(words, vector, hints.names, hints.spans)


async def _process(text: str, work: Callable[[str], T]) -> T:
    """Return what the work makes of a text, in a thread if the text is long."""
    return await asyncio.to_thread(work, text) if len(text) > LONG else work(text)


def _is_much(facts: UserFacts, changes: Changes) -> bool:
    """Return whether these changes take more than a few ms to take in."""
    rows = changes.rows
    if len(rows) > ROWS or len(facts) > MANY:
        return True
    letters = sum(len(row.said) for row in rows)
    return letters > 100 * LONG or (facts.ready and (len(rows) > SOME or letters > LONG))


def _find_links(facts: UserFacts, fact_id: str) -> tuple[int, str] | None:
    """Return when the fact was worded, and what it resembles, unless that is noted or nothing."""
    entry = facts.get(fact_id)
    if entry is None or entry.links:
        return None
    links = facts.find_duplicates(entry)
    return (entry.row.said_at, json.dumps(links, separators=(",", ":"))) if links else None


def _refuse_other_model(written: Written, model: str) -> None:
    if written.outcome == "other model":
        raise mismatch_error(written.detail, model)


def _new_epoch() -> int:
    return int.from_bytes(os.urandom(6)) + 1
