"""Facts over any backend: remembering, revising, recalling and listing.

A text is embedded before anything is written. Two facts that are near each other are linked once
the later one is written: the writes of a user have one order, so its writer sees the earlier one.
A fact that was written is returned, even if linking it fails.
"""

import contextlib
import copy
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from goldfish.encoding import build
from goldfish.errors import MemoryStoreError
from goldfish.messages import Fact, Recollection, new_id
from goldfish.stores.facts.backend import (
    STEP,
    VECTORS,
    Added,
    Changes,
    FactsBackend,
    Known,
    New,
    Revised,
    Row,
    Stored,
    Vector,
)
from goldfish.stores.facts.encoding import (
    build_fact,
    decode_base,
    decode_links,
    decode_text,
    encode_base,
    encode_said,
)
from goldfish.stores.facts.filters import Filter
from goldfish.stores.facts.identity import identity, key_of_name
from goldfish.stores.facts.index import Hints, UserFacts
from goldfish.stores.facts.linking import build_stored, find_alike
from goldfish.stores.facts.marking import make_marks, mark_all
from goldfish.stores.facts.own_writes import is_next, make_changes
from goldfish.stores.facts.refusals import refuse_other_model, restless_error, unknown_error
from goldfish.stores.retrieval.cache import IndexCache
from goldfish.stores.retrieval.embedder import (
    LazyEmbedder,
    refuse_other_models,
)
from goldfish.stores.retrieval.names import put_in_first_person
from goldfish.threads import offload

if TYPE_CHECKING:
    from goldfish.stores.facts.ranking import Hit, Question

T = TypeVar("T")
# From here on a thread does the work, so that others can go on; below, it takes a few ms at most.
SOME = 50  # facts to be taken in, or built
MANY = 5000  # facts to be asked
MOST = 200_000  # facts that one is compared with: by their codes alone
LONG = 2000  # characters: to find the stem of a new word takes some 40 µs
TRIES = 20  # to read what belongs together while others write

_log = logging.getLogger("goldfish.facts")


class Told(NamedTuple):
    """What is to be a fact."""

    text: str
    metadata: Mapping[str, Any] | None
    ttl: float | None


class Formerly(NamedTuple):
    """The facts whose place another takes, and when the first of them came."""

    ids: list[str]
    created_at: datetime | None


