"""TTL: a deadline counts fractions of a second, and is moved by nothing but writes and set_ttl."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from goldfish.catalogue.expiry.sessions import (
    SOON,
    SetTTL,
    expect_expiry,
    write_contents,
    write_expiring,
)
from goldfish.catalogue.registry import StoreTTL, check
from goldfish.catalogue.support.comparison import label_findings
from goldfish.catalogue.support.snapshots import save
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import OpeningError, StoreError
from goldfish.harness.memory import Client, Memory
from goldfish.harness.patience import LateError

TRIES = 4
# Seconds of a TTL, and after how many of them the session has to be there: cut to whole seconds,
# the first is over at once and the second after one.
FRACTIONS = ((0.45, 0.0), (1.8, 1.3))

Begin = Callable[[float], Awaitable[tuple[Client, str, list[Any]]]]


@check(
    "TTL27",
    "Fractions of a second in a TTL count: 0.45 s are not 0, and 1.8 s are not 1.",
    incident="Redis documents that EXPIRE takes whole seconds and that 0 deletes the key: a TTL "
    "that is cut with int() ends up to a second early, and below one second at once.",
    needs=[SetTTL],
)
async def fractions_of_a_second_count(memory: Memory) -> None:
    async def begin(seconds: float) -> tuple[Client, str, list[Any]]:
        session, contents = await write_contents(memory, f"for-{seconds:g}")
        try:
            await memory.client.call("set_ttl", session, seconds)
        except StoreError as error:
            raise UnsupportedError(Reason.stated("its deadlines are whole seconds")) from error
        return memory.client, session, contents

    await expect_time_to_pass(begin)


@check(
    "TTL28",
    "Fractions of a second in a store-wide expiry count.",
    incident="Redis documents that EX takes whole seconds: a TTL that is cut with int() ends up to "
    "a second early, and one below a second is refused or ends at once.",
    needs=[StoreTTL],
)
async def fractions_of_a_second_count_in_a_store_wide_expiry(memory: Memory) -> None:
    async def begin(seconds: float) -> tuple[Client, str, list[Any]]:
        try:
            client = await memory.reopen(ttl=seconds)
            return client, *await write_contents(memory, f"for-{seconds:g}")
        except (StoreError, OpeningError) as error:
            raise UnsupportedError(Reason.stated("its deadlines are whole seconds")) from error

    await expect_time_to_pass(begin)


async def expect_time_to_pass(begin: Begin) -> None:
    """Raise if a session is gone although a read of it was over before its TTL was."""
    for seconds, after in FRACTIONS:
        for _ in range(TRIES):
            began = time.monotonic()
            client, session, contents = await begin(seconds)
            await asyncio.sleep(max(0.0, began + after - time.monotonic()))
            found, passed = await client.contents(session), time.monotonic() - began
            if found == contents:
                break
            if passed < seconds:
                raise Violation(
                    f"lost: session {quote(session)} got a TTL of {seconds:g} s, and was gone "
                    f"after {passed:.2f} s",
                    f"expected {quote_list(contents)}",
                    f"read back {quote_list(found)}",
                )
        else:
            raise LateError("late: no session could be read before it expired")


@check(
    "TTL29",
    "Listing, saving or inspecting a session, and using another one, does not move its deadline.",
    incident="the langgraph.json reference says that every read restarts a TTL by default "
    "(refresh_on_read): a job that lists and inspects all sessions keeps them all alive.",
    needs=[SetTTL],
)
async def only_its_own_writes_and_set_ttl_move_a_deadline(memory: Memory) -> None:
    ways = _list_harmless_ways(memory, memory.client)
    there = {way: await write_expiring(memory, "expiring") for way in ways}
    await _expect_unmoved(memory.client, ways, there)


@check(
    "TTL30",
    "With a store-wide expiry, listing, saving or inspecting a session does not keep it alive.",
    incident="the langgraph.json reference says that every read restarts a TTL by default "
    "(refresh_on_read): a job that lists and inspects all sessions keeps them all alive.",
    needs=[StoreTTL],
)
async def only_writes_renew_a_store_wide_expiry(memory: Memory) -> None:
    client = await memory.reopen(ttl=SOON)
    ways = _list_harmless_ways(memory, client)
    there = {way: await write_contents(memory, "expiring") for way in ways}
    await _expect_unmoved(client, ways, there)


Way = Callable[[str], Awaitable[Any]]


def _list_harmless_ways(memory: Memory, client: Client) -> dict[str, Way]:
    """Return what can be done about a session that must not move its deadline."""
    other = memory.session("other")
    ways: dict[str, Way] = {
        "a write to another session": lambda _: client.add(other, memory.messages(1)),
        "list_sessions": lambda _: client.call("list_sessions"),
        "get_ttl": lambda session: client.call("get_ttl", session),
        "get_state": lambda session: client.call("get_state", session),
        "list_snapshots": lambda session: client.call("list_snapshots", session),
        "save_snapshot": lambda session: save(client, session),
        "clear": lambda _: client.call("clear", other),
    }
    return {way: act for way, act in ways.items() if " " in way or client.has(way)}


async def _expect_unmoved(
    client: Client, ways: dict[str, Way], there: dict[str, tuple[str, list[Any]]]
) -> None:
    """Raise if a session outlives its second because of what is done to it meanwhile."""
    began = time.monotonic()

    async def act() -> None:
        for way, (session, _) in there.items():
            if time.monotonic() < began + SOON or not way.startswith("save"):
                await ways[way](session)

    for way, (session, contents) in there.items():
        with label_findings(f"with {way} again and again"):
            await expect_expiry(client, session, contents, act, since=began)
