"""DUR: an opening that has written goes on after another has removed what it wrote."""

from collections.abc import Sequence

from goldfish.catalogue.registry import OtherProcess, Reopening, check
from goldfish.catalogue.support.openings import require_several_writers
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.messages import ChatMessage


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
    """Let one client write, another remove, and both write and read again, for each removal."""
    ways = [way for way in ("trim", "delete_messages", "clear") if _can(memory, remover, way)]
    if not ways:
        raise UnsupportedError(Reason.of(Why.LACKS_METHODS, "trim", "clear"))
    for way in ways:
        session, batch = memory.session(), memory.messages(4)
        for part in (batch[:2], batch[2:]):
            await writer.add(session, part)
        await remover.expect(session, contents_of(batch))
        left = await _remove(remover, session, batch, way)
        gone = contents_of([each for each in batch if each not in left])
        for client in (writer, remover, writer):
            left = [*left, memory.message()]
            await client.add(session, left[-1:])
            for reader in (writer, remover):
                await reader.expect(session, contents_of(left), gone=gone)


def _can(memory: Memory, client: Client, way: str) -> bool:
    if way == "delete_messages" and "id" not in memory.target.carries:
        return False
    return client.has(way, "keep_last") if way == "trim" else client.has(way)


async def _remove(
    client: Client, session: str, batch: Sequence[ChatMessage], way: str
) -> list[ChatMessage]:
    """Remove messages of a batch in one way; return those that are left."""
    if way == "trim":
        await client.call("trim", session, keep_last=2)
        return list(batch[-2:])
    if way == "clear":
        await client.call("clear", session)
        return []
    await client.call("delete_messages", session, [each.id for each in batch[1:3]])
    return [batch[0], batch[-1]]
