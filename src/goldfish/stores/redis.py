"""The store over Redis or Valkey, single or cluster."""

import math
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote, unquote_to_bytes

from goldfish.encoding import decode_messages, decode_value, encode_value
from goldfish.errors import MemoryStoreBackendError, SchemaTooNewError
from goldfish.messages import Snapshot
from goldfish.recall.chronicle import Embedded
from goldfish.stores import arguments, redis_scripts, redis_snapshots, redis_state
from goldfish.stores.base import Forked, Row
from goldfish.stores.observation import Observation
from goldfish.stores.redis_calls import FIRST_LAYOUT, RedisCalls, confirmation, in_time
from goldfish.stores.redis_clock import DUE, guarded
from goldfish.stores.redis_facts import RedisFacts
from goldfish.stores.redis_line import RedisLine
from goldfish.stores.redis_scripts import SNAPSHOTS, Script, Write
from goldfish.stores.redis_search import RedisChronicle, new_epoch
from goldfish.stores.searching import SearchingStore
from goldfish.stores.stating import Named

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder
    from goldfish.stores.redis_line import Client

# Versions of the keys, and of what is in them: an older goldfish refuses one that it does not know.
SNAPSHOT_LAYOUT = 2  # from the first snapshot on
SEARCH_LAYOUT = 3  # from the first search on
STATE_LAYOUT = 4  # from the first named value on
LAYOUT = STATE_LAYOUT  # the newest that we know
SCAN_STEP = 1000
MOST_KNOWN = 10_000

_SAVE = redis_scripts.full(redis_snapshots.SAVE)
_ROLLBACK = redis_scripts.full(redis_snapshots.ROLLBACK)
_DELETE = redis_scripts.full(redis_snapshots.DELETE)
_READ = Script(redis_snapshots.READ)
_LIST = Script(redis_snapshots.LIST)
_SHOW = Script(redis_snapshots.SHOW)


