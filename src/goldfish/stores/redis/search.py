"""The backend of searches in Redis."""

import base64
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from goldfish.stores.redis.keys import as_bytes, as_text
from goldfish.stores.redis.marks import decode_marks
from goldfish.stores.redis.scripts import search as scripts
from goldfish.stores.redis.scripts.script import Evaluate
from goldfish.stores.retrieval.embedder import mismatch_error
from goldfish.stores.search.backend import (
    Embedded,
    Known,
    Places,
    Reading,
    Readings,
    Row,
    Unmarked,
    reading_of_nothing,
)

Sessions = Callable[[], AsyncIterator[str]]


class RedisSearch:
    """The messages under one prefix, and what they are found by.

    ``evaluate`` runs a script on a session.
    """

    def __init__(self, evaluate: Evaluate, sessions: Sessions) -> None:
        self._evaluate = evaluate
        self._sessions = sessions

    async def append(self, session_id: str, values: list[bytes], embedded: Embedded) -> None:
        """Add messages and what they are found by; ``values`` are those of an append without."""
        more = [base64.b64encode(each) for each in (*embedded.vectors, *embedded.marks)]
        more += [b"%d" % len(embedded.marks), new_epoch(), as_bytes(embedded.model)]
        _refuse_other_model(
            await self._evaluate(scripts.APPEND, session_id, values + more), embedded.model
        )

    async def read(self, wanted: Mapping[str, Known]) -> Readings:
        """Return what these sessions hold beyond what is known; nothing for a missing one."""
        answers = [await self._read(session_id, known) for session_id, known in wanted.items()]
        models = frozenset(as_text(answer[3]) for answer in answers if answer and answer[3])
        pairs = zip(wanted, answers, strict=True)
        return Readings(
            models, [_decode_reading(session_id, answer) for session_id, answer in pairs]
        )

    async def vectors(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, bytes]]:
        """Return the vectors of messages by place."""
        found = {}
        for session_id, asked in wanted.items():
            answer = await self._evaluate(scripts.VECTORS, session_id, _encode_places(asked))
            pairs = zip(asked.places, answer or [], strict=answer is not None)
            found[session_id] = {
                place: base64.b64decode(each) for place, each in pairs if each is not None
            }
        return found

    async def bodies(self, wanted: Mapping[str, Places]) -> dict[str, dict[int, str]]:
        """Return messages by place."""
        found = {}
        for session_id, asked in wanted.items():
            answer = await self._evaluate(scripts.BODIES, session_id, _encode_places(asked)) or []
            pairs = zip(answer[::2], answer[1::2], strict=True)
            found[session_id] = {int(place): as_text(body) for place, body in pairs}
        return found

    async def unmarked(self, session_id: str, after: int) -> Unmarked:
        """Return the first messages beyond a place without marks."""
        answer = await self._evaluate(scripts.UNMARKED, session_id, [b"%d" % after])
        if not answer:
            return Unmarked("", ())
        epoch, *fields = answer
        rows = [
            Row(int(place), as_text(body), None if vectors is None else base64.b64decode(vectors))
            for place, body, vectors in zip(*(fields[n::3] for n in range(3)), strict=True)
        ]
        return Unmarked(as_text(epoch), rows)

    async def mark(
        self, session_id: str, epoch: str, places: Sequence[int], embedded: Embedded
    ) -> None:
        """Store what these messages are found by, unless the session's epoch has changed."""
        values = [as_bytes(epoch), as_bytes(embedded.model)]
        vectors = embedded.vectors if embedded.model else [b""] * len(places)
        for place, *each in zip(places, vectors, embedded.marks, strict=True):
            values += [b"%d" % place, *map(base64.b64encode, each)]
        answer = await self._evaluate(scripts.MARK, session_id, values)
        _refuse_other_model(answer, embedded.model)

    async def forget_vectors(self) -> int:
        """Remove vectors and marks of all messages, and the name of the model."""
        return sum(
            [int(await self._evaluate(scripts.FORGET, each, [])) async for each in self._sessions()]
        )

    async def _read(self, session_id: str, known: Known) -> list[Any]:
        values = [as_bytes(known.epoch), b"%d" % known.newest, new_epoch()]
        answer: list[Any] = await self._evaluate(scripts.READ, session_id, values)
        return answer


def _encode_places(asked: Places) -> list[bytes]:
    return [as_bytes(asked.epoch or ""), *(b"%d" % place for place in asked.places)]


def _decode_reading(session_id: str, answer: list[Any]) -> Reading:
    if not answer:
        return reading_of_nothing(session_id)
    epoch, newest, since = as_text(answer[0]), int(answer[1]), int(answer[2])
    before = Known() if since == -1 else Known(epoch, since)
    marks = decode_marks(answer[5:], after=since)
    return Reading(session_id, before, Known(epoch, newest), marks, bool(int(answer[4])))


def _refuse_other_model(answer: Any, model: str) -> None:
    if answer:
        raise mismatch_error(as_text(answer), model)


def new_epoch() -> bytes:
    """Return an epoch that no session has had before."""
    return os.urandom(8).hex().encode()