class FactEngine:
    """The facts of one store."""

    def __init__(self, backend: FactsBackend, embedder: LazyEmbedder) -> None:
        self._backend = backend
        self._embedder = embedder
        self._cache = IndexCache(UserFacts)
        self._model = ""
        self._dimensions = 0
        self._prepared = False  # nobody loads a model to list facts

    def reach(self, backend: FactsBackend) -> "FactEngine":
        """Return the engine of the same facts over another way to the backend."""
        other = copy.copy(self)
        other._backend = backend
        return other

    async def remember(
        self,
        user_id: str,
        text: str,
        metadata: Mapping[str, Any] | None,
        ttl: float | None,
        *,
        token: str | None = None,
    ) -> Fact:
        """Store the fact, or count it again; return it as it is stored.

        A call with a token that the user's facts have seen changes nothing.
        """
        same = await _process(text, identity)
        new = await self._make(Told(text, metadata, ttl), same, token=token)
        written = await self._backend.remember(user_id, new)
        refuse_other_model(written, new.model)
        fact = await self._settle(user_id, written.detail, new, written.added)
        return fact or build_fact(user_id, written.detail, new.base, new.said)

    async def replace(
        self, user_id: str, name: str, told: Told, former: Formerly | None = None
    ) -> bool:
        """Let the user's fact with this name say something else, in one step; link it to none.

        Return False if some of the user's facts have no names, and the former ones are not given:
        then nothing has changed.
        """
        new = await self._make(told, key_of_name(name), former and former.created_at)
        ids = None if former is None else former.ids
        written = await self._backend.replace(user_id, new, ids)
        refuse_other_model(written, new.model)
        return written.outcome == "done"

    async def find_named(self, user_id: str, name: str) -> tuple[Fact | None, bool]:
        """Return the fact with the name, and whether all facts of the user have names."""
        row, is_complete = await self._backend.find_named(user_id, key_of_name(name))
        return None if row is None else build_stored(user_id, Stored(row, [])), is_complete

    async def _make(
        self, told: Told, key: str, created_at: datetime | None = None, token: str | None = None
    ) -> New:
        """Return the fact as it is to be stored."""
        text, metadata, ttl = told
        now = datetime.now(UTC)
        base, said = encode_base(metadata, created_at or now), encode_said(text, now)
        model = await self._prepare()
        vectors = await self._embed(text)
        marks = await self._make_marks(text, base, vectors)
        return New(new_id(), key, base, said, ttl, model, vectors, marks, _new_epoch(), token)

    async def revise(
        self, user_id: str, fact_id: str, text: str, *, token: str | None = None
    ) -> Fact:
        """Replace what the fact says; return it as it is stored."""
        said = encode_said(text, datetime.now(UTC))
        model = await self._prepare()
        vectors = await self._embed(text)
        stored = await self._backend.find(user_id, fact_id)
        if stored is None:
            raise unknown_error(user_id, fact_id)
        marks = await self._make_marks(text, stored.row.base, vectors)
        revised = Revised(await _process(text, identity), said, model, vectors, marks, token)
        written = await self._backend.revise(user_id, fact_id, revised)
        refuse_other_model(written, model)
        if written.outcome == "taken":
            raise MemoryStoreError(
                f"fact {written.detail!r:.80} of this user says the same: "
                "forget one of the two, or revise to something else"
            )
        fact = None
        if written.outcome != "not found":
            fact = await self._settle(user_id, fact_id)
        if fact is None:
            raise unknown_error(user_id, fact_id)
        return fact

    async def recall(
        self, user_id: str, query: str, wanted: Filter, offset: int, limit: int
    ) -> list[Recollection]:
        """Return the user's facts that fit the query, best first."""
        await self._prepare()
        asked: tuple[Hints, Question] | None = None
        for left in reversed(range(TRIES)):
            facts = self._cache.get(user_id)
            # What seldom changes is read with the proof that it has not, instead of asking first.
            supposed = facts.known if facts.is_quiet and left == TRIES - 1 else None
            if supposed is None:
                facts = await self._refresh(user_id)
            if not len(facts):
                return []
            await self._read_metadata(facts, wanted)
            long = len(query) > LONG
            hints = await self._use(facts, partial(facts.hints, query), long=long)
            if asked is None or asked[0] != hints:
                asked = hints, await self._make_question(query, hints)
            hits = await self._search(facts, asked[1], wanted, offset, limit)
            if hits is not None:
                # Under constant changes a fact may say something else than a moment ago.
                found = await self._read_hits(facts, hits, supposed, exact=left > TRIES - 3)
                if found is not None:
                    return found
        raise restless_error()

    async def page(
        self, user_id: str, wanted: Filter, offset: int, limit: int | None
    ) -> list[Fact]:
        """Return the user's facts in the order first remembered."""
        if not wanted:
            stored = await self._backend.page(user_id, offset, limit)
            return await _build_all(user_id, stored)
        end = None if limit is None else offset + limit
        known = await self._page_known(user_id, wanted) if self._prepared else None
        if known is not None:
            return await _build_all(user_id, known[offset:end])
        every = await self._backend.page(user_id, 0, None)

        def choose() -> list[Fact]:
            found = [x for x in every if wanted.matches(decode_base(x.row.base)["metadata"])]
            return [build_stored(user_id, each) for each in found[offset:end]]

        return await offload(choose) if len(every) > SOME else choose()

    async def _page_known(self, user_id: str, wanted: Filter) -> list[Stored] | None:
        """Return the facts that a filter lets through, found by what this process knows.

        None if most facts are to be read anyway, or if they cannot be had as they were at one
        moment: then none of those that were found may be gone when they are read.
        """
        with contextlib.suppress(MemoryStoreError):  # listing works where recalling is refused
            for _ in range(TRIES):
                facts = await self._refresh(user_id)
                await self._read_metadata(facts, wanted)
                seqs = await self._use(facts, partial(facts.list_matching, wanted))
                if seqs is not None and len(seqs) > max(SOME, len(facts) // 2):
                    return None
                stored = await self._backend.read(user_id, seqs) if seqs else []
                if seqs is not None and len(stored) == len(seqs):
                    return sorted(stored, key=lambda each: each.row.seq)
        return None

    async def get(self, user_id: str, fact_id: str) -> Fact | None:
        """Return one fact of the user, or None."""
        stored = await self._backend.find(user_id, fact_id)
        return None if stored is None else build_stored(user_id, stored)

    async def history(self, user_id: str, fact_id: str) -> list[Fact]:
        """Return what the fact said before it was revised, oldest first."""
        stored = await self._backend.find(user_id, fact_id)
        if stored is None:
            return []
        earlier = await self._backend.history(user_id, fact_id)
        return [build_fact(user_id, fact_id, stored.row.base, said) for said in earlier]

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
            now = await self._backend.changes(user_id, Known())
            rows = [stored.row for stored in await self._backend.page(user_id, 0, None)]
            if now.model == model or not rows:
                return 0
            texts = [decode_text(row.said) for row in rows]
            vectors = [
                Vector(row.seq, row.said_at, await self._embed(text))
                for row, text in zip(rows, texts, strict=True)
            ]
            if await self._backend.embed(user_id, now.known, model, _new_epoch(), vectors):
                await self._mark(user_id)
                return len(vectors)

    async def _settle(
        self, user_id: str, fact_id: str, new: New | None = None, added: Added | None = None
    ) -> Fact | None:
        """Link a fact that was written, if possible; return it, or None if it is gone already.

        If the fact was added, no more of it is needed than what was written.
        """
        try:
            return await self._link(user_id, fact_id, new, added)
        except Exception as error:
            _log.warning("a fact was stored, but not linked: %s", type(error).__name__)
        if added is not None:
            return build_stored(user_id, Stored(added.row, []))
        return await self.get(user_id, fact_id)

    async def _link(
        self, user_id: str, fact_id: str, new: New | None, added: Added | None
    ) -> Fact | None:
        """Note which others the fact resembles; return it, or None if it is gone already."""
        vectors: list[Vector] = []
        stored: Stored | None
        if new is None or added is None:
            facts = await self._refresh(user_id)
            stored = await self._backend.find(user_id, fact_id)
        else:
            facts = await self._refresh(user_id, make_changes(new, added))
            stored = Stored(added.row, [])
            vectors = [Vector(added.row.seq, added.row.said_at, new.vectors)]
        if stored is None:
            return None
        if self._dimensions and not decode_links(stored.row.near):
            links = await self._find_links(facts, stored.row, vectors)
            if links:
                near = json.dumps(links, separators=(",", ":"))
                await self._backend.link(user_id, fact_id, stored.row.said_at, near)
                stored = await self._backend.find(user_id, fact_id)
        return None if stored is None else build_stored(user_id, stored)

    async def _find_links(
        self, facts: UserFacts, row: Row, vectors: list[Vector]
    ) -> list[tuple[str, int]]:
        """Return the facts that say nearly the same, and at which number each was worded.

        ``vectors`` are the fact's own, if they are at hand.
        """
        if vectors:
            await self._use(facts, partial(facts.learn, vectors), light=True)
        for tried in range(TRIES):
            if tried > 1:  # vectors did not fit what is known
                facts = await self._refresh(facts.user_id)
            work = partial(facts.compare, row)
            missing, close = await self._use(facts, work, light=len(facts) <= MOST)
            if not missing:
                break
            vectors = await self._backend.vectors(facts.user_id, missing)
            await self._use(facts, partial(facts.learn, vectors), long=len(vectors) > SOME)
        if not close:
            return []
        stored = await self._backend.read(facts.user_id, list(close))
        others = [each.row for each in stored if close[each.row.seq] == each.row.said_at]
        return await _process(decode_text(row.said), partial(find_alike, row, others))

    async def _prepare(self) -> str:
        """Load the model; return its name."""
        self._model, self._dimensions = await self._embedder.prepare()
        self._prepared = True
        return self._model

    async def _embed(self, text: str) -> bytes:
        (vectors,) = await self._embedder.encode_to_store([text], VECTORS)
        return vectors

    async def _make_marks(self, text: str, base: str, vectors: bytes) -> bytes:
        metadata = decode_base(base)["metadata"]
        work = partial(make_marks, metadata=metadata, vectors=vectors, dimensions=self._dimensions)
        return await _process(text, work)

    async def _refresh(self, user_id: str, told: Changes | None = None) -> UserFacts:
        """Return all facts of the user as they are now, or a moment later.

        Nobody is asked if this process knows all but what it was ``told``.
        """
        facts = self._cache.get(user_id)
        try:
            while True:
                known = facts.known
                if told is not None and is_next(told, known):
                    changes, told = told, None
                else:
                    changes = await self._backend.changes(user_id, known)
                    facts.is_quiet = known in (Known(), changes.known)
                refuse_other_models([changes.model], self._model)
                if not changes.marked:
                    await self._mark(user_id)
                    continue
                if facts.has(changes):
                    break
                if known != Known() and changes.known.epoch != known.epoch:
                    facts = self._cache.renew(user_id, facts)  # others are at work with this one
                    continue
                facts.dimensions = self._dimensions
                work = partial(self._take_in, facts, known, changes)
                if await self._do_locked(facts, work, _is_much(facts, changes)):
                    break
        finally:
            self._cache.weigh(user_id, facts)
        return facts

    def _take_in(self, facts: UserFacts, known: Known, changes: Changes) -> bool:
        complete = facts.apply(known, changes)
        self._cache.weigh(facts.user_id, facts)  # a thread may outlive the call that waits for it
        return complete

    async def _mark(self, user_id: str) -> None:
        """Make the marks of facts that have none: those of an older goldfish, or reembedded."""
        complete = False
        while not complete:
            after, more = 0, True
            while more:
                rows = await self._backend.unmarked(user_id, after)
                marked = await offload(mark_all, rows, self._dimensions)
                complete = await self._backend.mark(user_id, marked)
                more = len(rows) == STEP
                after = rows[-1].seq if rows else 0

    async def _read_metadata(self, facts: UserFacts, wanted: Filter) -> None:
        """Make sure that this process knows the metadata which the filter asks for."""
        after = facts.find_unread(wanted)
        if after is not None:
            bases = await self._backend.bases(facts.user_id, after)
            await self._use(facts, partial(facts.read_metadata, bases), long=len(bases) > SOME)
            self._cache.weigh(facts.user_id, facts)

    async def _search(
        self, facts: UserFacts, question: "Question", wanted: Filter, offset: int, limit: int
    ) -> "list[Hit] | None":
        """Return the best facts; None if the backend knows them no longer as this process does."""
        from goldfish.stores.facts.ranking import Search

        search = Search(question, offset, offset + limit)
        work = partial(facts.search, search, wanted)
        found = await self._use(facts, work)
        if found is not None and found[0]:
            vectors = await self._backend.vectors(facts.user_id, found[0])
            await self._use(facts, partial(facts.learn, vectors), long=len(vectors) > SOME)
            self._cache.weigh(facts.user_id, facts)
            found = await self._use(facts, work)
        return None if found is None or found[0] else found[1]

    async def _read_hits(
        self, facts: UserFacts, hits: "Sequence[Hit]", supposed: Known | None, *, exact: bool
    ) -> list[Recollection] | None:
        """Return the facts as they are; None if one is not what was found any more.

        None as well if the user's facts are not those that this process ``supposed`` there were.
        """
        user_id, seqs = facts.user_id, [hit.seq for hit in hits]
        if supposed is not None:
            found = await self._backend.read_unchanged(user_id, supposed, seqs)
            facts.is_quiet = found is not None
            if found is None or facts.is_any_over(found.now):
                return None
            stored = found.stored
        else:
            stored = await self._backend.read(user_id, seqs) if seqs else []
        by_seq = {each.row.seq: each for each in stored}
        if exact and any(
            hit.seq not in by_seq or by_seq[hit.seq].row.said_at != hit.said_at for hit in hits
        ):
            return None
        there = [hit for hit in hits if hit.seq in by_seq]
        built = await _build_all(user_id, [by_seq[hit.seq] for hit in there])
        return [
            build(Recollection, {"fact": fact, "score": hit.score, "why": hit.why})
            for fact, hit in zip(built, there, strict=True)
        ]

    async def _use(
        self, facts: UserFacts, work: Callable[[], T], *, long: bool = False, light: bool = False
    ) -> T:
        """Do the work while nobody changes what is known of the user."""
        return await self._do_locked(facts, work, long or (len(facts) > MANY and not light))

    async def _do_locked(self, facts: UserFacts, work: Callable[[], T], large: bool) -> T:
        """Do the work with the lock: in a thread if it is much, or if one has to wait for it."""

        def work_locked() -> T:
            with facts.lock:
                facts.refuse_lost()
                return work()

        if large or not facts.lock.acquire(blocking=False):
            return await offload(work_locked)
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
    return await offload(work, text) if len(text) > LONG else work(text)


async def _build_all(user_id: str, stored: Sequence[Stored]) -> list[Fact]:
    """Return the facts as callers see them, made in a thread if they are many."""

    def build_all() -> list[Fact]:
        return [build_stored(user_id, each) for each in stored]

    return await offload(build_all) if len(stored) > SOME else build_all()


def _is_much(facts: UserFacts, changes: Changes) -> bool:
    """Return whether these changes take more than a few ms to take in."""
    return len(changes.marks) > SOME or (changes.alive is not None and len(facts) > MANY)


def _new_epoch() -> int:
    return int.from_bytes(os.urandom(6)) + 1
