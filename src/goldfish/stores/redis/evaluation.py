"""The part of a store that runs scripts on its keys, and knows their layout and their end."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from goldfish.errors import MemoryStoreBackendError, SchemaTooNewError
from goldfish.stores.redis.calls import FIRST_LAYOUT, RedisCalls
from goldfish.stores.redis.channel import Channel, is_cluster
from goldfish.stores.redis.clock import DUE
from goldfish.stores.redis.connection import Command
from goldfish.stores.redis.eviction import EvictionWatch
from goldfish.stores.redis.examination import eviction_policies, list_settings
from goldfish.stores.redis.keys import SESSION, RedisKeys, as_bytes
from goldfish.stores.redis.scripts import examination, messages, user
from goldfish.stores.redis.scripts.script import Script, Write
from goldfish.stores.redis.scripts.session import SNAPSHOTS

if TYPE_CHECKING:
    from goldfish.stores.redis.channel import Client

# Versions of the keys, and of what is in them: an older goldfish refuses one that it does not know.
# FIRST_LAYOUT has messages only; 2 to 4 were for the first snapshot, search and named value.
LAYOUT = 5  # from the first write on that is not only about messages
SCAN_STEP = 1000
SWEEP_EVERY = 100  # calls
SWEEP_STEP = 400  # keys: more than so many calls write
MOST_KNOWN = 10_000

_logger = logging.getLogger("goldfish.stores.redis")


class RedisEvaluation(RedisCalls):
    """Runs scripts on the keys under one prefix.

    ``due`` is when a call has to be over, by the clock of the event loop; without it, a call has
    the whole ``timeout``.
    """

    def __init__(
        self,
        url: str | None,
        redis_client: "Client | None",
        read_url: str | None,
        prefix: str,
        timeout: float,
        confirm: Command,
    ) -> None:
        super().__init__(url, redis_client, read_url, timeout, confirm)
        self._keys = RedisKeys(prefix)
        self._eviction = EvictionWatch(self._server, self._keys)
        self._unswept = 0.0  # calls since the last step of a sweep
        self._cursor = 0  # where that ended
        self._with_snapshots: set[str] = set()  # sessions that may have some: only to save time

    async def _evaluate_write(self, write: Write, session_id: str, values: list[bytes]) -> Any:
        """Run the plain script of a write, or the full one if the session may have snapshots."""
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
        channel: Channel | None = None,
        due: float | None = None,
    ) -> Any:
        """Run a script that only reads, on the replica if there is one."""
        channel, due = channel or self._read_channel, self._due() if due is None else due
        if channel is self._channel:  # the primary may be down while a replica answers
            await self._sweep()
        keys = self._keys.of_session(session_id)
        return await self._ask_script(channel, script, keys, values, due)

    async def _inquire(self, *command: Any) -> Any:
        """Send a command about settings; a cluster answers for each primary, by its name."""
        client = self.redis_client
        if is_cluster(client):
            call = client.execute_command(*command, target_nodes="primaries")
            return await self._translate_errors(self._limit(call))
        return await self._translate_errors(self._channel.ask(command, self._due()))

    async def _list_owners(self, kind: bytes) -> AsyncIterator[str]:
        """Yield each session, or each user, that has a key, once."""
        seen: set[str] = set()
        async for keys in self._scan("*", kind):
            found = {self._keys.owner(as_bytes(key))[0] for key in keys} - seen
            seen |= found
            for owner in found:
                yield owner

    async def _scan(
        self,
        name: str,
        kind: bytes = SESSION,
        prefix: str = "",
        channel: Channel | None = None,
    ) -> AsyncIterator[list[Any]]:
        """Yield the keys of this name, some at a time, of all owners whose id has this prefix."""
        channel = channel or self._channel
        if not self._layout:
            await self._check_layout(channel, self._due())
        pattern = self._keys.pattern(kind, name, prefix)
        batch: list[Any] = []
        keys = channel.client.scan_iter(match=pattern, count=SCAN_STEP).__aiter__()
        while True:
            try:
                batch.append(await self._translate_errors(self._limit(anext(keys)), channel))
            except StopAsyncIteration:
                break
            if len(batch) == SCAN_STEP:
                yield batch
                batch = []
        yield batch

    def _explain_refusal(self, error: MemoryStoreBackendError, key: bytes) -> None:
        self._eviction.raise_if_evicted(error, key)

    async def _check_layout(self, channel: Channel, due: float) -> None:
        """Before the first command, check that we know the layout of the keys.

        Nothing is written, because the server may be a replica.
        """
        found = await self._translate_errors(channel.ask(("GET", self._keys.layout), due), channel)
        self._admit_layout(int(found or FIRST_LAYOUT))
        if channel is self._channel:
            await self._look_for_eviction()

    async def _raise_layout(self, needed: int, due: float | None = None) -> None:
        """Before the first write that needs this layout, note it, to keep out older versions."""
        if self._raised >= needed:
            return
        if due is None:
            due = self._due()
        if not self._layout or not self._eviction.looked:
            await self._check_layout(self._channel, due)
        words = (1, self._keys.layout, needed, DUE)
        found = await self._run(self._post, messages.RAISE_LAYOUT.guarded, words, due)
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
        """Warn once if the server may evict acknowledged data; not every server answers."""
        if self._eviction.looked:
            return
        self._eviction.looked = True
        try:
            nodes = list_settings(await self._inquire("INFO", "memory"))
            self._eviction.note(eviction_policies(nodes))
        except asyncio.CancelledError:
            self._eviction.looked = False
            raise
        except Exception as error:  # whatever the reason: it is only a look
            self._eviction.note_silence(error)

    async def _sweep(self) -> None:
        """Now and then, remove the marks of some sessions and users that have ended."""
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
                await self._remove_ended(key)
        except MemoryStoreBackendError as error:  # nobody waits for it
            _logger.debug("no sweep: %s", type(error.__cause__).__name__)
        finally:
            self._unswept = 0

    async def _remove_ended(self, key: bytes) -> None:
        """Remove the mark of a session or user, with what is left of it, if that has ended."""
        owner, name = self._keys.owner(key)
        is_facts = name == b"meta"
        noted = await self._call(*(("HGET", key, "due") if is_facts else ("GET", key)))
        due = int((as_bytes(noted or b"0")).rpartition(b" ")[2])
        if not 0 < due < time.time() * 1000:
            return
        if is_facts:
            await self._evaluate_user(user.NAMES, examination.END_FACTS, owner, [])
        else:
            await self._evaluate(examination.END, owner, [])
