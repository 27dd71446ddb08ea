"""TTL: a write that is killed or cut off leaves no session that lives for ever."""

import asyncio
import time
from typing import Any

from goldfish.catalogue.expiry.sessions import SOON, expect_expiry
from goldfish.catalogue.registry import OtherProcess, Server, StoreTTL, check
from goldfish.catalogue.support.killing import Aim, kill_during
from goldfish.catalogue.support.servers import get_network
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory, contents_of

KILLS = 6
PATIENCE = 1.0  # seconds to wait for a write on a network that carries no reply
REPLIES = 6  # the most that a write waits for, before all later ones are cut
EVERY_LATER = 1_000


@check(
    "TTL31",
    "With a store-wide expiry, a session whose writer was killed expires, or has no messages.",
    incident="devswha/patina issue 605: a value was written and its expiry set by a second call; "
    "a crash in between left a key without a TTL, for ever.",
    needs=[StoreTTL, OtherProcess],
)
async def a_killed_writer_leaves_no_session_for_ever(memory: Memory) -> None:
    client, aim = await memory.reopen(ttl=SOON), Aim(memory)
    await _require_expiry(memory, client)
    await aim.measure(client, "add_messages", memory.session(), memory.messages(2))
    written: dict[str, list[Any]] = {}
    for turn in range(round(KILLS * memory.effort)):
        session, before, batch = memory.session(), memory.messages(turn % 2), memory.messages(2)
        if before:  # else the killed write is the first of its session
            await client.add(session, before)
        victim = await memory.elsewhere(ttl=SOON)
        await kill_during(memory, aim, "add_messages", session, batch, victim=victim)
        written[session] = contents_of([*before, *batch])
    await _expect_all_to_expire(client, written)


@check(
    "TTL32",
    "With a store-wide expiry, a session whose write was cut off by the network expires.",
    incident="utksh1/SecuScan issue 1786: INCR and EXPIRE were two calls; a connection lost in "
    "between left a key without a TTL, for ever.",
    needs=[Server, StoreTTL],
    own_servers=True,
)
async def a_link_cut_during_a_write_leaves_no_session_for_ever(memory: Memory) -> None:
    network = get_network(memory)
    client = await memory.reopen(ttl=SOON)
    await _require_expiry(memory, client)
    written: dict[str, list[Any]] = {}
    for replies in range(REPLIES):
        cuts = network.cuts
        for fresh in (True, False):
            session, batch = memory.session(), memory.messages(2)
            before = [] if fresh else memory.messages(1)
            if before:
                await client.add(session, before)
            await client.contents(session)
            await _write_cut_off(memory, client, session, batch, replies)
            written[session] = contents_of([*before, *batch])
            client = await memory.reopen(ttl=SOON)
        if network.cuts == cuts:
            break  # a write waits for fewer replies than that
    await _expect_all_to_expire(client, written)


async def _require_expiry(memory: Memory, client: Client) -> None:
    """Skip the check if a session outlives its time although nothing disturbs its two writes."""
    session, batch = memory.session("undisturbed"), memory.messages(2)
    for message in batch:
        await client.add(session, [message])
    try:
        await expect_expiry(client, session, contents_of(batch))
    except Violation as violation:
        raise UnsupportedError(
            Reason.stated("sessions do not expire even if no write is disturbed")
        ) from violation


async def _write_cut_off(
    memory: Memory, client: Client, session: str, batch: list[Any], replies: int
) -> None:
    """Write while so many replies arrive and no later one; what the store says is not asked."""
    with get_network(memory).cut_before_reply(EVERY_LATER, skip=replies):
        writing = asyncio.create_task(client.offer(session, batch))
        await asyncio.wait({writing}, timeout=PATIENCE)
    await writing


async def _expect_all_to_expire(client: Client, written: dict[str, list[Any]]) -> None:
    began = time.monotonic()
    for session, contents in written.items():
        try:
            await expect_expiry(client, session, contents, since=began)
        except StoreError:  # a connection that had died
            await expect_expiry(client, session, contents, since=began)
