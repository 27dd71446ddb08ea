"""Facts in Redis: scripts write them, and tell readers what has changed.

Words and vectors are searched in the process (``facts/ranking.py``): Redis without modules has no
search of its own, and Valkey none at all.
"""

import base64
import math
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

from goldfish.stores.facts.backend import PAGE, Changes, Known, New, Revised, Row, Written
from goldfish.stores.redis.keys import as_bytes, as_text
from goldfish.stores.redis.scripts import facts as scripts
from goldfish.stores.redis.scripts.script import Evaluate


class RedisFacts:
    """A ``FactsBackend`` in Redis; ``users`` finds everybody who may have facts."""

    def __init__(self, evaluate: Evaluate, users: Callable[[], AsyncIterator[str]]) -> None:
        self._evaluate = evaluate
        self._users = users

    async def changes(self, user_id: str, known: Known) -> Changes:
        """Return what is new since."""
        values = [*(b"%d" % number for number in known), b"%d" % PAGE]
        found = await self._evaluate(scripts.CHANGES, user_id, values, writes=False)
        epoch, version, removals, model, now, more, told = found[0]
        return Changes(
            Known(int(epoch), int(version), int(removals)),
            as_text(model),
            int(now) / 1000,
            _decode_rows(found[2]),
            [int(seq) for seq in found[1]] if told else None,
            bool(more),
        )

    async def remember(self, user_id: str, new: New) -> Written:
        """Store the fact, or count the one with its key."""
        ttl = "" if new.ttl is None else str(max(1, math.ceil(new.ttl * 1000)))
        texts = [new.id, new.key, new.base, new.said, ttl, new.model]
        values = [*map(as_bytes, texts), base64.b64encode(new.vectors), b"%d" % new.epoch]
        values.append(as_bytes(new.token or ""))
        return _decode_outcome(await self._evaluate(scripts.REMEMBER, user_id, values))

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        """Replace the text and keep the old one as history."""
        texts = [fact_id, revised.key, revised.said, revised.model]
        values = [*map(as_bytes, texts), base64.b64encode(revised.vectors)]
        values.append(as_bytes(revised.token or ""))
        return _decode_outcome(await self._evaluate(scripts.REVISE, user_id, values))

    async def link(self, user_id: str, fact_id: str, said_at: int, near: str) -> None:
        """Note which facts it resembles."""
        values = [as_bytes(fact_id), b"%d" % said_at, as_bytes(near)]
        await self._evaluate(scripts.LINK, user_id, values)

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove the fact and its history."""
        await self._evaluate(scripts.FORGET, user_id, [as_bytes(fact_id)])

    async def forget_all(self, user_id: str) -> None:
        """Remove all that there is of the user."""
        await self._evaluate(scripts.FORGET_ALL, user_id, [])

    async def history(self, user_id: str, fact_id: str) -> list[str]:
        """Return what the fact said before."""
        values = [as_bytes(fact_id)]
        past = await self._evaluate(scripts.HISTORY, user_id, values, writes=False)
        return as_text(past).split("\n") if past else []

    async def users(self) -> list[str]:
        """Return everybody who may have facts."""
        return sorted([user_id async for user_id in self._users()])

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[tuple[int, bytes]]
    ) -> bool:
        """Replace all vectors, unless anything has changed since."""
        values = [*(b"%d" % number for number in known), as_bytes(model), b"%d" % epoch]
        for seq, stored in vectors:
            values += [b"%d" % seq, base64.b64encode(stored)]
        return bool(await self._evaluate(scripts.EMBED, user_id, values))


def _decode_rows(values: list[Any]) -> list[Row]:
    return [_decode_row(*values[first : first + 5]) for first in range(0, len(values), 5)]


def _decode_row(seq: Any, changed: Any, deadline: Any, lines: Any, vectors: Any) -> Row:
    fact_id, _, said_at, times_seen, near, base, said = as_text(lines).split("\n")
    return Row(
        int(seq),
        int(float(changed)),
        int(said_at),
        fact_id,
        base,
        said,
        int(times_seen),
        near,
        float(deadline) / 1000 if deadline else None,
        base64.b64decode(vectors),
    )


def _decode_outcome(answer: list[Any]) -> Written:
    outcome, detail = map(as_text, answer)
    return Written(cast(Any, outcome), detail)
