"""The store over Redis or Valkey, single or cluster."""

import asyncio
import contextlib
import inspect
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote_to_bytes

from goldfish.errors import MemoryStoreBackendError, MemoryStoreError, SchemaTooNewError, masked
from goldfish.stores import arguments, redis_scripts
from goldfish.stores.base import BaseStore, Row
from goldfish.stores.per_loop import PerLoop
from goldfish.stores.redis_client import client_maker
from goldfish.stores.redis_line import Command, RedisLine, is_cluster, together
from goldfish.stores.redis_scripts import Script

if TYPE_CHECKING:
    from goldfish.stores.redis_line import Client

LAYOUT = 1  # the version of the keys and of what is in them
SCAN_STEP = 1000


class RedisMemoryStore(BaseStore):
    """Messages in Redis: every write is one script, so it happens as a whole or not at all.

    A write that returned is as durable as the server is configured to be. ``wait_replicas=n``
    makes a write return only when n replicas have it, ``wait_aof=True`` when the server has synced
    it to its append-only file.

    Give a URL, or any redis-py asyncio client of your own (also a cluster client, with or without
    ``decode_responses``): that client stays yours to close. With a URL, a call waits at most
    ``timeout`` seconds for the server, and is never sent twice by itself.
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
    ) -> None:
        super().__init__(ttl=ttl)
        if (url is None) == (redis_client is None):
            raise TypeError("pass either url= or redis_client=")
        if redis_client is not None and not inspect.iscoroutinefunction(
            redis_client.execute_command
        ):
            raise TypeError("redis_client must be an asyncio client: redis.asyncio.Redis(…)")
        self._timeout = arguments.seconds(timeout, "timeout")
        self._given = redis_client and RedisLine(redis_client, owned=False, timeout=self._timeout)
        self._own = None if url is None else PerLoop(self._line_maker(url), _close_line)
        self._server = "the Redis server" if url is None else masked(url)
        self._prefix = _plain_prefix(prefix)
        self._confirm = _confirmation(wait_replicas, wait_aof, self._timeout)
        if self._confirm and redis_client is not None and is_cluster(redis_client):
            raise ValueError("wait_replicas= and wait_aof= need a client of a single server")
        self._layout_known = False
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

    async def _append(self, session_id: str, rows: list[Row]) -> None:
        ids = [_bytes(message_id) for message_id, _ in rows]
        bodies = [body.encode() for _, body in rows]
        values = [_milliseconds(self._ttl), *ids, *bodies]
        await self._evaluate(redis_scripts.APPEND, session_id, values)

    async def _read(self, session_id: str, last: int | None) -> Sequence[Any]:
        log = self._keys(session_id)[0]
        first = 0 if last is None else -last
        return cast(Sequence[Any], await self._call("LRANGE", log, first, -1))

    async def _keep_last(self, session_id: str, keep: int) -> int:
        return int(await self._evaluate(redis_scripts.KEEP_LAST, session_id, [b"%d" % keep]))

    async def _remove(self, session_id: str, ids: list[str]) -> int:
        values = [_bytes(message_id) for message_id in ids]
        return int(await self._evaluate(redis_scripts.REMOVE, session_id, values))

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        await self._write("DEL", *self._keys(session_id))

    async def _clear_all(self) -> None:
        async for keys in self._scan("*"):
            for key in keys:  # one by one: a cluster keeps them in different places
                await self._write("UNLINK", key)

    async def _sessions(self) -> list[str]:
        names = [_bytes(key) async for keys in self._scan("log") for key in keys]
        start = len(self._prefix) + len(":{s")
        return list({_session_id(name[start : -len("}:log")]) for name in names})

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        await self._evaluate(redis_scripts.SET_TTL, session_id, [_milliseconds(seconds)])

    async def _get_ttl(self, session_id: str) -> float | None:
        left = int(await self._evaluate(redis_scripts.GET_TTL, session_id, [], writes=False))
        return left / 1000 if left > 0 else None

    async def _close(self) -> None:
        """Wait for the calls under way: redis-py would leak a connection that is being made."""
        if self._own is None:
            return
        if self._underway:
            self._drained = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), self._timeout)
        await self._own.aclose()

    def _keys(self, session_id: str) -> tuple[bytes, bytes, bytes]:
        """The session's keys. The id is the hash tag, so a cluster keeps them together.

        Inside the tag only the characters that would end or unsettle it are escaped; the ``s``
        makes the tag of an empty id not empty, for an empty tag counts as none.
        """
        tag = b"%b:{s%b}:" % (self._prefix, _escaped(session_id))
        return tag + b"log", tag + b"ids", tag + b"left"

    async def _evaluate(
        self, script: Script, session_id: str, values: list[bytes], *, writes: bool = True
    ) -> Any:
        send = self._write if writes else self._call
        keys = self._keys(session_id)
        try:
            return await send("EVALSHA", script.sha, 3, *keys, *values)
        except MemoryStoreBackendError as error:
            if "No matching script" not in str(error.__cause__):
                raise
        return await send("EVAL", script.text, 3, *keys, *values)

    async def _write(self, *command: Any) -> Any:
        """Send a write; if asked for, wait until replicas or the disk have it too."""
        if not self._layout_known:
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
        if not self._layout_known:
            await self._check_layout()
        return await self._reported(self._line.read(command))

    async def _check_layout(self) -> None:
        """Before the first command: see that the keys there are of a layout that we know."""
        client, key = self.redis_client, self._prefix + b":layout"
        await self._guard(client.execute_command("SET", key, LAYOUT, "NX"))
        found = int(await self._guard(client.execute_command("GET", key)) or LAYOUT)
        if found > LAYOUT:
            raise SchemaTooNewError(
                f"{self._server} holds layout {found} under {self._prefix.decode()!r} and this "
                f"goldfish knows {LAYOUT}: pip install --upgrade goldfish, or use another prefix"
            )
        self._layout_known = True

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
                f"{self._server}: {masked(str(error)) or type(error).__name__}: "
                "check that it is running, reachable and accepts writes"
            ) from error
        finally:
            self._underway -= 1
            if self._drained is not None and not self._underway:
                self._drained.set()

    async def _scan(self, name: str) -> Any:
        """The keys of all sessions, some at a time."""
        if not self._layout_known:
            await self._check_layout()
        pattern = _glob_escaped(self._prefix) + b":{s*}:" + name.encode()
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


def _session_id(escaped: bytes) -> str:
    return unquote_to_bytes(escaped).decode("utf-8", "surrogatepass")


def _glob_escaped(text: bytes) -> bytes:
    return b"".join(b"\\" + bytes([c]) if chr(c) in "*?[]\\^-" else bytes([c]) for c in text)
