"""The store over Redis or Valkey, single or cluster."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from goldfish.encoding import decode_messages, decode_value, encode_value
from goldfish.errors import MemoryStoreBackendError, SchemaTooNewError
from goldfish.messages import Snapshot
from goldfish.stores import arguments
from goldfish.stores.base import Forked, Row
from goldfish.stores.observation import Observation
from goldfish.stores.redis import (
    examination as redis_examination,
)
from goldfish.stores.redis import (
    examination_scripts as redis_examination_scripts,
)
from goldfish.stores.redis import (
    facts_scripts as redis_facts_scripts,
)
from goldfish.stores.redis import (
    scripts as redis_scripts,
)
from goldfish.stores.redis import (
    snapshots as redis_snapshots,
)
from goldfish.stores.redis import (
    state as redis_state,
)
from goldfish.stores.redis.calls import FIRST_LAYOUT, RedisCalls, confirmation, in_time
from goldfish.stores.redis.clock import DUE
from goldfish.stores.redis.eviction import EvictionWatch
from goldfish.stores.redis.facts import RedisFacts
from goldfish.stores.redis.keys import SESSION, USER, RedisKeys, as_bytes
from goldfish.stores.redis.line import RedisLine, is_cluster
from goldfish.stores.redis.parts import NAMES
from goldfish.stores.redis.scripts import SNAPSHOTS, Script, Write
from goldfish.stores.redis.search import RedisSearch, new_epoch
from goldfish.stores.search.backend import Embedded
from goldfish.stores.searching import SearchingStore
from goldfish.stores.stating import Named

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder
    from goldfish.stores.redis.line import Client

# Versions of the keys, and of what is in them: an older goldfish refuses one that it does not know.
# FIRST_LAYOUT has messages only; 2 to 4 were for the first snapshot, search and named value.
LAYOUT = 5  # from the first write on that is not only about messages
SCAN_STEP = 1000
LOOKS_AT_ONCE = 20  # a client of the caller's may have few connections
SWEEP_EVERY = 100  # calls
SWEEP_STEP = 400  # keys: more than so many calls write
MOST_KNOWN = 10_000

_SAVE = redis_scripts.full(redis_snapshots.SAVE)
_ROLLBACK = redis_scripts.full(redis_snapshots.ROLLBACK)
_DELETE = redis_scripts.full(redis_snapshots.DELETE)
_READ = Script(redis_snapshots.READ)
_LIST = Script(redis_snapshots.LIST)
_SHOW = Script(redis_snapshots.SHOW)
_LOOK = Script(redis_snapshots.LOOK)
_READ_HASH = Script(redis_snapshots.READ_HASH)
_STATE = b"%d" % (NAMES.index(b"state") + 1)  # as Lua counts

_logger = logging.getLogger("goldfish.stores.redis")


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
        confirm = confirmation(wait_replicas, wait_aof, limit)
        RedisCalls.__init__(self, url, redis_client, read_url, limit, confirm)
        self._keys = RedisKeys(prefix)
        self._eviction = EvictionWatch(self._server, self._keys)
        self._unswept = 0.0  # calls since the last step of a sweep
        self._cursor = 0  # where that ended
        self._with_snapshots: set[str] = set()  # sessions that may have some: only to save time

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        ids = [as_bytes(message_id) for message_id, _ in rows]
        bodies = [body.encode() for _, body in rows]
        values = [_milliseconds(self._ttl), *ids, *bodies]
        if embedded is None:
            await self._evaluate_write(redis_scripts.APPEND, session_id, values)
        else:
            await self._search_backend().append(session_id, values, embedded)

    async def _read(
        self, session_id: str, last: int | None, line: RedisLine | None = None
    ) -> Sequence[Any]:
        line, due = line or self._reading_line, self._due()
        first = 0 if last is None else -last
        command = "LRANGE", self._keys.one(session_id, b"log"), first, -1
        try:
            found = cast(Sequence[Any], await self._ask(line, command, due))
            if found:  # a list is there as a whole or not at all, so this is all there is
                return found
        except MemoryStoreBackendError as error:
            if "WRONGTYPE" not in str(error.__cause__):
                raise
        found = await self._look_up(_READ, session_id, [b"%d" % first], line=line, due=due)
        return cast(Sequence[Any], found)

    async def _read_to_trim(self, session_id: str) -> Sequence[Any]:
        return await self._read(session_id, None, self._line)

    async def _keep_last(self, session_id: str, keep: int) -> int:
        values = [b"%d" % keep]
        if self._keep_trimmed:
            values.append(new_epoch())
            return int(await self._evaluate(redis_scripts.KEEP_LAST.full, session_id, values))
        return int(await self._evaluate_write(redis_scripts.KEEP_LAST, session_id, values))

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        values = [as_bytes(message_id) for message_id in ids]
        if trimmed and self._keep_trimmed:
            values.insert(0, new_epoch())
            return int(await self._evaluate(redis_scripts.REMOVE.full, session_id, values))
        values.insert(0, b"" if trimmed else b"-")
        return int(await self._evaluate_write(redis_scripts.REMOVE, session_id, values))

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        if snapshots:
            self._with_snapshots.discard(session_id)
            keys = self._keys.of_session(session_id)
            await self._send_script(redis_scripts.REMOVE_KEYS, keys, [])
        else:
            await self._evaluate_write(redis_scripts.CLEAR, session_id, [])

    async def _clear_all(self) -> None:
        self._with_snapshots.clear()
        async for session_id in self._owners(SESSION):  # one by one: a cluster keeps them apart
            keys = self._keys.of_session(session_id)
            await self._send_script(redis_scripts.REMOVE_KEYS, keys, [])
        async for keys in self._scan("state*", USER):
            for user_id in {self._keys.owner(as_bytes(key))[0] for key in keys}:
                names = self._keys.of_user(user_id, redis_state.USER_NAMES)
                await self._send_script(redis_scripts.REMOVE_KEYS, names, [])

    async def _sessions(self, prefix: str) -> list[str]:
        names: dict[str, set[bytes]] = {}
        async for keys in self._scan("*", prefix=prefix, line=self._reading_line):
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
        """How many messages the session has, and how many ms are left, or 0 without a deadline."""
        many, left = await self._look_up(_LOOK, session_id, [])
        return int(many), int(left)

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        values = [_milliseconds(seconds)]
        await self._evaluate_write(redis_scripts.SET_TTL, session_id, values)

    async def _get_ttl(self, session_id: str) -> float | None:
        _, left = await self._look(session_id)
        return left / 1000 if left else None

    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        note = encode_value([label, created_at.isoformat()])
        self._expect_snapshots(session_id)
        await self._evaluate(_SAVE, session_id, [as_bytes(snapshot_id), note.encode()])

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        return bool(await self._evaluate(_ROLLBACK, session_id, [as_bytes(snapshot_id)]))

    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        found = await self._look_up(_LIST, session_id, [])
        pairs = zip(found[::2], found[1::2], strict=True)
        return [_snapshot(session_id, as_bytes(key), as_bytes(known)) for key, known in pairs]

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self._with_snapshots.discard(session_id)  # the next write will see
        await self._evaluate(_DELETE, session_id, [as_bytes(snapshot_id)])

    @in_time
    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        """In two steps, for a cluster may keep the sessions apart; a snapshot never changes."""
        if token is not None and await self._is_begun(new_session_id, token):
            return "done"
        found = await self._evaluate(_SHOW, session_id, [as_bytes(snapshot_id)], writes=False)
        if not found:
            return "not found"
        left, state, *bodies = map(as_bytes, found)
        ids = [as_bytes(message.id) for message in decode_messages(bodies)] if bodies else []
        values = [as_bytes(token or ""), state, left, *ids, *bodies]
        begun = await self._evaluate(redis_scripts.BEGIN_FORK, new_session_id, values)
        return "done" if begun else "not empty"

    async def _is_begun(self, session_id: str, token: str) -> bool:
        """Whether the session was begun by the call of this token."""
        values = [as_bytes(token)]
        return bool(await self._evaluate(redis_scripts.IS_BEGUN, session_id, values, writes=False))

    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        self._expect_snapshots(session_id)  # or state: the plain scripts would only look and go
        values = [_milliseconds(self._ttl), *redis_state.flat(named)]
        await self._evaluate(redis_state.PUT, session_id, values)

    async def _read_state(self, session_id: str) -> list[Named]:
        line, due = self._reading_line, self._due()
        found = await self._ask(line, ("HGETALL", self._keys.one(session_id, b"state")), due)
        if not found:
            found = await self._look_up(_READ_HASH, session_id, [_STATE], line=line, due=due)
        return redis_state.unfolded(found)

    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        values = redis_state.flat(named)
        await self._evaluate_user(redis_state.USER_NAMES, redis_state.PUT_OF_USER, user_id, values)

    async def _read_user_state(self, user_id: str) -> list[Named]:
        keys = self._keys.of_user(user_id, redis_state.USER_NAMES)
        script, line = redis_state.READ_OF_USER, self._reading_line
        return redis_state.unfolded(await self._ask_script(line, script, keys, [], self._due()))

    async def _ping(self) -> None:
        await self._call("PING")
        if self._replica is not None:
            await self._ask(self._replica.get(), ("PING",), self._due())

    async def _examine(self, repair: bool) -> list[Observation]:
        if not self._layout:
            await self._check_layout(self._line, self._due())
        examined = redis_examination.Examined(
            self._inquire,
            self._owners,
            self._evaluate,
            partial(self._evaluate_user, redis_facts_scripts.NAMES),
            partial(self._evaluate_user, redis_state.USER_NAMES),
        )
        return await redis_examination.examine(examined, self._layout, repair)

    async def _inquire(self, *command: Any) -> Any:
        """The answer to a command about settings; of a cluster, those of all primaries by name."""
        client = self.redis_client
        if is_cluster(client):
            call = client.execute_command(*command, target_nodes="primaries")
            return await self._reported(self._limited(call))
        return await self._reported(self._line.ask(command, self._due()))

    async def _owners(self, kind: bytes) -> AsyncIterator[str]:
        """Every session, or every user, of whom there is a key, once."""
        seen: set[str] = set()
        async for keys in self._scan("*", kind):
            found = {self._keys.owner(as_bytes(key))[0] for key in keys} - seen
            seen |= found
            for owner in found:
                yield owner

    def _search_backend(self) -> RedisSearch:
        return RedisSearch(self._evaluate, self._searched_sessions)

    async def _searched_sessions(self) -> AsyncIterator[str]:
        async for keys in self._scan("search"):
            for key in keys:
                yield self._keys.owner(as_bytes(key))[0]

    def _facts_backend(self) -> RedisFacts:
        evaluate = partial(self._evaluate_user, redis_facts_scripts.NAMES)
        return RedisFacts(evaluate, partial(self._owners, USER))

    async def _evaluate_write(self, write: Write, session_id: str, values: list[bytes]) -> Any:
        """Do the write by the script that knows no snapshots, unless the session has some."""
        due = self._due()
        if not self._raised:
            await self._raise_layout(FIRST_LAYOUT, due)
        if session_id not in self._with_snapshots and not self._eviction.lasting:
            keys = self._keys.plain(session_id)
            answer = await self._send_script(write.plain, keys, values, due=due)
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
        """Run a script that knows snapshots, on the server that is written to."""
        keys = self._keys.of_session(session_id)
        return await self._evaluate_keys(script, keys, values, writes, due)

    async def _evaluate_user(
        self,
        names: tuple[bytes, ...],
        script: Script,
        user_id: str,
        values: list[bytes],
        *,
        writes: bool = True,
    ) -> Any:
        """Run a script about the facts or the named values of a user."""
        keys = self._keys.of_user(user_id, names)
        return await self._evaluate_keys(script, keys, values, writes, None)

    async def _evaluate_keys(
        self,
        script: Script,
        keys: tuple[bytes, ...],
        values: list[bytes],
        writes: bool,
        due: float | None,
    ) -> Any:
        due = self._due() if due is None else due
        if writes:
            if self._raised < LAYOUT:
                await self._raise_layout(LAYOUT, due)
            if self._eviction.lasting:
                script = script.lasting
        await self._sweep()
        return await self._send_script(script, keys, values, writes=writes, due=due)

    async def _look_up(
        self,
        script: Script,
        session_id: str,
        values: list[bytes],
        *,
        line: RedisLine | None = None,
        due: float | None = None,
    ) -> Any:
        """Run a script that only reads, where reads go that need not know the latest."""
        line, due = line or self._reading_line, self._due() if due is None else due
        if line is self._line:  # the primary may be down while a replica answers
            await self._sweep()
        return await self._ask_script(line, script, self._keys.of_session(session_id), values, due)

    def _judge_refusal(self, error: MemoryStoreBackendError, key: bytes) -> None:
        self._eviction.judge(error, key)

    async def _check_layout(self, line: RedisLine, due: float) -> None:
        """Before the first command: see that the keys there are of a layout that we know.

        Nothing is written, for this may be a replica.
        """
        found = await self._reported(line.ask(("GET", self._keys.layout), due), line)
        self._admit_layout(int(found or FIRST_LAYOUT))
        if line is self._line:
            await self._look_for_eviction()

    async def _raise_layout(self, needed: int, due: float | None = None) -> None:
        """Before the first write that needs it: keep out who would not regard it."""
        if self._raised >= needed:
            return
        if due is None:
            due = self._due()
        if not self._layout or not self._eviction.looked:
            await self._check_layout(self._line, due)
        words = (1, self._keys.layout, needed, DUE)
        found = await self._run(self._post, redis_scripts.RAISE_LAYOUT.guarded, words, due)
        self._admit_layout(int(found))
        self._raised = self._layout

    def _admit_layout(self, found: int) -> None:
        if found > LAYOUT:
            prefix = self._keys.prefix.decode()
            raise SchemaTooNewError(
                f"{self._server} holds layout {found} under {prefix!r} and this goldfish knows "
                f"{LAYOUT}: pip install --upgrade goldfish, or use another prefix"
            )
        self._layout = found

    async def _look_for_eviction(self) -> None:
        """Once: warn if the server may drop what it acknowledged. Not every server tells."""
        if self._eviction.looked:
            return
        self._eviction.looked = True
        try:
            nodes = redis_examination.settings_of(await self._inquire("INFO", "memory"))
            self._eviction.note(redis_examination.eviction_policies(nodes))
        except asyncio.CancelledError:
            self._eviction.looked = False
            raise
        except Exception as error:  # whatever the reason: it is only a look
            self._eviction.note_silence(error)

    async def _sweep(self) -> None:
        """Now and then: remove what tells of some sessions and users that have ended."""
        if not self._eviction.lasting:
            return
        self._unswept += 1
        if self._unswept < SWEEP_EVERY or is_cluster(self.redis_client):
            return
        self._unswept = -math.inf  # one sweep at a time
        try:
            scan = "SCAN", self._cursor, "MATCH", self._keys.marks(), "COUNT", SWEEP_STEP
            found = await self._inquire(*scan)
            self._cursor = int(found[0])
            for key in map(as_bytes, found[1]):
                await self._end(key)
        except MemoryStoreBackendError as error:  # nobody waits for it
            _logger.debug("no sweep: %s", type(error.__cause__).__name__)
        finally:
            self._unswept = 0

    async def _end(self, key: bytes) -> None:
        """Remove what tells of a session or user, if that has ended."""
        owner, name = self._keys.owner(key)
        is_facts = name == b"meta"
        noted = await self._call(*(("HGET", key, "due") if is_facts else ("GET", key)))
        due = int((as_bytes(noted or b"0")).rpartition(b" ")[2])
        if not 0 < due < time.time() * 1000:
            return
        if is_facts:
            script, names = redis_examination_scripts.END_FACTS, redis_facts_scripts.NAMES
            await self._evaluate_user(names, script, owner, [])
        else:
            await self._evaluate(redis_examination_scripts.END, owner, [])

    async def _scan(
        self, name: str, kind: bytes = SESSION, prefix: str = "", line: RedisLine | None = None
    ) -> Any:
        """The keys of all sessions, or of all users, whose id begins so, some at a time."""
        line = line or self._line
        if not self._layout:
            await self._check_layout(line, self._due())
        pattern = self._keys.pattern(kind, name, prefix)
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


def _has_messages(names: set[bytes]) -> bool:
    """Whether a session with keys of these names has messages for sure."""
    return {b"log", b"ids"} <= names or {b"log", b"kept", b"kept-ids"} <= names


def _milliseconds(seconds: float | None) -> bytes:
    return b"" if seconds is None else b"%d" % max(1, math.ceil(seconds * 1000))


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
