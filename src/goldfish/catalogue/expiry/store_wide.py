"""TTL: a store-wide expiry applies to every session, and every write renews it."""

import asyncio
import time
from typing import Any

from goldfish.catalogue.expiry.sessions import SOON, expect_expiry, write_contents
from goldfish.catalogue.registry import StoreTTL, check, method, trait
from goldfish.catalogue.support.comparison import label_findings
from goldfish.catalogue.support.sessions import ids_of, write_session
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.harness.patience import LateError
from goldfish.messages import ChatMessage


@check(
    "TTL17",
    "With a store-wide expiry, the write itself sets the deadline, and the session expires.",
    incident="Flowise issue 2255: the session timeout of its Upstash memory was never sent to the "
    "server, and the key's TTL stayed 'forever'.",
    needs=[StoreTTL],
)
async def a_store_wide_expiry_takes_effect(memory: Memory) -> None:
    client = await memory.reopen(ttl=SOON)
    session, contents = await write_contents(memory, "left-alone")
    left = await client.call("get_ttl", session) if client.has("get_ttl") else SOON
    still_there = await client.contents(session)
    await expect_expiry(client, session, contents)
    if left is None and still_there:
        raise Violation("wrong: get_ttl returned None right after a write, but the session expired")


@check(
    "TTL18",
    "With a store-wide expiry, a session stays whole as long as it is written to.",
    incident="tomcat-redis-session-manager issue 15: the TTL was set once and not renewed by later "
    "activity, and users were logged out in the middle of their work.",
    needs=[StoreTTL],
)
async def every_write_renews_a_store_wide_expiry(memory: Memory) -> None:
    client = await memory.reopen(ttl=2)
    for _ in range(3):
        session, contents = await write_contents(memory, "active")
        slowest, last = 0.0, time.monotonic()
        for turn in range(4):
            await asyncio.sleep(0.6)
            batch = memory.messages(1)
            if turn < 3:
                await client.add(session, batch)
                contents += contents_of(batch)
            found = [] if turn < 3 else await client.contents(session)
            slowest, last = max(slowest, time.monotonic() - last), time.monotonic()
        if slowest > 0.95:
            continue  # too slow: even a store that renews may round down to a second
        if missing := [each for each in contents if each not in found]:
            raise Violation(
                f"lost: {quote(missing[0])} is gone after 2 s, though the session was written to "
                "in between",
                f"read back {quote_list(found)}",
            )
        return
    raise LateError("late: no session could be written to often enough")


@check(
    "TTL19",
    "With a store-wide expiry, reading a session does not keep it alive.",
    incident="rest-sessions issue 1: each use reset a session's timer, so a session that is polled "
    "never ends.",
    needs=[StoreTTL, trait("idle_reads")],
)
async def reads_do_not_renew_a_store_wide_expiry(memory: Memory) -> None:
    client = await memory.reopen(ttl=SOON)
    session, contents = await write_contents(memory, "read")
    await expect_expiry(client, session, contents, lambda: client.contents(session))


@check(
    "TTL20",
    "With a store-wide expiry, writing to one session does not renew another.",
    incident="Redis documents that EXPIRE applies to a whole key: sessions kept in one hash live "
    "as long as the busiest of them.",
    needs=[StoreTTL],
)
async def an_idle_session_expires_while_others_are_written(memory: Memory) -> None:
    client = await memory.reopen(ttl=SOON)
    idle, contents = await write_contents(memory, "idle")
    busy = memory.session("busy")
    await expect_expiry(client, idle, contents, lambda: client.add(busy, memory.messages(1)))


@check(
    "TTL21",
    "With a store-wide expiry, a trimmed session still expires.",
    incident="Redis documents that deleting or overwriting a key removes its timeout: a trim that "
    "rewrites the rest of the list makes it permanent.",
    needs=[StoreTTL, method("trim", "keep_last")],
)
async def trimming_keeps_a_store_wide_expiry(memory: Memory) -> None:
    client = await memory.reopen(ttl=SOON)
    session, contents = await write_contents(memory, "trimmed", 5)
    await client.call("trim", session, keep_last=3)
    await expect_expiry(client, session, contents)


@check(
    "TTL26",
    "With a store-wide expiry, a session expires after its second write and any later one.",
    incident="czcorpus/kontext issue 894: only the first write of a session set its TTL, each "
    "later save dropped it, and Redis took more and more memory.",
    needs=[StoreTTL],
)
async def later_writes_keep_a_store_wide_expiry(memory: Memory) -> None:
    client = await memory.reopen(ttl=SOON)
    written: dict[str, tuple[str, list[Any]]] = {}
    for way in ("add_messages", "get_history", "trim", "delete_messages", "clear"):
        if client.has(way):
            session, batch = await write_session(memory, 3, way)
            await _use(client, way, session, batch)
            later = memory.messages(2)
            for message in later:
                await client.add(session, [message])
            written[way] = session, contents_of([*batch, *later])
    began = time.monotonic()
    for way, (session, contents) in written.items():
        with label_findings(f"after {way} and two more writes"):
            await expect_expiry(client, session, contents, since=began)


async def _use(client: Client, way: str, session: str, batch: list[ChatMessage]) -> None:
    """Do between two writes what this method does, if it is not a write itself."""
    if way == "trim":
        await client.call("trim", session, keep_last=2)
    elif way == "delete_messages":
        await client.call("delete_messages", session, ids_of(batch[:1]))
    elif way == "clear":
        await client.call("clear", session)
    else:
        await client.contents(session)
