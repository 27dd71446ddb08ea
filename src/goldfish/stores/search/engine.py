"""Searches of what was said, over any backend.

Messages are embedded with the write. One that was written without (by a store that does not
search, or before searching was switched on) is embedded when it is first searched.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from goldfish.encoding import decode_messages
from goldfish.errors import MemoryStoreBackendError
from goldfish.messages import ChatMessage, Found
from goldfish.stores.retrieval.cache import IndexCache
from goldfish.stores.retrieval.embedder import LazyEmbedder, refuse_other_models
from goldfish.stores.retrieval.names import Label, find_named, put_in_first_person
from goldfish.stores.retrieval.times import asks_when, find_spans
from goldfish.stores.retrieval.words import split_words
from goldfish.stores.search.backend import VECTORS, Embedded, Known, Reading, SearchBackend
from goldfish.stores.search.traits import join_text, read_traits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from goldfish.stores.search.index import SessionIndex
    from goldfish.stores.search.ranking import Question

STALE = Known("stale")  # what no backend says, so that the next reading is of all

Sessions = Sequence["SessionIndex"]


class SearchEngine:
    """The searches of one store."""

    def __init__(self, backend: SearchBackend, embedder: LazyEmbedder) -> None:
        self._backend = backend
        self._embedder = embedder
        self._cache: IndexCache[SessionIndex] | None = None

    async def embed(self, messages: Sequence[ChatMessage]) -> Embedded | None:
        """Return the vectors of the messages, to be stored with them; None without an embedder."""
        model, dimensions = await self._embedder.prepare()
        if not dimensions:
            return None
        texts = [join_text(message) for message in messages]
        told = [text for text in texts if text.strip()]  # what is empty has no vectors
        made = iter(await self._embedder.encode_to_store(told, VECTORS))
        return Embedded(model, [next(made) if text.strip() else b"" for text in texts])

    async def search(self, session_ids: Sequence[str], query: str, limit: int) -> list[Found]:
        """Return the messages of these sessions that fit the query, best first."""
        sessions = await self._refresh(session_ids)
        names = await asyncio.to_thread(_find_named, sessions, query)
        vector = await self._embedder.encode(put_in_first_person(query, names))
        return await asyncio.to_thread(_search, sessions, query, names, vector, limit)

    async def forget_vectors(self) -> int:
        """Remove all vectors: messages are embedded anew when they are searched next."""
        return await self._backend.forget_vectors()

    async def _refresh(self, session_ids: Sequence[str]) -> "Sessions":
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
            if reading.known != wanted[reading.session_id]:
                index = sessions[reading.session_id]
                await self._take_in(cache, index, wanted[reading.session_id], reading)
        return all(sessions[each.session_id].known == each.known for each in readings)

    async def _take_in(
        self,
        cache: "IndexCache[SessionIndex]",
        index: "SessionIndex",
        asked: Known,
        reading: Reading,
    ) -> None:
        latest = {row.id: row for row in reading.rows}  # the same may be kept and said again
        reading = reading._replace(rows=sorted(latest.values(), key=lambda row: row.place))
        messages = await asyncio.to_thread(decode_messages, [row.body for row in reading.rows])
        vectors = await self._complete(reading, messages)

        def take_in() -> None:
            _take_in(index, asked, reading, messages, vectors)
            cache.weigh(index.session_id, index)  # this may outlive the call that waits for it

        await asyncio.to_thread(take_in)

    async def _complete(self, reading: Reading, messages: Sequence[ChatMessage]) -> list[bytes]:
        """Return the vectors of all rows; make those that are missing, and store them."""
        missing = [n for n, row in enumerate(reading.rows) if row.vectors is None]
        vectors = [row.vectors or b"" for row in reading.rows]
        embedded = await self.embed([messages[n] for n in missing]) if missing else None
        if embedded is None:
            return vectors
        for number, vector in zip(missing, embedded.vectors, strict=True):
            vectors[number] = vector
        lacking = reading._replace(rows=[reading.rows[n] for n in missing])
        with contextlib.suppress(MemoryStoreBackendError):  # it only saves the work next time
            await self._backend.embed(lacking, embedded)
        return vectors

    def _cache_for(self, dimensions: int) -> "IndexCache[SessionIndex]":
        from goldfish.stores.search.index import SessionIndex

        if self._cache is None:
            self._cache = IndexCache(lambda session_id: SessionIndex(session_id, dimensions))
        return self._cache


def _take_in(
    index: "SessionIndex",
    asked: Known,
    reading: Reading,
    messages: Sequence[ChatMessage],
    vectors: Sequence[bytes],
) -> None:
    """Bring the index up to date, unless another search has done so since the backend was asked.

    All is read before anything is added, so a damaged message leaves the index as it was.
    """
    rows = map(index.vectors.read, vectors)
    news = list(zip(reading.rows, map(read_traits, messages), rows, strict=True))
    with index.lock:
        index.refuse_lost()
        if index.known != asked:
            return
        if reading.since != Known() and not index.ids.isdisjoint(row.id for row in reading.rows):
            index.known = STALE  # what was trimmed is said again: all is read anew
            return
        with index.changing():
            if reading.since == Known():
                index.begin_anew()
            for each in news:
                index.add(*each)
            index.known = reading.known


def _find_named(sessions: "Sessions", query: str) -> list[Label]:
    """Return the people in these sessions whom the question names."""
    speakers: dict[Label, None] = {}
    for index in sessions:
        with index.lock:
            index.refuse_lost()
            speakers.update(dict.fromkeys(index.speakers))
    return find_named(query, speakers)


def _search(
    sessions: "Sessions",
    query: str,
    names: Sequence[Label],
    vector: "NDArray[np.float32] | None",
    limit: int,
) -> list[Found]:
    with contextlib.ExitStack() as locks:
        for index in sorted(sessions, key=lambda each: each.session_id):  # so none waits in a ring
            locks.enter_context(index.lock)
            index.refuse_lost()
        return _rank(sessions, _make_question(sessions, query, names, vector), limit)


def _make_question(
    sessions: "Sessions", query: str, names: Sequence[Label], vector: "NDArray[np.float32] | None"
) -> "Question":
    from goldfish.stores.search.ranking import Question, weigh_words

    counts = {
        word: sum(len(index.postings[word].slots) for index in sessions if word in index.postings)
        for word in _split_query(query, names)
    }
    messages = sum(map(len, sessions))
    length = sum(float(index.lengths.values.sum(dtype="f8")) for index in sessions) / max(
        1, messages
    )
    years = sorted({year for index in sessions for year in index.years})
    worth, spans = weigh_words(counts, messages), find_spans(query, years)
    return Question(worth, length or 1.0, vector, names, spans, asks_when(query))


def _split_query(query: str, names: Iterable[Label]) -> list[str]:
    """Return the words of the question; who is named in it counts as a speaker, not as a word."""
    spoken_of = {word for name in names for word in split_words(" ".join(name))}
    asked = list(dict.fromkeys(split_words(query)))
    return [word for word in asked if word not in spoken_of] or asked


def _rank(sessions: "Sessions", question: "Question", limit: int) -> list[Found]:
    import numpy as np

    from goldfish.stores.retrieval.scores import explain, rank
    from goldfish.stores.search.ranking import score

    scored = [score(index, question) for index in sessions]
    totals = np.concatenate([each.total() for each in scored]) if scored else np.empty(0, "f4")
    ends = np.cumsum([len(index) for index in sessions])
    found = []
    for place in rank(totals, np.arange(len(totals)), limit):
        at = int(np.searchsorted(ends, place, side="right"))
        number = int(place - (ends[at] - len(sessions[at])))
        found.append((sessions[at], number, explain(scored[at], number)))
    messages = decode_messages([index.bodies[number] for index, number, _ in found])
    return [
        Found(session_id=index.session_id, message=message, score=sum(why.values()), why=why)
        for (index, _, why), message in zip(found, messages, strict=True)
    ]
