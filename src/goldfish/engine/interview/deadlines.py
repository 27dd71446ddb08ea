"""What the interview asks about deadlines: how they are told, and what renews them."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from goldfish.harness.memory import Client, Memory

SOON = 1
ENOUGH = (1.1, 3.0)  # seconds after which a deadline of one second has come
PAUSE = 0.2


async def is_no_deadline_none(memory: Memory) -> bool | None:
    """Return False if the time left of a session without a deadline is a number below zero."""
    session = memory.session()
    await memory.client.add(session, memory.messages(1))
    left = await memory.client.call("get_ttl", session)
    return not (isinstance(left, int | float) and left < 0)


async def do_deadlines_need_messages(memory: Memory) -> bool | None:
    """Return False if a deadline that an empty session got is that of its first message."""
    session = memory.session()
    await memory.client.call("set_ttl", session, 1_000)
    await memory.client.add(session, memory.messages(1))
    left = await memory.client.call("get_ttl", session)
    return not (isinstance(left, int | float) and 900 < left <= 1_001)


async def do_reads_leave_deadlines(memory: Memory) -> bool | None:
    """Return False if a session lives on while it is read, and ends when it is not."""
    client = memory.client
    return await _is_left_alone(memory, client, client.contents)


async def do_writes_leave_deadlines(memory: Memory) -> bool | None:
    """Return False if a session lives on while it is written to, and ends when it is not."""
    client = memory.client

    async def write(session: str) -> None:
        await client.add(session, memory.messages(1))

    return await _is_left_alone(memory, client, write)


async def do_reads_leave_a_store_wide_expiry(memory: Memory) -> bool | None:
    """Return False if reads keep a session alive that a store-wide expiry would end."""
    if not memory.target.takes_ttl:
        return None
    client = await memory.reopen(ttl=SOON)
    try:
        return await _is_left_alone(memory, client, client.contents, set_ttl=False)
    finally:
        await memory.reopen()


async def _is_left_alone(
    memory: Memory,
    client: Client,
    use: Callable[[str], Awaitable[Any]],
    *,
    set_ttl: bool = True,
) -> bool | None:
    """Return False if a session in use outlives one that is not, and expires once it is idle."""
    used, idle = memory.session("used"), memory.session("idle")
    for session in (used, idle):
        await client.add(session, memory.messages(1))
        if set_ttl:
            await client.call("set_ttl", session, SOON)
    began = time.monotonic()
    for seconds in ENOUGH:  # some stores round up
        while time.monotonic() < began + seconds:
            await asyncio.sleep(PAUSE)
            await use(used)
        if not await client.contents(idle):
            break
    else:
        return None
    if not await client.contents(used):
        return True
    await asyncio.sleep(max(ENOUGH))
    return bool(await client.contents(used))  # a deadline that is lost is not renewed
