"""SNP: snapshots hold across processes that save, roll back, die, and do so all at once."""

import asyncio
from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.registry import OtherProcess, Reopening, check
from goldfish.catalogue.snapshots.sessions import LIST, REPEATING, RESTORING, save_states
from goldfish.catalogue.support.killing import Aim, kill_during
from goldfish.catalogue.support.openings import expect_fresh
from goldfish.catalogue.support.sessions import write_session
from goldfish.catalogue.support.snapshots import (
    expect_listed,
    expect_new_id,
    expect_one_of,
    expect_state,
    list_snapshots,
    roll_back,
    save,
)
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of, identity
from goldfish.messages import ChatMessage
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload

TRIES = 8


def repeat(memory: Memory) -> range:
    """Return a range that repeats what happens by chance, more often with more effort."""
    return range(max(1, round(TRIES * memory.effort)))


@check(
    "SNP21",
    "Process A saves and is killed, B rolls back, and C still finds and restores every snapshot.",
    incident="The rollback that wiped: the tests ran in one process on a fresh in-memory "
    "database, and could not see that a rollback left no snapshots for the next process.",
    needs=[*REPEATING, OtherProcess],
)
async def one_process_saves_and_dies_and_others_roll_back(memory: Memory) -> None:
    session, first = memory.session(), await memory.elsewhere()
    saved = await save_states(memory, first, session, 3)
    memory.kill(first)
    second = await memory.elsewhere()
    await second.add(session, later := memory.messages(2))
    there = [*saved[-1][1], *later]
    name = await save(second, session)  # beside those of the first
    expect_new_id(session, name, [each for each, _ in saved])
    saved.append((name, there))
    await expect_state(second, session, *saved[1], gone=there)
    memory.kill(second)
    third = await memory.elsewhere()
    await third.expect(session, contents_of(saved[1][1]), gone=contents_of(there))
    await expect_listed(third, session, [name for name, _ in saved])
    for state in (saved[2], saved[0], saved[3], saved[1]):
        await expect_state(third, session, *state, gone=there)