class RedisMemoryStore(RedisCalls, SearchingStore):
    """Messages in Redis: every write is one script, so it happens as a whole or not at all.

    A write that returned is as durable as the server is configured to be. ``wait_replicas=n``
    makes a write return only when n replicas have it, ``wait_aof=True`` when the server has synced
    it to its append-only file.

    Give a URL, or any redis-py asyncio client of your own (also a cluster client, with or without
    ``decode_responses``): that client stays yours to close. With a URL, a call waits at most
    ``timeout`` seconds for the server, and is never sent twice by itself.

    With ``read_url``, a replica's, ``get_history``, ``list_sessions``, ``get_ttl``, ``get_state``
    and ``list_snapshots`` are answered from there, and may lack the latest writes.

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
        limit = arguments.seconds(timeout, "timeout")
        confirm = confirmation(wait_replicas, wait_aof, limit)
        RedisCalls.__init__(self, url, redis_client, read_url, limit, confirm)
        self._prefix = _plain_prefix(prefix)
        self._with_snapshots: set[str] = set()  # sessions that may have some: only to save time

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        ids = [_bytes(message_id) for message_id, _ in rows]
        bodies = [body.encode() for _, body in rows]
        values = [_milliseconds(self._ttl), *ids, *bodies]
        if embedded is None:
            await self._evaluate_write(redis_scripts.APPEND, session_id, values)
        else:
            await self._chronicle().append(session_id, values, embedded)

    async def _read(
        self, session_id: str, last: int | None, line: RedisLine | None = None
    ) -> Sequence[Any]:
        line, due = line or self._reading_line, self._due()
        log = self._keys(session_id)[0]
        first = 0 if last is None else -last
        try:
            return cast(Sequence[Any], await self._ask(line, ("LRANGE", log, first, -1), due))
        except MemoryStoreBackendError as error:
            if "WRONGTYPE" not in str(error.__cause__):
                raise
        keys, values = self._all_keys(session_id), [b"%d" % first]
        return cast(Sequence[Any], await self._ask_script(line, _READ, keys, values, due))

    async def _read_to_trim(self, session_id: str) -> Sequence[Any]:
        return await self._read(session_id, None, self._line)

    async def _keep_last(self, session_id: str, keep: int) -> int:
        values = [b"%d" % keep]
        if self._keep_trimmed:
            values.append(new_epoch())
            return int(await self._searched(redis_scripts.KEEP_LAST.full, session_id, values))
        return int(await self._evaluate_write(redis_scripts.KEEP_LAST, session_id, values))

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        values = [_bytes(message_id) for message_id in ids]
        if trimmed and self._keep_trimmed:
            values.insert(0, new_epoch())
            return int(await self._searched(redis_scripts.REMOVE.full, session_id, values))
        values.insert(0, b"" if trimmed else b"-")
        return int(await self._evaluate_write(redis_scripts.REMOVE, session_id, values))

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        if snapshots:
            self._with_snapshots.discard(session_id)
            await self._evaluate(redis_scripts.REMOVE_KEYS, session_id, [])
        else:
            await self._evaluate_write(redis_scripts.CLEAR, session_id, [])

    async def _clear_all(self) -> None:
        self._with_snapshots.clear()
        async for keys in self._scan("*"):
            tags = {_bytes(key).rpartition(b":")[0] + b":" for key in keys}
            for tag in tags:  # one by one: a cluster keeps them in different places
                names = tuple(tag + name for name in redis_snapshots.NAMES)
                await self._send_script(redis_scripts.REMOVE_KEYS, names, [])
        async for keys in self._scan("state", b"u"):
            for key in keys:
                await self._send_script(redis_scripts.REMOVE_KEYS, (_bytes(key),), [])

    async def _sessions(self, prefix: str) -> list[str]:
        scanned = self._scan("log", prefix=prefix, line=self._reading_line)
        names = [_bytes(key) async for keys in scanned for key in keys]
        start = len(self._prefix) + len(":{s")
        return list({_session_id(name[start : -len("}:log")]) for name in names})

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        values = [_milliseconds(seconds)]
        await self._evaluate_write(redis_scripts.SET_TTL, session_id, values)

    async def _get_ttl(self, session_id: str) -> float | None:
        keys = self._keys(session_id)
        line, due = self._reading_line, self._due()
        left = int(await self._ask_script(line, redis_scripts.GET_TTL, keys, [], due))
        return left / 1000 if left > 0 else None

    @in_time
    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        await self._raise_layout(SNAPSHOT_LAYOUT)
        note = encode_value([label, created_at.isoformat()])
        self._expect_snapshots(session_id)
        await self._evaluate(_SAVE, session_id, [_bytes(snapshot_id), note.encode()])

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        return bool(await self._evaluate(_ROLLBACK, session_id, [_bytes(snapshot_id)]))

    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        line, keys = self._reading_line, self._all_keys(session_id)
        found = await self._ask_script(line, _LIST, keys, [], self._due())
        pairs = zip(found[::2], found[1::2], strict=True)
        return [_snapshot(session_id, _bytes(key), _bytes(known)) for key, known in pairs]

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self._with_snapshots.discard(session_id)  # the next write will see
        await self._evaluate(_DELETE, session_id, [_bytes(snapshot_id)])

    @in_time
    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        """In two steps, for a cluster may keep the sessions apart; a snapshot never changes."""
        found = await self._evaluate(_SHOW, session_id, [_bytes(snapshot_id)], writes=False)
        if not found:
            return "not found"
        left, state, *bodies = map(_bytes, found)
        ids = [_bytes(message.id) for message in decode_messages(bodies)] if bodies else []
        begun = await self._evaluate(
            redis_scripts.BEGIN_FORK, new_session_id, [state, left, *ids, *bodies]
        )
        return "done" if begun else "not empty"

    @in_time
    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        await self._raise_layout(STATE_LAYOUT)
        self._expect_snapshots(session_id)  # or state: the plain scripts would only look and go
        values = [_milliseconds(self._ttl), *redis_state.flat(named)]
        await self._evaluate(redis_state.PUT, session_id, values)

    async def _read_state(self, session_id: str) -> list[Named]:
        return await self._read_fields(self._tag(session_id) + b"state")

    @in_time
    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        await self._raise_layout(STATE_LAYOUT)
        keys = (self._user_tag(user_id) + b"state",)
        await self._send_script(redis_scripts.PUT_FIELDS, keys, redis_state.flat(named))

    async def _read_user_state(self, user_id: str) -> list[Named]:
        return await self._read_fields(self._user_tag(user_id) + b"state")

    async def _read_fields(self, key: bytes) -> list[Named]:
        found = await self._ask(self._reading_line, ("HGETALL", key), self._due())
        return redis_state.unfolded(found)

    async def _ping(self) -> None:
        await self._call("PING")
        if self._replica is not None:
            await self._ask(self._replica.get(), ("PING",), self._due())

    async def _examine(self, repair: bool) -> list[Observation]:
        return []

    def _chronicle(self) -> RedisChronicle:
        return RedisChronicle(self._searched, self._searched_sessions)

    @in_time
    async def _searched(self, script: Script, session_id: str, values: list[bytes]) -> Any:
        await self._raise_layout(SEARCH_LAYOUT)
        return await self._evaluate(script, session_id, values)

    async def _searched_sessions(self) -> AsyncIterator[str]:
        start = len(self._prefix) + len(":{s")
        async for keys in self._scan("search"):
            for key in keys:
                yield _session_id(_bytes(key)[start : -len("}:search")])

    def _ledger(self) -> RedisFacts:
        return RedisFacts(self._send_script, self._user_tag, self._fact_users)

    async def _fact_users(self) -> AsyncIterator[str]:
        start = len(self._prefix) + len(":{u")
        async for keys in self._scan("meta", b"u"):
            for key in keys:
                yield _session_id(_bytes(key)[start : -len("}:meta")])

    def _keys(self, session_id: str) -> tuple[bytes, ...]:
        """The keys that every session may have."""
        tag = self._tag(session_id)
        names = b"log", b"ids", b"left", b"top", b"search", b"state"
        return tuple(tag + name for name in names)

    def _all_keys(self, session_id: str) -> tuple[bytes, ...]:
        tag = self._tag(session_id)
        return tuple(tag + name for name in redis_snapshots.NAMES)

    def _tag(self, session_id: str) -> bytes:
        """How the session's keys begin. The id is the hash tag, so a cluster keeps them together.

        Inside the tag only the characters that would end or unsettle it are escaped; the ``s``
        makes the tag of an empty id not empty, for an empty tag counts as none.
        """
        return b"%b:{s%b}:" % (self._prefix, _escaped(session_id))

    def _user_tag(self, user_id: str) -> bytes:
        """How the keys of a user's facts begin, likewise."""
        return b"%b:{u%b}:" % (self._prefix, _escaped(user_id))

    async def _evaluate_write(self, write: Write, session_id: str, values: list[bytes]) -> Any:
        """Do the write by the script that knows no snapshots, unless the session has some."""
        due = self._due()
        if session_id not in self._with_snapshots:
            answer = await self._send_script(write.plain, self._keys(session_id), values, due=due)
            if answer != SNAPSHOTS:
                return answer
            self._expect_snapshots(session_id)
        return await self._evaluate(write.full, session_id, values, due=due)

    def _expect_snapshots(self, session_id: str) -> None:
        if len(self._with_snapshots) >= MOST_KNOWN:
            self._with_snapshots.clear()
        self._with_snapshots.add(session_id)

    async def _evaluate(
        self,
        script: Script,
        session_id: str,
        values: list[bytes],
        *,
        writes: bool = True,
        due: float | None = None,
    ) -> Any:
        """Run a script that knows snapshots."""
        keys = self._all_keys(session_id)
        return await self._send_script(script, keys, values, writes=writes, due=due)

    async def _check_layout(self, line: RedisLine, due: float) -> None:
        """Before the first command: see that the keys there are of a layout that we know.

        Nothing is written, for this may be a replica.
        """
        key = self._prefix + b":layout"
        found = await self._reported(line.ask(("GET", key), due), line)
        self._admit_layout(int(found or FIRST_LAYOUT))

    async def _raise_layout(self, needed: int, due: float | None = None) -> None:
        """Before the first write, snapshot, search or value: keep out who would not regard it."""
        if self._raised >= needed:
            return
        if due is None:
            due = self._due()
        if not self._layout:
            await self._check_layout(self._line, due)
        words = (1, self._prefix + b":layout", needed, DUE)
        found = await self._run(self._post, guarded(redis_scripts.RAISE_LAYOUT), words, due)
        self._admit_layout(int(found))
        self._raised = self._layout

    def _admit_layout(self, found: int) -> None:
        if found > LAYOUT:
            raise SchemaTooNewError(
                f"{self._server} holds layout {found} under {self._prefix.decode()!r} and this "
                f"goldfish knows {LAYOUT}: pip install --upgrade goldfish, or use another prefix"
            )
        self._layout = found

    async def _scan(
        self, name: str, kind: bytes = b"s", prefix: str = "", line: RedisLine | None = None
    ) -> Any:
        """The keys of all sessions, or of all users, whose id begins so, some at a time."""
        line = line or self._line
        if not self._layout:
            await self._check_layout(line, self._due())
        begins = _glob_escaped(b"%b:{%b%b" % (self._prefix, kind, _escaped(prefix)))
        pattern = begins + b"*}:" + name.encode()
        batch: list[Any] = []
        keys = line.client.scan_iter(match=pattern, count=SCAN_STEP).__aiter__()
        while True:
            try:
                batch.append(await self._reported(self._limited(anext(keys)), line))
            except StopAsyncIteration:
                break
            if len(batch) == SCAN_STEP:
                yield batch
                batch = []
        yield batch


