"""The store over Redis or Valkey, single or cluster."""

import asyncio
import contextlib
import inspect
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import quote, unquote_to_bytes

from goldfish.encoding import decode_messages, decode_value, encode_value
from goldfish.errors import MemoryStoreBackendError, MemoryStoreError, SchemaTooNewError, masked
from goldfish.messages import Snapshot
from goldfish.recall.chronicle import Embedded
from goldfish.stores import arguments, redis_scripts, redis_snapshots, redis_state
from goldfish.stores.base import Forked, Row
from goldfish.stores.observation import Observation
from goldfish.stores.per_loop import PerLoop
from goldfish.stores.redis_client import client_maker
from goldfish.stores.redis_facts import RedisFacts
from goldfish.stores.redis_line import Command, RedisLine, is_cluster, together
from goldfish.stores.redis_scripts import SNAPSHOTS, Script, Write
from goldfish.stores.redis_search import RedisChronicle, new_epoch
from goldfish.stores.searching import SearchingStore
from goldfish.stores.stating import Named

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder
    from goldfish.stores.redis_line import Client

# Versions of the keys, and of what is in them: an older goldfish refuses one that it does not know.
FIRST_LAYOUT = 1
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


class RedisMemoryStore(SearchingStore):
    """Messages in Redis: every write is one script, so it happens as a whole or not at all.

    A write that returned is as durable as the server is configured to be. ``wait_replicas=n``
    makes a write return only when n replicas have it, ``wait_aof=True`` when the server has synced
    it to its append-only file.

    Give a URL, or any redis-py asyncio client of your own (also a cluster client, with or without
    ``decode_responses``): that client stays yours to close. With a URL, a call waits at most
    ``timeout`` seconds for the server, and is never sent twice by itself.

    With ``search`` what was said can be searched, with ``keep_trimmed`` also what a trim removed.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        redis_client: "Client | None" = None,
        ttl: float | None = None,
        prefix: str = "goldfish",
        wait_replicas: int = 0,
        wait_aof: bool = False,
        timeout: float = 10.0,
        embedder: "Embedder | Literal['default'] | None" = "default",
        search: bool = False,
        keep_trimmed: bool = False,
    ) -> None:
        super().__init__(ttl=ttl, embedder=embedder, search=search, keep_trimmed=keep_trimmed)
        if (url is None) == (redis_client is None):
            raise TypeError("pass either url= or redis_client=")
        if redis_client is not None and not inspect.iscoroutinefunction(
            redis_client.execute_command
        ):
            raise TypeError("redis_client must be an asyncio client: redis.asyncio.Redis(…)")
        self._timeout = arguments.seconds(timeout, "timeout")
        self._given = redis_client and RedisLine(redis_client, owned=False, timeout=self._timeout)
        self._own = None if url is None else PerLoop(self._line_maker(url), _close_line)
        self._url, self._server = url or "", masked(url) if url else "the Redis server"
        self._prefix = _plain_prefix(prefix)
        self._confirm = _confirmation(wait_replicas, wait_aof, self._timeout)
        if self._confirm and redis_client is not None and is_cluster(redis_client):
            raise ValueError("wait_replicas= and wait_aof= need a client of a single server")
        self._layout = 0  # not known yet
        self._with_snapshots: set[str] = set()  # sessions that may have some: only to save time
        self._underway = 0
        self._drained: asyncio.Event | None = None

    @property
    def redis_client(self) -> "Client":
        """The client in use: the one that was given, or this event loop's own."""
        return self._line.client

    @property
    def _line(self) -> RedisLine:
        return self._own.get() if self._own is not None else cast(RedisLine, self._given)

    def _line_maker(self, url: str) -> Callable[[], RedisLine]:
        make = client_maker(url, connect_timeout=self._timeout)
        return lambda: RedisLine(make(), owned=True, timeout=self._timeout)

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

    async def _read(self, session_id: str, last: int | None) -> Sequence[Any]:
        log = self._keys(session_id)[0]
        first = 0 if last is None else -last
        try:
            return cast(Sequence[Any], await self._call("LRANGE", log, first, -1))
        except MemoryStoreBackendError as error:
            if "WRONGTYPE" not in str(error.__cause__):
                raise
        found = await self._evaluate(_READ, session_id, [b"%d" % first], writes=False)
        return cast(Sequence[Any], found)

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
            await self._write("UNLINK", *self._all_keys(session_id))
        else:
            await self._evaluate_write(redis_scripts.CLEAR, session_id, [])

    async def _clear_all(self) -> None:
        self._with_snapshots.clear()
        async for keys in self._scan("*"):
            tags = {_bytes(key).rpartition(b":")[0] + b":" for key in keys}
            for tag in tags:  # one by one: a cluster keeps them in different places
                await self._write("UNLINK", *(tag + name for name in redis_snapshots.NAMES))
        async for keys in self._scan("state", b"u"):
            for key in keys:
                await self._write("UNLINK", _bytes(key))

    async def _sessions(self, prefix: str) -> list[str]:
        scanned = self._scan("log", prefix=prefix)
        names = [_bytes(key) async for keys in scanned for key in keys]
        start = len(self._prefix) + len(":{s")
        return list({_session_id(name[start : -len("}:log")]) for name in names})

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        values = [_milliseconds(seconds)]
        await self._evaluate_write(redis_scripts.SET_TTL, session_id, values)

    async def _get_ttl(self, session_id: str) -> float | None:
        keys = self._keys(session_id)
        left = int(await self._send_script(redis_scripts.GET_TTL, keys, [], writes=False))
        return left / 1000 if left > 0 else None

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
        found = await self._evaluate(_LIST, session_id, [], writes=False)
        pairs = zip(found[::2], found[1::2], strict=True)
        return [_snapshot(session_id, _bytes(key), _bytes(known)) for key, known in pairs]

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self._with_snapshots.discard(session_id)  # the next write will see
        await self._evaluate(_DELETE, session_id, [_bytes(snapshot_id)])

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

    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        await self._raise_layout(STATE_LAYOUT)
        self._expect_snapshots(session_id)  # or state: the plain scripts would only look and go
        values = [_milliseconds(self._ttl), *redis_state.flat(named)]
        await self._evaluate(redis_state.PUT, session_id, values)

    async def _read_state(self, session_id: str) -> list[Named]:
        return redis_state.unfolded(await self._call("HGETALL", self._tag(session_id) + b"state"))

    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        await self._raise_layout(STATE_LAYOUT)
        await self._write("HSET", self._user_tag(user_id) + b"state", *redis_state.flat(named))

    async def _read_user_state(self, user_id: str) -> list[Named]:
        return redis_state.unfolded(await self._call("HGETALL", self._user_tag(user_id) + b"state"))

    async def _ping(self) -> None:
        await self._call("PING")

    async def _examine(self, repair: bool) -> list[Observation]:
        return []

    def _chronicle(self) -> RedisChronicle:
        return RedisChronicle(self._searched, self._searched_sessions)

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

    async def _close(self) -> None:
        """Wait for the calls under way: redis-py would leak a connection that is being made."""
        if self._own is None:
            return
        if self._underway:
            self._drained = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), self._timeout)
        await self._own.aclose()

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
        if session_id not in self._with_snapshots:
            answer = await self._send_script(write.plain, self._keys(session_id), values)
            if answer != SNAPSHOTS:
                return answer
            self._expect_snapshots(session_id)
        return await self._evaluate(write.full, session_id, values)

    def _expect_snapshots(self, session_id: str) -> None:
        if len(self._with_snapshots) >= MOST_KNOWN:
            self._with_snapshots.clear()
        self._with_snapshots.add(session_id)

    async def _evaluate(
        self, script: Script, session_id: str, values: list[bytes], *, writes: bool = True
    ) -> Any:
        """Run a script that knows snapshots."""
        return await self._send_script(script, self._all_keys(session_id), values, writes=writes)

    async def _send_script(
        self, script: Script, keys: tuple[bytes, ...], values: list[bytes], *, writes: bool = True
    ) -> Any:
        send = self._write if writes else self._call
        try:
            return await send("EVALSHA", script.sha, len(keys), *keys, *values)
        except MemoryStoreBackendError as error:
            if "No matching script" not in str(error.__cause__):
                raise
        return await send("EVAL", script.text, len(keys), *keys, *values)

    async def _write(self, *command: Any) -> Any:
        """Send a write; if asked for, wait until replicas or the disk have it too."""
        if not self._layout:
            await self._check_layout()
        if not self._confirm:
            return await self._reported(self._line.write(command))
        return await self._guard(self._confirmed(command))

    async def _confirmed(self, command: Command) -> Any:
        answer, confirmed = await together(self.redis_client, [command, self._confirm])
        for each in (answer, confirmed):
            if isinstance(each, Exception):
                raise each
        self._judge_confirmation(confirmed)
        return answer

    def _judge_confirmation(self, confirmed: Any) -> None:
        wanted = self._confirm[1:-1]
        got = confirmed if isinstance(confirmed, list) else [confirmed]
        if any(int(have) < need for have, need in zip(got, wanted, strict=True)):
            raise MemoryStoreBackendError(
                f"{self._server} has the write, but {self._confirm[0]} was confirmed by {got} "
                f"instead of {list(wanted)} within {self._timeout:g} s: adding it again is safe"
            )

    async def _call(self, *command: Any) -> Any:
        if not self._layout:
            await self._check_layout()
        return await self._reported(self._line.read(command))

    async def _check_layout(self) -> None:
        """Before the first command: see that the keys there are of a layout that we know."""
        line, key = self._line, self._prefix + b":layout"
        await self._reported(line.ask(("SET", key, FIRST_LAYOUT, "NX")))
        found = int(await self._reported(line.ask(("GET", key))) or FIRST_LAYOUT)
        if found > LAYOUT:
            raise SchemaTooNewError(
                f"{self._server} holds layout {found} under {self._prefix.decode()!r} and this "
                f"goldfish knows {LAYOUT}: pip install --upgrade goldfish, or use another prefix"
            )
        self._layout = found

    async def _raise_layout(self, needed: int) -> None:
        """Before the first snapshot, search or named value: keep out who would not regard it."""
        if not self._layout:
            await self._check_layout()
        if self._layout < needed:
            await self._check_layout()  # others may have raised it beyond that
        if self._layout < needed:
            await self._write("SET", self._prefix + b":layout", needed)
            self._layout = needed

    async def _guard(self, call: Awaitable[Any]) -> Any:
        """The answer to a call past the line, in time, or one kind of error."""
        return await self._reported(self._limited(call))

    async def _limited(self, call: Awaitable[Any]) -> Any:
        if self._own is None:  # how long a client of the caller's waits is the caller's choice
            return await call
        async with asyncio.timeout(self._timeout):
            return await call

    async def _reported(self, call: Awaitable[Any]) -> Any:
        """The answer, or whatever went wrong as one kind of error."""
        self._underway += 1
        try:
            return await call
        except TimeoutError as error:
            raise MemoryStoreBackendError(
                f"{self._server}: no answer within {self._timeout:g} s: check that it is running"
            ) from error
        except (StopAsyncIteration, MemoryStoreError):  # the end of a scan, and our own errors
            raise
        except Exception as error:  # only the driver runs in here, so all its errors count
            raise MemoryStoreBackendError(
                f"{self._server}: {masked(str(error), self._url) or type(error).__name__}: "
                "check that it is running, reachable and accepts writes"
            ) from error
        finally:
            self._underway -= 1
            if self._drained is not None and not self._underway:
                self._drained.set()

    async def _scan(self, name: str, kind: bytes = b"s", prefix: str = "") -> Any:
        """The keys of all sessions, or of all users, whose id begins so, some at a time."""
        if not self._layout:
            await self._check_layout()
        begins = _glob_escaped(b"%b:{%b%b" % (self._prefix, kind, _escaped(prefix)))
        pattern = begins + b"*}:" + name.encode()
        batch: list[Any] = []
        keys = self.redis_client.scan_iter(match=pattern, count=SCAN_STEP).__aiter__()
        while True:
            try:
                batch.append(await self._guard(anext(keys)))
            except StopAsyncIteration:
                break
            if len(batch) == SCAN_STEP:
                yield batch
                batch = []
        yield batch


async def _close_line(line: RedisLine) -> None:
    await line.client.aclose()


def _plain_prefix(prefix: str) -> bytes:
    if not arguments.text(prefix, "prefix") or "{" in prefix or "}" in prefix:
        raise ValueError("prefix must be text without braces, and not empty")
    return _bytes(prefix)


def _confirmation(replicas: int, aof: bool, timeout: float) -> tuple[Any, ...]:
    """The command that waits for what the caller wants confirmed, or nothing."""
    arguments.natural(replicas, "wait_replicas")
    wait = math.ceil(timeout * 500)  # half of it, so that the answer comes in time
    if aof:
        return "WAITAOF", 1, replicas, wait
    return ("WAIT", replicas, wait) if replicas else ()


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