@check(
    "SNP22",
    "A process killed during a rollback leaves the state before it or the state after it.",
    incident="dittofs issue 810: a restore emptied the store and refilled it in separate steps; a "
    "crash in between left a share half restored.",
    needs=[*REPEATING, OtherProcess],
)
async def a_kill_during_a_rollback_leaves_one_state_or_the_other(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    (before, old), (after, both) = await save_states(memory, client, session, 2, size=12)
    states = [both, old]
    aim, late = Aim(memory), 0
    await aim.measure(client, "rollback_to_snapshot", session, before)
    for _ in repeat(memory):
        late = await _return_to(client, session, after, states, late)
        answered, _ = await kill_during(memory, aim, "rollback_to_snapshot", session, before)
        late += not answered
        state = await expect_one_of(client, session, states, "a kill during a rollback")
        if answered and state == 0:
            await client.expect(session, contents_of(states[1]))
        await expect_listed(client, session, [before, after])
    await expect_state(client, session, before, old, gone=both)


async def _return_to(
    client: Client, session: str, name: Any, states: Sequence[Sequence[Any]], late: int
) -> int:
    """Roll back to the first of two states; return how many killed calls may still take effect.

    A server may carry out what it was sent after its sender was killed: each such call may bring
    the session to the second state once.
    """
    for left in range(late, 0, -1):
        await roll_back(client, session, name)
        found = await client.contents(session)
        if found == contents_of(states[0]):
            return left
        if found != contents_of(states[1]):
            break
    await expect_state(client, session, name, states[0])
    return 0


@check(
    "SNP23",
    "A process killed during a save leaves the session unchanged and every listed snapshot whole.",
    incident="java-tron pull request 5224: a checkpoint whose process was killed halfway was "
    "taken for a complete one at the next start.",
    needs=[*REPEATING, OtherProcess],
)
async def a_kill_during_a_save_leaves_no_half_of_a_snapshot(memory: Memory) -> None:
    client, (session, batch) = memory.client, await write_session(memory, 24)
    names = [await save(client, session)]
    aim = Aim(memory)
    await aim.measure(client, "save_snapshot", session)
    for _ in repeat(memory):
        answered, found = await kill_during(memory, aim, "save_snapshot", session)
        names += [identity(found)] if answered else []
        await client.expect(session, contents_of(batch))
        for name in await _list_whole(client, session, names):
            await expect_state(client, session, name, batch)


async def _list_whole(client: Client, session: str, names: list[Any]) -> list[Any]:
    """Return the snapshots that must be whole: all that are listed, or that were acknowledged."""
    await expect_listed(client, session, names)
    return await list_snapshots(client, session) if client.has("list_snapshots") else names


@check(
    "SNP24",
    "During and after two rollbacks at once, a session is in one of the saved states, whole.",
    incident="Shiori-Agent pull request 251: an undo and the summary of the same turns had to "
    "share one lock, because each overwrote what the other had begun.",
    needs=[*REPEATING, OtherProcess],
)
async def two_processes_that_roll_back_at_once_leave_one_of_the_states(memory: Memory) -> None:
    client, (session, kept) = memory.client, await write_session(memory, 2)
    base = await save(client, session)
    saved = []
    for _ in range(2):
        batch = memory.messages(6)
        await client.add(session, batch)
        saved.append((await save(client, session), [*kept, *batch]))
        await expect_state(client, session, base, kept, gone=batch)
    others = await memory.elsewhere(), await memory.elsewhere()
    for _ in repeat(memory):
        await expect_state(client, session, base, kept)
        both = zip(others, saved, strict=True)
        work = asyncio.gather(*(roll_back(each, session, name) for each, (name, _) in both))
        states = [messages for _, messages in saved]
        await _watch(client, session, [kept, *states], work)
        await expect_one_of(client, session, states, "two rollbacks at once")
        await expect_listed(client, session, [base, *(name for name, _ in saved)])


async def _watch(
    client: Client, session: str, states: list[list[ChatMessage]], work: asyncio.Future[Any]
) -> None:
    """Read a session as long as the work takes; raise if it is ever in none of these states."""
    try:
        while not work.done():
            await expect_one_of(client, session, states, "a rollback had begun")
    finally:
        await work


@check(
    "SNP25",
    "A rollback undoes the writes before it and keeps those after it; none is torn or lost.",
    incident="hudi pull request 18089: a rollback that met a commit in progress continued beside "
    "it, and both were considered done.",
    needs=[*RESTORING, OtherProcess],
)
async def a_write_at_the_moment_of_a_rollback_is_before_it_or_after(memory: Memory) -> None:
    client, (session, kept) = memory.client, await write_session(memory, 4)
    name = await save(client, session)
    writer, other = await memory.elsewhere(), await memory.elsewhere()
    for _ in repeat(memory):
        batches = [memory.messages(2) for _ in range(8)]
        begun, done = await _write_and_roll_back(memory, writer, other, session, name, batches)
        expect_undone_or_kept(
            contents_of(kept),
            [contents_of(batch) for batch in batches],
            await client.contents(session),
            begun=begun,
            done=done,
        )
        await roll_back(client, session, name)


async def _write_and_roll_back(
    memory: Memory,
    writer: Client,
    other: Client,
    session: str,
    name: Any,
    batches: list[list[ChatMessage]],
) -> tuple[int, int]:
    """Return how many batches were written before a rollback, and begun before it was over."""
    begun = written = 0
    seen = [0, len(batches)]

    async def write() -> None:
        nonlocal begun, written
        for batch in batches:
            begun += 1
            await writer.add(session, batch)
            written += 1

    async def undo() -> None:
        await asyncio.sleep(memory.random.uniform(0, 0.01))
        seen[0] = written
        await roll_back(other, session, name)
        seen[1] = begun

    await asyncio.gather(write(), undo())
    return seen[0], seen[1]


def expect_undone_or_kept(
    kept: list[Any], batches: list[list[Any]], found: list[Any], *, begun: int, done: int
) -> None:
    """Raise unless the first batches are undone, the last ones are there, and all are whole.

    The first ``begun`` batches were acknowledged before the rollback began; those after the first
    ``done`` began when it was over. So what is left is what was kept, followed by all batches from
    some point between the two.
    """
    for first in range(begun, done + 1):
        if found == [*kept, *(each for batch in batches[first:] for each in batch)]:
            return
    evidence = (
        f"saved {quote_list(kept)}",
        f"{begun} of {len(batches)} batches were written before it, {done} begun before its end",
        f"read back {quote_list(found)}",
    )
    for each in (each for batch in batches[done:] for each in batch):
        if each not in found:
            raise Violation(
                f"lost: {quote(each)} was added after a rollback, but is gone", *evidence
            )
    for each in (each for batch in batches[:begun] for each in batch):
        if each in found:
            raise Violation(
                f"resurrected: {quote(each)} was undone by a rollback, but is there", *evidence
            )
    raise Violation("torn: writes during a rollback are neither before it nor after it", *evidence)


@check(
    "SNP26",
    "An opening that has read a session sees another opening's rollback at once.",
    incident="hermes-agent pull request 78603: a rollback restored the files, but the agent "
    "cached in the process continued with the turns that had been undone.",
    needs=[*RESTORING, Reopening],
)
async def an_opening_sees_what_another_rolled_back(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    session, kept, later = memory.session(), memory.messages(2), memory.messages(2)
    await one.add(session, kept)
    name = await save(one, session)
    await one.add(session, later)
    await two.expect(session, contents_of([*kept, *later]))
    await roll_back(one, session, name)
    await expect_fresh(memory, two, session, contents_of(kept), gone=contents_of(later))
    then = memory.messages(1)
    await one.add(session, then)
    await expect_fresh(memory, two, session, contents_of([*kept, *then]), gone=contents_of(later))


@check(
    "SNP27",
    "Nothing is missing if every step runs in a process of its own that is killed afterwards.",
    incident="marmot issue 8: a snapshot was restored beside the -wal file of a dead process, and "
    "the two together were a damaged database.",
    needs=[*REPEATING, LIST, OtherProcess],
)
async def no_process_ever_closes_and_nothing_is_missing(memory: Memory) -> None:
    session, names = memory.session(), list[Any]()
    old, new, then = memory.messages(3), memory.messages(3), memory.messages(2)
    for batch in (old, new):
        writer = await memory.elsewhere()
        await writer.add(session, batch)
        memory.kill(writer)
        saver = await memory.elsewhere()
        names.append(await save(saver, session))
        memory.kill(saver)
    for name, messages in zip(names, (old, [*old, *new]), strict=True):
        one = await memory.elsewhere()
        await expect_state(one, session, name, messages, gone=new)
        memory.kill(one)
        reader = await memory.elsewhere()
        await reader.expect(session, contents_of(messages), gone=contents_of(new))
        await expect_listed(reader, session, names)
        memory.kill(reader)
    last = await memory.elsewhere()
    await last.add(session, then)
    memory.kill(last)
    await memory.client.expect(session, contents_of([*old, *new, *then]))


@check(
    "SNP28",
    "Processes that save, roll back and write at once lose nothing added after a rollback.",
    incident="Shiori-Agent pull request 251: a write that had begun before an undo outlived the "
    "lock and overwrote what the undo had left.",
    needs=[*REPEATING, OtherProcess],
)
async def a_rollback_takes_nothing_that_comes_after_it(memory: Memory) -> None:
    mix = {"add": 10, "read": 4, "save": 1, "rollback": 1}
    await withstand(memory, Workload(mix=mix, operations=72), rounds=10)
