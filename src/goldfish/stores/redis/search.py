"""The backend of searches in Redis."""

import base64
import os
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from goldfish.stores.redis.keys import as_bytes, as_text
from goldfish.stores.redis.scripts import search as scripts
from goldfish.stores.redis.scripts.script import Evaluate
from goldfish.stores.retrieval.embedder import mismatch_error
from goldfish.stores.search.backend import Embedded, Known, Reading, Readings, Row

AT_ONCE = 500  # vectors: a script has no room for all of a long history

Sessions = Callable[[], AsyncIterator[str]]


class RedisSearch:
    """The messages under one prefix, with their vectors; ``evaluate`` runs a session's script."""

    def __init__(self, evaluate: Evaluate, sessions: Sessions) -> None:
        self._evaluate = evaluate
        self._sessions = sessions

    async def append(self, session_id: str, values: list[bytes], embedded: Embedded) -> None:
        """Add messages and their vectors; ``values`` are those of an append without."""
        vectors = [base64.b64encode(each) for each in embedded.vectors]
        more = [*vectors, b"%d" % len(vectors), new_epoch(), as_bytes(embedded.model)]
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

    async def embed(self, reading: Reading, embedded: Embedded) -> None:
        """Store the vectors of the reading's rows, unless the session's epoch has changed."""
        pairs = list(zip(reading.rows, embedded.vectors, strict=True))
        for first in range(0, len(pairs), AT_ONCE):
            values = [as_bytes(reading.known.epoch), as_bytes(embedded.model)]
            for row, vectors in pairs[first : first + AT_ONCE]:
                values += [b"%d" % row.place, base64.b64encode(vectors)]
            answer = await self._evaluate(scripts.EMBED, reading.session_id, values)
            _refuse_other_model(answer, embedded.model)

    async def forget_vectors(self) -> int:
        """Remove the vectors of all messages, and the name of their model; return how many."""
        return sum(
            [int(await self._evaluate(scripts.FORGET, each, [])) async for each in self._sessions()]
        )

    async def _read(self, session_id: str, known: Known) -> list[Any]:
        values = [as_bytes(known.epoch), b"%d" % known.newest, new_epoch()]
        answer: list[Any] = await self._evaluate(scripts.READ, session_id, values)
        return answer


def _decode_reading(session_id: str, answer: list[Any]) -> Reading:
    if not answer:
        return Reading(session_id, Known(), Known(), ())
    epoch, newest, since = as_text(answer[0]), int(answer[1]), int(answer[2])
    fields = answer[4:]
    said = [
        Row(int(place), as_text(each), as_text(body), vectors and base64.b64decode(vectors))
        for place, each, body, vectors in zip(*(fields[n::4] for n in range(4)), strict=True)
    ]
    said.sort(key=lambda row: row.place)
    before = Known() if since == -1 else Known(epoch, since)
    return Reading(session_id, before, Known(epoch, newest), said)


def _refuse_other_model(answer: Any, model: str) -> None:
    if answer:
        raise mismatch_error(as_text(answer), model)


def new_epoch() -> bytes:
    """Return an epoch that no session has had before."""
    return os.urandom(8).hex().encode()
