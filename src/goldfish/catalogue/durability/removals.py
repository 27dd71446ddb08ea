"""DUR: an opening that has written goes on after another has removed what it wrote."""

import itertools

from goldfish.catalogue.registry import OtherProcess, Reopening, check
from goldfish.catalogue.support.openings import require_several_writers
from goldfish.catalogue.support.removals import find_removals, remove
from goldfish.harness.memory import Client, Memory, contents_of


@check(
    "DUR30",
    "An opening whose messages another one trimmed, deleted or cleared goes on with what is left.",
    incident="can1357/oh-my-pi issue 4338: a compaction replaced the file of a session, and later "
    "turns were appended to the old file, which was still open but had no path any more.",
    needs=[Reopening],
)
async def an_opening_goes_on_after_others_removed_messages(memory: Memory) -> None:
    require_several_writers(memory)
    one, two = memory.client, await memory.open()
    await _go_on_after_removals(memory, one, two)


@check(
    "DUR31",
    "A process whose messages another one trimmed, deleted or cleared goes on with what is left.",
    incident="seaweedfs/seaweedfs pull request 11408: once a journal was compacted, a handle to "
    "the replaced file could stay in use, to which records were written and acknowledged that no "
    "name led to.",
    needs=[OtherProcess],
)
async def a_process_goes_on_after_others_removed_messages(memory: Memory) -> None:
    require_several_writers(memory)
    here, other = memory.client, await memory.elsewhere()
    await _go_on_after_removals(memory, here, other)
    await _go_on_after_removals(memory, other, here)


async def _go_on_after_removals(memory: Memory, writer: Client, remover: Client) -> None:
    """Let one client write, another remove, and both write and read again, for each removal.

    A writer that reads before and after the removal has a copy to go wrong with; one that does
    not may write to what is no longer there.
    """
    ways = find_removals(memory, remover, ("trim", "delete_messages", "clear"))
    for way, looks in itertools.product(ways, (False, True)):
        session, batch = memory.session(), memory.messages(4)
        for part in (batch[:2], batch[2:]):
            await writer.add(session, part)
        for client in (remover, writer) if looks else (remover,):
            await client.expect(session, contents_of(batch))
        left = await remove(remover, session, batch, way)
        gone = contents_of([each for each in batch if each not in left])
        if looks:
            await writer.expect(session, contents_of(left), gone=gone)
        for client in (writer, remover, writer):
            left = [*left, memory.message()]
            await client.add(session, left[-1:])
            for reader in (writer, remover):
                await reader.expect(session, contents_of(left), gone=gone)