def _plain_prefix(prefix: str) -> bytes:
    if not arguments.text(prefix, "prefix") or "{" in prefix or "}" in prefix:
        raise ValueError("prefix must be text without braces, and not empty")
    return _bytes(prefix)


def _milliseconds(seconds: float | None) -> bytes:
    return b"" if seconds is None else b"%d" % max(1, math.ceil(seconds * 1000))


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def _escaped(session_id: str) -> bytes:
    if session_id.isascii() and not {"{", "}", "%"} & set(session_id):
        return session_id.encode()
    return "".join(map(_escaped_character, session_id)).encode()


def _escaped_character(character: str) -> str:
    if character in "{}%" or "\ud800" <= character <= "\udfff":
        return quote(character, safe="", errors="surrogatepass")
    return character


def _snapshot(session_id: str, snapshot_id: bytes, known: bytes) -> Snapshot:
    _, _, count, note = known.split(b" ", 3)
    label, created_at = decode_value(note)
    return Snapshot(
        id=snapshot_id.decode(),
        session_id=session_id,
        label=label,
        created_at=datetime.fromisoformat(created_at),
        message_count=int(count),
    )


def _session_id(escaped: bytes) -> str:
    return unquote_to_bytes(escaped).decode("utf-8", "surrogatepass")


def _glob_escaped(text: bytes) -> bytes:
    return b"".join(b"\\" + bytes([c]) if chr(c) in "*?[]\\^-" else bytes([c]) for c in text)
