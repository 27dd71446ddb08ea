"""DUR: a process that is killed in the middle of writing a fact loses no other fact."""

import asyncio

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.files import PATIENCE, await_shrinking
from goldfish.catalogue.support.subjects import Facts
from goldfish.harness.errors import EndedError, StoreError
from goldfish.harness.memory import Client, Memory, OpeningError

READINGS = {"readings": " ".join(map(str, range(1000)))}  # make a write long enough to be hit
ROUNDS = 4
LONGEST_WRITE = 0.03


@check(
    "DUR29",
    "A process that is killed in the middle of writing a fact loses no acknowledged fact.",
    incident="mem0ai 2.2.1 with faiss: kill -9 while its file was being rewritten left a file that "
    "could not be read; the next opening started with an empty memory, without a warning.",
    about="facts",
    needs=[OtherProcess],
)
async def a_kill_amid_a_write_loses_nothing_acknowledged(memory: Memory) -> None:
    facts = Facts(memory)
    if memory.client.has("remember", "metadata"):
        facts.options = {"metadata": READINGS}
    await facts.write(memory.client, 12)
    await memory.close()
    for turn in range(int(ROUNDS * memory.effort)):
        victim = await memory.elsewhere()
        writing = asyncio.create_task(_write_until_killed(facts, victim))
        await asyncio.to_thread(await_shrinking, memory.sandbox.path)
        if turn % ROUNDS == ROUNDS - 1:  # the others are killed at the first sign of a write
            await asyncio.sleep(memory.random.uniform(0, LONGEST_WRITE))
        memory.kill(victim)
        await writing
        await facts.known.expect(facts.user, client=await _open_patiently(memory))
        await memory.close()


async def _write_until_killed(facts: Facts, client: Client) -> None:
    try:
        while True:
            await facts.write(client)
    except StoreError as error:
        if not isinstance(error.error, EndedError):
            raise


async def _open_patiently(memory: Memory) -> Client:
    """Open the storage, at the second try if need be: a dead process may hold it for a moment."""
    try:
        return await memory.open()
    except OpeningError:
        await asyncio.sleep(PATIENCE)
        return await memory.open()
