"""The store over Redis or Valkey, single or cluster."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from goldfish.encoding import decode_messages, decode_value, encode_value
from goldfish.errors import MemoryStoreBackendError
from goldfish.messages import Snapshot
from goldfish.stores import arguments
from goldfish.stores.base import Forked, Row
from goldfish.stores.observation import Observation
from goldfish.stores.redis.calls import confirm_command, limit_whole_call
from goldfish.stores.redis.channel import Channel
from goldfish.stores.redis.evaluation import RedisEvaluation
from goldfish.stores.redis.examination import Examined, examine
from goldfish.stores.redis.facts import RedisFacts
from goldfish.stores.redis.keys import SESSION, USER, as_bytes
from goldfish.stores.redis.scripts import messages, snapshots, state, user
from goldfish.stores.redis.scripts.parts import NAMES
from goldfish.stores.redis.search import RedisSearch, new_epoch
from goldfish.stores.redis.state import flatten, unflatten
from goldfish.stores.search.backend import Embedded
from goldfish.stores.searching import SearchingStore
from goldfish.stores.stating import Named

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder
    from goldfish.stores.redis.channel import Client

LOOKS_AT_ONCE = 20  # a client of the caller's may have few connections
_STATE = b"%d" % (NAMES.index(b"state") + 1)  # as Lua counts


class RedisMemoryStore(RedisEvaluation, SearchingStore):
    """Messages in Redis: every write is one script, so it happens as a whole or not at all.

    A write that returned is as durable as the server is configured to be. ``wait_replicas=n``
    makes a write return only when n replicas have it, ``wait_aof=True`` when the server has synced
    it to its append-only file.

    Give a URL, or any redis-py asyncio client of your own (also a cluster client, with or without
    ``decode_responses``): that client stays yours to close. With a URL, a call waits at most
    ``timeout`` seconds for the server, and is never sent twice by itself.

    With ``read_url``, a replica's, ``get_history``, ``list_sessions``, ``get_ttl``, ``get_state``
    and ``list_snapshots`` are answered from there, and may lack the latest writes.

    Keys that the server evicted are an error, never an answer: docs/production.md has the limits.

    With ``search`` what was said can be searched, with ``keep_trimmed`` also what a trim removed.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        redis_client: "Client | None" = None,
        read_url: str | None = None,
        ttl: float | None = None,
        prefix: str = "goldfish",
        wait_replicas: int = 0,
        wait_aof: bool = False,
        timeout: float = 10.0,
        embedder: "Embedder | Literal['default'] | None" = "default",
        search: bool = False,
        keep_trimmed: bool = False,
    ) -> None:
        SearchingStore.__init__(
            self, ttl=ttl, embedder=embedder, search=search, keep_trimmed=keep_trimmed
        )
        limit = arguments.require_seconds(timeout, "timeout")
        confirm = confirm_command(wait_replicas, wait_aof, limit)
        RedisEvaluation.__init__(self, url, redis_client, read_url, prefix, limit, confirm)

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        values = self._encode_rows(rows)
        if embedded is None:
            await self._evaluate_write(messages.APPEND, session_id, values)
        else:
            await self._search_backend().append(session_id, values, embedded)

    async def _append_and_read(
        self, session_id: str, rows: list[Row], embedded: Embedded | None, last: int
    ) -> Sequence[Any]:
        if embedded is not None:
            return await super()._append_and_read(session_id, rows, embedded, last)
        values = [*self._encode_rows(rows), b"%d" % last]
        found = await self._evaluate_write(messages.APPEND_AND_READ, session_id, values)
        return cast(Sequence[Any], found)

    def _encode_rows(self, rows: list[Row]) -> list[bytes]:
        """Return what the scripts that append take."""
        ids = [as_bytes(message_id) for message_id, _ in rows]
        return [_encode_milliseconds(self._ttl), *ids, *(body.encode() for _, body in rows)]

    async def _read(
        self, session_id: str, last: int | None, channel: Channel | None = None
    ) -> Sequence[Any]:
        channel, due = channel or self._read_channel, self._due()
        first = 0 if last is None else -last
        command = "LRANGE", self._keys.one(session_id, b"log"), first, -1
        try:
            found = cast(Sequence[Any], await self._ask(channel, command, due))
            if found:  # a list is there as a whole or not at all, so this is all there is
                return found
        except MemoryStoreBackendError as error:
            if "WRONGTYPE" not in str(error.__cause__):
                raise
        found = await self._look_up(
            snapshots.READ, session_id, [b"%d" % first], channel=channel, due=due
        )
        return cast(Sequence[Any], found)

    async def _read_to_trim(self, session_id: str) -> Sequence[Any]:
        return await self._read(session_id, None, self._channel)

    async def _keep_last(self, session_id: str, keep: int) -> int:
        values = [b"%d" % keep]
        if self._keep_trimmed:
            values.append(new_epoch())
            return int(await self._evaluate(messages.KEEP_LAST.full, session_id, values))
        return int(await self._evaluate_write(messages.KEEP_LAST, session_id, values))

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        values = [as_bytes(message_id) for message_id in ids]
        if trimmed and self._keep_trimmed:
            values.insert(0, new_epoch())
            return int(await self._evaluate(messages.REMOVE.full, session_id, values))
        values.insert(0, b"" if trimmed else b"-")
        return int(await self._evaluate_write(messages.REMOVE, session_id, values))

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        if snapshots:
            self._with_snapshots.discard(session_id)
            keys = self._keys.of_session(session_id)
            await self._send_script(messages.REMOVE_KEYS, keys, [])
        else:
            await self._evaluate_write(messages.CLEAR, session_id, [])

    async def _clear_all(self) -> None:
        self._with_snapshots.clear()
        # One by one: a cluster keeps them apart.
        async for session_id in self._list_owners(SESSION):
            keys = self._keys.of_session(session_id)
            await self._send_script(messages.REMOVE_KEYS, keys, [])
        async for found in self._scan("state*", USER):
            for user_id in {self._keys.owner(as_bytes(key))[0] for key in found}:
                names = self._keys.of_user(user_id, state.USER_NAMES)
                await self._send_script(messages.REMOVE_KEYS, names, [])

    async def _sessions(self, prefix: str) -> list[str]:
        names: dict[str, set[bytes]] = {}
        async for keys in self._scan("*", prefix=prefix, channel=self._read_channel):
            for key in keys:
                session_id, name = self._keys.owner(as_bytes(key))
                names.setdefault(session_id, set()).add(name)
        sure = {each for each, there in names.items() if _has_messages(there)}
        unsure = [each for each in names if each not in sure]
        for first in range(0, len(unsure), LOOKS_AT_ONCE):
            some = unsure[first : first + LOOKS_AT_ONCE]
            looks = await asyncio.gather(*(self._look(each) for each in some))
            sure.update(each for each, (many, _) in zip(some, looks, strict=True) if many)
        return list(sure)

    async def _look(self, session_id: str) -> tuple[int, int]:
        """Return the number of messages, and the ms that are left, or 0 without a deadline."""
        many, left = await self._look_up(snapshots.LOOK, session_id, [])
        return int(many), int(left)

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        values = [_encode_milliseconds(seconds)]
        await self._evaluate_write(messages.SET_TTL, session_id, values)

    async def _get_ttl(self, session_id: str) -> float | None:
        _, left = await self._look(session_id)
        return left / 1000 if left else None

    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        note = encode_value([label, created_at.isoformat()])
        self._expect_snapshots(session_id)
        await self._evaluate(snapshots.SAVE, session_id, [as_bytes(snapshot_id), note.encode()])

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        return bool(await self._evaluate(snapshots.ROLLBACK, session_id, [as_bytes(snapshot_id)]))

    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        found = await self._look_up(snapshots.LIST, session_id, [])
        pairs = zip(found[::2], found[1::2], strict=True)
        return [
            _decode_snapshot(session_id, as_bytes(key), as_bytes(known)) for key, known in pairs
        ]

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self._with_snapshots.discard(session_id)  # the next write will see
        await self._evaluate(snapshots.DELETE, session_id, [as_bytes(snapshot_id)])

    @limit_whole_call
    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        """Fork in two steps, because a cluster may keep the sessions apart."""
        if token is not None and await self._is_begun(new_session_id, token):
            return "done"
        found = await self._evaluate(
            snapshots.SHOW, session_id, [as_bytes(snapshot_id)], writes=False
        )
        if not found:
            return "not found"
        left, state, *bodies = map(as_bytes, found)
        ids = [as_bytes(message.id) for message in decode_messages(bodies)] if bodies else []
        values = [as_bytes(token or ""), state, left, *ids, *bodies]
        begun = await self._evaluate(messages.BEGIN_FORK, new_session_id, values)
        return "done" if begun else "not empty"

    async def _is_begun(self, session_id: str, token: str) -> bool:
        """Return True if the call with this token began the session."""
        values = [as_bytes(token)]
        return bool(await self._evaluate(messages.IS_BEGUN, session_id, values, writes=False))

    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        self._expect_snapshots(session_id)  # or state: the plain scripts would only look and go
        values = [_encode_milliseconds(self._ttl), *flatten(named)]
        await self._evaluate(state.PUT, session_id, values)

    async def _read_state(self, session_id: str) -> list[Named]:
        channel, due = self._read_channel, self._due()
        found = await self._ask(channel, ("HGETALL", self._keys.one(session_id, b"state")), due)
        if not found:
            found = await self._look_up(
                snapshots.READ_HASH, session_id, [_STATE], channel=channel, due=due
            )
        return unflatten(found)

    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        values = flatten(named)
        await self._evaluate_user(state.USER_NAMES, state.PUT_OF_USER, user_id, values)

    async def _read_user_state(self, user_id: str) -> list[Named]:
        keys = self._keys.of_user(user_id, state.USER_NAMES)
        script, channel = state.READ_OF_USER, self._read_channel
        return unflatten(await self._ask_script(channel, script, keys, [], self._due()))

    async def _ping(self) -> None:
        await self._call("PING")
        if self._replica is not None:
            await self._ask(self._replica.get(), ("PING",), self._due())

    async def _examine(self, repair: bool) -> list[Observation]:
        if not self._layout:
            await self._check_layout(self._channel, self._due())
        examined = Examined(
            self._inquire,
            self._list_owners,
            self._evaluate,
            partial(self._evaluate_user, user.NAMES),
            partial(self._evaluate_user, state.USER_NAMES),
        )
        return await examine(examined, self._layout, repair)

    def _search_backend(self) -> RedisSearch:
        return RedisSearch(self._evaluate, self._searched_sessions)

    async def _searched_sessions(self) -> AsyncIterator[str]:
        async for keys in self._scan("search"):
            for key in keys:
                yield self._keys.owner(as_bytes(key))[0]

    def _facts_backend(self) -> RedisFacts:
        evaluate = partial(self._evaluate_user, user.NAMES)
        return RedisFacts(evaluate, partial(self._list_owners, USER))


def _has_messages(names: set[bytes]) -> bool:
    """Return True if a session with keys of these names has messages for sure."""
    return {b"log", b"ids"} <= names or {b"log", b"kept", b"kept-ids"} <= names


def _encode_milliseconds(seconds: float | None) -> bytes:
    return b"" if seconds is None else b"%d" % max(1, math.ceil(seconds * 1000))


def _decode_snapshot(session_id: str, snapshot_id: bytes, known: bytes) -> Snapshot:
    _, _, count, note = known.split(b" ", 3)
    label, created_at = decode_value(note)
    return Snapshot(
        id=snapshot_id.decode(),
        session_id=session_id,
        label=label,
        created_at=datetime.fromisoformat(created_at),
        message_count=int(count),
    )
