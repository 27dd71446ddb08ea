"""Several openings and callers of one storage: who may write, who writes at once, who sees it."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any

from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Client, Memory
from goldfish.messages import ChatMessage


def choose_writers(memory: Memory, one: Client, two: Client) -> tuple[Client, Client]:
    """Return both clients, or the first twice if the memory promises only one writer."""
    return (one, one) if memory.target.claims == "one writer" else (one, two)


def require_several_writers(memory: Memory) -> None:
    """Skip the check if the memory promises only one writer."""
    if memory.target.claims == "one writer":
        raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, "one writer only"))


async def expect_fresh(
    memory: Memory,
    client: Client,
    session: str,
    expected: Sequence[Any],
    *,
    gone: Iterable[Any] = (),
    elsewhere: bool = False,
) -> None:
    """Raise if a client does not read these contents; as ``stale`` if a new opening reads them.

    ``elsewhere`` asks a new process, because openings of one process may share a cache.
    """
    found = await client.contents(session)
    if found == list(expected):
        return
    newcomer = await (memory.elsewhere() if elsewhere else memory.open())
    if await newcomer.contents(session) == list(expected):
        raise Violation(
            f"stale: an older opening reads {len(found)} messages of session {quote(session)}, "
            f"but a new one reads {len(expected)}",
            f"the older opening read {quote_list(found)}",
            f"the new opening read {quote_list(expected)}",
        )
    await client.explain(session, expected, found, gone=gone)


async def refill(memory: Memory, client: Client, session: str, count: int) -> list[ChatMessage]:
    """Clear a session and give it as many new messages as it had, with no read in between."""
    batch = memory.messages(count)
    await client.call("clear", session)
    await client.add(session, batch)
    return batch


async def call_at_once(memory: Memory, calls: Iterable[tuple[Any, ...]]) -> None:
    """Make calls, each a method and its arguments, at once by four callers of one process."""
    callers = itertools.cycle(await memory.callers(4))
    await do_at_once(next(callers).call(*call) for call in calls)


async def do_at_once(work: Iterable[Coroutine[Any, Any, Any]]) -> None:
    """Do all of it at once; raise the error that comes first, when nothing is under way any more.

    So the calls that were under way are in the history: they may be why that one failed.
    """
    tasks = [asyncio.create_task(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def read_during(
    writing: Coroutine[Any, Any, None], read: Callable[[], Awaitable[None]]
) -> None:
    """Read again and again until the writing is done."""
    task = asyncio.create_task(writing)
    try:
        while not task.done():
            await read()
            await asyncio.sleep(0)
    finally:
        await task
