"""Searches of what was said, over any backend.

Messages are embedded with the write. One that was written without (by a store that does not
search, or before searching was switched on) is embedded when it is first searched.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from goldfish.encoding import decode_messages
from goldfish.errors import MemoryStoreBackendError
from goldfish.messages import ChatMessage, Found
from goldfish.stores.retrieval.cache import IndexCache
from goldfish.stores.retrieval.embedder import LazyEmbedder, refuse_other_models
from goldfish.stores.retrieval.names import Label, find_named, put_in_first_person
from goldfish.stores.search.backend import (
    STEP,
    VECTORS,
    Embedded,
    Known,
    Places,
    Reading,
    Row,
    SearchBackend,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from goldfish.stores.search.index import SessionIndex
    from goldfish.stores.search.search import Hit

TRIES = 20  # to read what belongs together while others write
EXACT = 3  # the first tries insist that nothing has changed meanwhile


class SearchEngine:
    """The searches of one store."""

    def __init__(self, backend: SearchBackend, embedder: LazyEmbedder) -> None:
        self._backend = backend
        self._embedder = embedder
        self._cache: IndexCache[SessionIndex] | None = None

    async def embed(self, messages: Sequence[ChatMessage]) -> Embedded:
        """Return what the messages are found by, to be stored with them."""
        return await self._embed(messages, [None] * len(messages))

    async def search(self, session_ids: Sequence[str], query: str, limit: int) -> list[Found]:
        """Return the messages of these sessions that fit the query, best first."""
        asked: tuple[list[Label], NDArray[np.float32] | None] | None = None
        for turn in range(TRIES):
            sessions = await self._refresh(session_ids)
            names = await asyncio.to_thread(_find_named, sessions, query)
            if asked is None or asked[0] != names:
                asked = names, await self._embedder.encode(put_in_first_person(query, names))
            epochs = {each.session_id: each.known.epoch for each in sessions}
            exact = epochs if turn < EXACT else None
            hits = await self._find_best(sessions, query, *asked, limit, exact)
            found = None if hits is None else await self._read_hits(hits, exact)
            if found is not None:
                return found
        raise MemoryStoreBackendError(
            "the sessions changed each time that they were read: repeat the call"
        )

    async def forget_vectors(self) -> int:
        """Remove all vectors: messages are embedded anew when they are searched next."""
        return await self._backend.forget_vectors()

    async def _find_best(
        self,
        sessions: "Sequence[SessionIndex]",
        query: str,
        names: Sequence[Label],
        vector: "NDArray[np.float32] | None",
        limit: int,
        epochs: Mapping[str, str] | None,
    ) -> "list[Hit] | None":
        """Return the best messages; None if a session has changed meanwhile."""
        from goldfish.stores.search.search import Search

        make = partial(Search, sessions, query, names, vector, limit)
        search = await asyncio.to_thread(make)
        missing = search.find_missing()
        if missing:
            wanted = _ask(missing, epochs)
            vectors = await self._backend.vectors(wanted)
            await asyncio.to_thread(search.learn, _complete(wanted, vectors))
        return None if missing is None else await asyncio.to_thread(search.find_best)

    async def _read_hits(
        self, hits: "Sequence[Hit]", epochs: Mapping[str, str] | None
    ) -> list[Found] | None:
        """Return the messages that were found; None if one is not there any more."""
        places: dict[str, list[int]] = {}
        for hit in hits:
            places.setdefault(hit.session_id, []).append(hit.place)
        bodies = await self._backend.bodies(_ask(places, epochs)) if hits else {}
        there = [hit for hit in hits if hit.place in bodies.get(hit.session_id, {})]
        if epochs is not None and len(there) < len(hits):
            return None
        texts = [bodies[hit.session_id][hit.place] for hit in there]
        messages = await asyncio.to_thread(decode_messages, texts)
        return [
            Found(session_id=hit.session_id, message=each, score=sum(hit.why.values()), why=hit.why)
            for hit, each in zip(there, messages, strict=True)
        ]

    async def _refresh(self, session_ids: Sequence[str]) -> "list[SessionIndex]":
        """Return the sessions as they are now, or a moment later."""
        model, dimensions = await self._embedder.prepare()
        cache = self._cache_for(dimensions)
        sessions = {session_id: cache.get(session_id) for session_id in session_ids}
        try:
            while not await self._catch_up(cache, sessions, model):
                pass
        finally:
            for session_id, index in sessions.items():
                cache.weigh(session_id, index)
        return list(sessions.values())

    async def _catch_up(
        self, cache: "IndexCache[SessionIndex]", sessions: "dict[str, SessionIndex]", model: str
    ) -> bool:
        """Take in what was said since; return whether all is known that the backend told."""
        wanted = {key: index.known for key, index in sessions.items()}
        models, readings = await self._backend.read(wanted)
        refuse_other_models(models, model)
        for reading in readings:
            if not reading.marked:
                await self._mark(reading.session_id)
            elif reading.known != wanted[reading.session_id]:
                index, asked = sessions[reading.session_id], wanted[reading.session_id]
                work = partial(_take_in, cache, index, asked, reading)
                lacking = await asyncio.to_thread(work)
                for first in range(0, len(lacking), STEP):
                    await self._mark_again(reading, lacking[first : first + STEP])
        return all(
            each.marked and sessions[each.session_id].known == each.known for each in readings
        )

    async def _mark(self, session_id: str) -> None:
        """Make the marks of messages that have none."""
        after, more = -1, True
        while more:
            epoch, rows = await self._backend.unmarked(session_id, after)
            await self._store_marks(session_id, epoch, rows)
            more = len(rows) == STEP
            after = rows[-1].place if rows else after

    async def _mark_again(self, reading: Reading, places: Sequence[int]) -> None:
        """Make anew the marks of messages that were made without an embedder."""
        session_id, epoch = reading.session_id, reading.known.epoch
        wanted = {session_id: Places(epoch, places)}
        bodies = (await self._backend.bodies(wanted)).get(session_id, {})
        vectors = (await self._backend.vectors(wanted)).get(session_id, {})
        rows = [Row(place, body, vectors.get(place)) for place, body in bodies.items()]
        await self._store_marks(session_id, epoch, rows)

    async def _store_marks(self, session_id: str, epoch: str, rows: Sequence[Row]) -> None:
        messages = await asyncio.to_thread(decode_messages, [row.body for row in rows])
        embedded = await self._embed(messages, [row.vectors for row in rows])
        places = [row.place for row in rows]
        await self._backend.mark(session_id, epoch, places, embedded)

    async def _embed(
        self, messages: Sequence[ChatMessage], stored: Sequence[bytes | None]
    ) -> Embedded:
        """Return what the messages are found by; vectors are made for those that have none."""
        from goldfish.stores.search.traits import join_text

        model, dimensions = await self._embedder.prepare()
        vectors = list(stored)
        if dimensions:
            lacking = [n for n, vector in enumerate(stored) if vector is None]
            texts = {n: join_text(messages[n]) for n in lacking}
            told = [n for n, text in texts.items() if text.strip()]  # what is empty has no vectors
            made = await self._embedder.encode_to_store([texts[n] for n in told], VECTORS)
            for n in lacking:
                vectors[n] = b""
            for n, vector in zip(told, made, strict=True):
                vectors[n] = vector
        marks = await asyncio.to_thread(_make_marks, messages, vectors, dimensions)
        return Embedded(model, [vector or b"" for vector in vectors] if model else [], marks)

    def _cache_for(self, dimensions: int) -> "IndexCache[SessionIndex]":
        from goldfish.stores.search.index import SessionIndex

        if self._cache is None:
            self._cache = IndexCache(lambda session_id: SessionIndex(session_id, dimensions))
        return self._cache


def _make_marks(
    messages: Sequence[ChatMessage], vectors: Sequence[bytes | None], dimensions: int
) -> list[bytes]:
    from goldfish.stores.retrieval.marks import encode_all
    from goldfish.stores.search.traits import read_traits

    # A store that uses words alone does not know the length of vectors: their codes are not made.
    known = vectors if dimensions else [None] * len(messages)
    texts = [read_traits(*each) for each in zip(messages, known, strict=True)]
    return encode_all(texts, dimensions, VECTORS)


def _take_in(
    cache: "IndexCache[SessionIndex]", index: "SessionIndex", asked: Known, reading: Reading
) -> list[int]:
    """Bring the index up to date, unless another search has done so since the backend was asked.

    All is read before anything is added, so damaged marks leave the index as it was. If some were
    made without an embedder, which this store has, nothing is added: return the places of these.
    """
    from goldfish.stores.retrieval.marks import UNEMBEDDED, read_marks

    columns = read_marks(reading.marks, index.dimensions)
    lacking: list[int] = columns.seqs[(columns.flags & UNEMBEDDED) > 0].tolist()
    if index.dimensions and lacking:
        return lacking
    with index.lock:
        index.refuse_lost()
        if index.known == asked:
            with index.changing():
                if reading.since == Known():
                    index.begin_anew()
                if len(reading.marks):
                    index.add(columns)
                index.known = reading.known
    cache.weigh(index.session_id, index)  # this may outlive the call that waits for it
    return []


def _find_named(sessions: "Sequence[SessionIndex]", query: str) -> list[Label]:
    """Return the people in these sessions whom the question names."""
    return find_named(query, _Speakers(sessions))


class _Speakers:
    """All who speak in some sessions."""

    def __init__(self, sessions: "Sequence[SessionIndex]") -> None:
        self._sessions = sessions

    def __contains__(self, name: object) -> bool:
        return any(self._has(index, name) for index in self._sessions)

    def _has(self, index: "SessionIndex", name: object) -> bool:
        with index.lock:
            index.refuse_lost()
            return name in index


def _ask(
    places: Mapping[str, Sequence[int]], epochs: Mapping[str, str] | None
) -> dict[str, Places]:
    return {
        key: Places(None if epochs is None else epochs[key], some) for key, some in places.items()
    }


def _complete(
    wanted: Mapping[str, Places], vectors: Mapping[str, Mapping[int, bytes]]
) -> dict[str, dict[int, bytes]]:
    """Return the vectors; those that are gone are empty, if the epoch does not matter."""
    return {
        key: dict.fromkeys([] if asked.epoch else asked.places, b"") | dict(vectors.get(key, {}))
        for key, asked in wanted.items()
    }
