"""DUR, continued: a process that is killed while it writes a fact takes no other fact with it."""

import asyncio
import itertools
import time
from pathlib import Path
from typing import Any

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.facts import ExpectedFacts, offer
from goldfish.harness.client import EndedError
from goldfish.harness.memory import Client, Memory, OpeningError

FACTS = [f"Ann met guest {number} in {year}" for number, year in enumerate(range(2001, 2013))]
READINGS = {"readings": list(range(1000))}  # so that a write takes its time, and can be hit
ROUNDS = 4
PATIENCE = 0.2  # seconds to wait for a file that becomes smaller
LONGEST_WRITE = 0.03


@check(
    "DUR29",
    "A process that is killed while it writes a fact loses none that was acknowledged.",
    incident=(
        "mem0ai 2.2.1 with faiss: a kill -9 while its file was written anew left one that could "
        "not be read; the next opening began with an empty memory, and said nothing."
    ),
    about="facts",
    needs=[OtherProcess],
)
async def a_kill_amid_a_write_loses_nothing_acknowledged(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    takes = memory.client.has("remember", "metadata")
    more: dict[str, Any] = {"metadata": READINGS} if takes else {}
    await knowledge.tell(user, *FACTS, **more)
    await memory.close()
    numbers = itertools.count(len(FACTS))
    for turn in range(int(ROUNDS * memory.effort)):
        victim = await memory.elsewhere()
        telling = asyncio.create_task(_tell_on(knowledge, user, victim, numbers, more))
        await asyncio.to_thread(_await_a_write, memory.sandbox.path)
        if turn % ROUNDS == ROUNDS - 1:  # the others are killed at the first sign of a write
            await asyncio.sleep(memory.random.uniform(0, LONGEST_WRITE))
        memory.kill(victim)
        in_doubt = await telling
        await _expect(knowledge, user, await _opened(memory), in_doubt)
        await memory.close()


async def _tell_on(
    knowledge: ExpectedFacts,
    user: str,
    client: Client,
    numbers: "itertools.count[int]",
    more: dict[str, Any],
) -> str:
    """Tell one fact after the other, until the process ends; the one that it did not answer."""
    while True:
        text = f"Ann met guest {(number := next(numbers))} in {2001 + number}"
        refusal = await offer(client, user, text, **more)
        if refusal is None:
            knowledge.note(user, text)
        elif isinstance(refusal.error, EndedError):
            return text
        else:
            raise refusal


async def _opened(memory: Memory) -> Client:
    """The storage, opened at the second try at the latest: the dead let go of it in a moment."""
    try:
        return await memory.open()
    except OpeningError:
        await asyncio.sleep(PATIENCE)
        return await memory.open()


async def _expect(knowledge: ExpectedFacts, user: str, client: Client, in_doubt: str) -> None:
    found = await knowledge.fetch(user, client=client)
    if in_doubt in found:
        knowledge.note(user, in_doubt)
    knowledge.compare(user, found)


def _await_a_write(directory: Path) -> None:
    """Wait until a file becomes smaller, as one does that is written anew, but not for long."""
    until, before = time.monotonic() + PATIENCE, _sizes(directory)
    while time.monotonic() < until:
        now = _sizes(directory)
        if any(now.get(path, 0) < size for path, size in before.items()):
            return
        before = now


def _sizes(directory: Path) -> dict[Path, int]:
    sizes = {}
    for path in directory.rglob("*"):
        try:
            sizes[path] = path.stat().st_size
        except FileNotFoundError:  # it went while we looked
            continue
    return sizes
