"""Facts in Redis: scripts write them, and tell readers what has changed.

Facts are ranked in the process (``facts/ranking.py``) by their marks: Redis without modules has no
search of its own, and Valkey none at all.
"""

import base64
import math
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

from goldfish.stores.facts.backend import (
    PAGE,
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
from goldfish.stores.redis.keys import as_bytes, as_text
from goldfish.stores.redis.marks import decode_marks
from goldfish.stores.redis.scripts import fact_names
from goldfish.stores.redis.scripts import facts as scripts
from goldfish.stores.redis.scripts.script import Evaluate
from goldfish.stores.retrieval.blocks import Marked


class RedisFacts:
    """A ``FactsBackend`` in Redis; ``users`` finds everybody who may have facts."""

    def __init__(self, evaluate: Evaluate, users: Callable[[], AsyncIterator[str]]) -> None:
        self._evaluate = evaluate
        self._users = users

    async def changes(self, user_id: str, known: Known) -> Changes:
        """Return what is new since."""
        values = [*(b"%d" % number for number in known), b"%d" % PAGE]
        found = await self._evaluate(scripts.CHANGES, user_id, values, writes=False)
        epoch, version, removals, model, now, marked, anew, told = found[0]
        return Changes(
            Known(int(epoch), int(version), int(removals)),
            as_text(model),
            int(now) / 1000,
            decode_marks(found[2]),
            {int(seq): float(end) / 1000 for seq, end in _groups(found[3], 2)},
            [int(seq) for seq in found[1]] if told else None,
            bool(anew),
            bool(marked),
        )

    async def find(self, user_id: str, fact_id: str) -> Stored | None:
        """Return one living fact."""
        values = [as_bytes(fact_id)]
        found = await self._evaluate(scripts.FIND, user_id, values, writes=False)
        return _decode_stored(found)[0] if found else None

    async def find_named(self, user_id: str, key: str) -> Named:
        """Return the living fact with the key of a name."""
        values = [as_bytes(key)]
        found = await self._evaluate(fact_names.FIND_NAMED, user_id, values, writes=False)
        lacks_names, row = found
        return Named(_decode_row(*row) if row else None, not lacks_names)

    async def page(self, user_id: str, offset: int, limit: int | None) -> list[Stored]:
        """Return living facts in the order in which they came."""
        values = [b"%d" % offset, b"%d" % (-1 if limit is None else limit)]
        return _decode_stored(await self._evaluate(scripts.PAGE, user_id, values, writes=False))

    async def read(self, user_id: str, seqs: list[int]) -> list[Stored]:
        """Return those of these facts that live."""
        values = [b"%d" % seq for seq in seqs]
        return _decode_stored(await self._evaluate(scripts.READ, user_id, values, writes=False))

    async def read_unchanged(self, user_id: str, known: Known, seqs: list[int]) -> Unchanged | None:
        """Do the same as of one moment; None if anything has changed since."""
        values = [b"%d" % number for number in (*known, *seqs)]
        found = await self._evaluate(scripts.READ_UNCHANGED, user_id, values, writes=False)
        return Unchanged(int(found[0]) / 1000, _decode_stored(found[1:])) if found else None

    async def vectors(self, user_id: str, seqs: list[int]) -> list[Vector]:
        """Return the vectors of those of these facts that are there."""
        values = [b"%d" % seq for seq in seqs]
        found = await self._evaluate(scripts.VECTORS, user_id, values, writes=False)
        return [
            Vector(int(seq), int(said_at), base64.b64decode(vectors))
            for seq, said_at, vectors in _groups(found, 3)
        ]

    async def bases(self, user_id: str, after: int) -> list[tuple[int, str]]:
        """Return number and base of each fact that came after a number."""
        values = [b"%d" % after]
        found = await self._evaluate(scripts.BASES, user_id, values, writes=False)
        return [(int(seq), as_text(base)) for seq, base in _groups(found, 2)]

    async def remember(self, user_id: str, new: New) -> Written:
        """Store the fact, or count the one with its key."""
        answer = await self._evaluate(scripts.REMEMBER, user_id, _encode_new(new))
        written = _decode_outcome(answer[:2])
        return written._replace(added=_decode_added(new, *answer[2:])) if answer[2:] else written

    async def replace(self, user_id: str, new: New, former: Sequence[str] | None = None) -> Written:
        """Store the fact, and remove those whose place it takes."""
        values = [*_encode_new(new), b"%d" % (former is not None), *map(as_bytes, former or ())]
        return _decode_outcome(await self._evaluate(fact_names.REPLACE, user_id, values))

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        """Replace the text and keep the old one as history."""
        texts = [fact_id, revised.key, revised.said, revised.model]
        values = [*map(as_bytes, texts), base64.b64encode(revised.vectors)]
        values += [as_bytes(revised.token or ""), base64.b64encode(revised.marks)]
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

    async def unmarked(self, user_id: str, after: int) -> list[Unmarked]:
        """Return the first facts beyond a number without marks of their text."""
        values = [b"%d" % after]
        found = await self._evaluate(scripts.UNMARKED, user_id, values, writes=False)
        return [
            Unmarked(
                int(seq), int(said_at), as_text(base), as_text(said), base64.b64decode(vectors)
            )
            for seq, said_at, base, said, vectors in _groups(found, 5)
        ]

    async def mark(self, user_id: str, marked: list[Marked]) -> bool:
        """Store marks of facts that say what they were made of."""
        values = []
        for each in marked:
            values += [b"%d" % each.seq, b"%d" % each.said_at, base64.b64encode(each.marks)]
        return bool(await self._evaluate(scripts.MARK, user_id, values))

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[Vector]
    ) -> bool:
        """Replace all vectors, unless anything has changed since."""
        values = [*(b"%d" % number for number in known), as_bytes(model), b"%d" % epoch]
        for each in vectors:
            values += [b"%d" % each.seq, base64.b64encode(each.vectors)]
        return bool(await self._evaluate(scripts.EMBED, user_id, values))


def _groups(values: list[Any], size: int) -> list[tuple[Any, ...]]:
    """Return the values in groups of this size."""
    return list(zip(*[iter(values)] * size, strict=True))


def _decode_stored(answer: list[Any]) -> list[Stored]:
    return [
        Stored(_decode_row(*row), [_decode_row(*other) for other in _groups(around, 4)])
        for row, around in _groups(answer, 2)
    ]


def _encode_new(new: New) -> list[bytes]:
    """Return what all scripts take that store a new fact."""
    ttl = "" if new.ttl is None else str(max(1, math.ceil(new.ttl * 1000)))
    texts = [new.id, new.key, new.base, new.said, ttl, new.model]
    values = [*map(as_bytes, texts), base64.b64encode(new.vectors), b"%d" % new.epoch]
    return [*values, as_bytes(new.token or ""), base64.b64encode(new.marks)]


def _decode_added(
    new: New, epoch: Any, version: Any, removals: Any, now: Any, marked: Any, deadline: Any
) -> Added:
    at, ends = int(version), int(deadline) / 1000 if deadline else None
    row = Row(at, at, at, new.id, new.base, new.said, 1, "[]", ends)
    return Added(Known(int(epoch), at, int(removals)), int(now) / 1000, bool(marked), row)


def _decode_row(seq: Any, changed: Any, deadline: Any, lines: Any) -> Row:
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
    )


def _decode_outcome(answer: list[Any]) -> Written:
    outcome, detail = map(as_text, answer)
    return Written(cast(Any, outcome), detail)
