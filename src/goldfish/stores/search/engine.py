"""Searching what was said, over any chronicle: the one way through, whatever the backend.

The backend has the truth. Before each answer it is asked what was said since, which usually is
nothing; so a message that any process has written is found by the next search in every other.
Messages are embedded with the write. One that was written without (by a store that does not
search, or before searching was switched on) is embedded when it is first searched.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from goldfish.encoding import decode_messages
from goldfish.errors import MemoryStoreBackendError
from goldfish.messages import ChatMessage, Found
from goldfish.stores.retrieval.cache import IndexCache
from goldfish.stores.retrieval.embedder import LazyEmbedder, mismatch_error
from goldfish.stores.retrieval.names import in_first_person
from goldfish.stores.retrieval.people import Name, named_in
from goldfish.stores.retrieval.times import asks_when, spans
from goldfish.stores.retrieval.words import words
from goldfish.stores.search.backend import Embedded, Known, Reading, SearchBackend
from goldfish.stores.search.traits import join_text, read_traits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from goldfish.embedding.embedder import Embedder
    from goldfish.stores.search.index import SessionIndex
    from goldfish.stores.search.ranking import Question

AT_ONCE = 64  # texts that are embedded in one go

STALE = Known("stale")  # what no backend says, so that the next reading is of all

Sessions = Sequence["SessionIndex"]


class SearchEngine:
    """What was said in the sessions of one store."""

    def __init__(self, backend: SearchBackend, meaning: LazyEmbedder) -> None:
        self._backend = backend
        self._meaning = meaning
        self._cache: IndexCache[SessionIndex] | None = None

    async def embedded(self, messages: Sequence[ChatMessage]) -> Embedded | None:
        """The vectors of the messages, to be stored with them; None without an embedder."""
        model, _ = await self._meaning.prepare()
        embedder = self._meaning.embedder()
        if embedder is None:
            return None
        texts = [join_text(message) for message in messages]
        return Embedded(model, await asyncio.to_thread(_vectors, embedder, texts))

    async def search(self, session_ids: Sequence[str], query: str, limit: int) -> list[Found]:
        """The messages of these sessions that fit the query, best first."""
        sessions = await self._fresh(session_ids)
        names = await asyncio.to_thread(_named, sessions, query)
        vector = await self._meaning.vectors([in_first_person(query, names)])
        asked = None if vector is None else vector[0]
        return await asyncio.to_thread(_search, sessions, query, names, asked, limit)

    async def forget_vectors(self) -> int:
        """Remove all vectors: messages are embedded anew when they are searched next."""
        return await self._backend.forget_vectors()

    async def _fresh(self, session_ids: Sequence[str]) -> "Sessions":
        """The sessions as they are now, or a moment later."""
        model, dimensions = await self._meaning.prepare()
        cache = self._cache_of(dimensions)
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
        """Take in what was said since; whether all is known that the backend told."""
        wanted = {key: index.known for key, index in sessions.items()}
        chapter = await self._backend.read(wanted)
        _refuse_mixing(chapter.models, model)
        for reading in chapter.readings:
            if reading.known != wanted[reading.session_id]:
                index = sessions[reading.session_id]
                await self._take_in(cache, index, wanted[reading.session_id], reading)
        return all(sessions[each.session_id].known == each.known for each in chapter.readings)

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
        vectors = await self._completed(reading, messages)

        def take_in() -> None:
            _take_in(index, asked, reading, messages, vectors)
            cache.weigh(index.session_id, index)  # this may outlive the call that waits for it

        await asyncio.to_thread(take_in)

    async def _completed(self, reading: Reading, messages: Sequence[ChatMessage]) -> list[bytes]:
        """The vectors of all rows; those that are missing are made, and stored for next time."""
        missing = [n for n, row in enumerate(reading.rows) if row.vectors is None]
        vectors = [row.vectors or b"" for row in reading.rows]
        embedded = await self.embedded([messages[n] for n in missing]) if missing else None
        if embedded is None:
            return vectors
        for number, vector in zip(missing, embedded.vectors, strict=True):
            vectors[number] = vector
        lacking = reading._replace(rows=[reading.rows[n] for n in missing])
        with contextlib.suppress(MemoryStoreBackendError):  # it only saves the work next time
            await self._backend.embed(lacking, embedded)
        return vectors

    def _cache_of(self, dimensions: int) -> "IndexCache[SessionIndex]":
        from goldfish.stores.search.index import SessionIndex

        if self._cache is None:
            self._cache = IndexCache(lambda session_id: SessionIndex(session_id, dimensions))
        return self._cache


def _vectors(embedder: "Embedder", texts: Sequence[str]) -> list[bytes]:
    """Each text as vectors, as they are stored; several if it is long, none if it is empty."""
    from goldfish.embedding import excerpts
    from goldfish.stores.search.index import stored

    cut = [excerpts(embedder, text) if text.strip() else [] for text in texts]
    flat = [piece for each in cut for piece in each]
    chunks = [flat[at : at + AT_ONCE] for at in range(0, len(flat), AT_ONCE)]
    taken = (row for chunk in chunks for row in embedder.encode(chunk))
    return [stored([next(taken) for _ in each]) for each in cut]


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
    read = zip(reading.rows, map(read_traits, messages), map(index.read, vectors), strict=True)
    news = list(read)
    with index.lock:
        index.refuse_lost()
        if index.known != asked:
            return
        if reading.since != Known() and not index.ids.isdisjoint(row.id for row in reading.rows):
            index.known = STALE  # what was trimmed is said again: all is read anew
            return
        try:
            if reading.since == Known():
                index.begin_anew()
            for row, said, rows in news:
                index.add(row, said, rows)
            index.known = reading.known
        except BaseException:
            index.lose()
            raise


def _named(sessions: "Sessions", query: str) -> list[Name]:
    """The people in these sessions whom the question names."""
    speakers: dict[Name, None] = {}
    for index in sessions:
        with index.lock:
            index.refuse_lost()
            speakers.update(dict.fromkeys(index.speakers))
    return named_in(query, speakers)


def _search(
    sessions: "Sessions",
    query: str,
    names: Sequence[Name],
    vector: "NDArray[np.float32] | None",
    limit: int,
) -> list[Found]:
    with contextlib.ExitStack() as locks:
        for index in sorted(sessions, key=lambda each: each.session_id):  # so none waits in a ring
            locks.enter_context(index.lock)
            index.refuse_lost()
        return _ranked(sessions, _question(sessions, query, names, vector), limit)


def _question(
    sessions: "Sessions", query: str, names: Sequence[Name], vector: "NDArray[np.float32] | None"
) -> "Question":
    from goldfish.stores.search.ranking import Question, worth_of

    counts: Counter[str] = Counter()
    for word in _words(query, names):
        counts[word] = sum(
            len(index.postings[word].slots) for index in sessions if word in index.postings
        )
    messages = sum(map(len, sessions))
    length = sum(float(index.lengths.sum(dtype="f8")) for index in sessions) / max(1, messages)
    years = sorted({year for index in sessions for year in index.years})
    worth = worth_of(counts, messages)
    return Question(worth, length or 1.0, vector, names, spans(query, years), asks_when(query))


def _words(query: str, names: Iterable[Name]) -> list[str]:
    """The words of the question; who is named in it counts as a speaker, not as a word."""
    spoken_of = {word for name in names for word in words(" ".join(name))}
    asked = list(dict.fromkeys(words(query)))
    return [word for word in asked if word not in spoken_of] or asked


def _ranked(sessions: "Sessions", question: "Question", limit: int) -> list[Found]:
    import numpy as np

    from goldfish.stores.retrieval.scores import best
    from goldfish.stores.search.ranking import parts

    scored = [parts(index, question) for index in sessions]
    totals = np.concatenate([each.total() for each in scored]) if scored else np.empty(0, "f4")
    ends = np.cumsum([len(index) for index in sessions])
    found = []
    for place in best(totals, np.arange(len(totals)), limit):
        at = int(np.searchsorted(ends, place, side="right"))
        number = int(place - (ends[at] - len(sessions[at])))
        found.append((sessions[at], number, scored[at].why(number)))
    messages = decode_messages([index.bodies[number] for index, number, _ in found])
    return [
        Found(session_id=index.session_id, message=message, score=sum(why.values()), why=why)
        for (index, _, why), message in zip(found, messages, strict=True)
    ]


def _refuse_mixing(stored: frozenset[str], model: str) -> None:
    for other in stored - {model} if model else ():
        raise mismatch_error(other, model)
