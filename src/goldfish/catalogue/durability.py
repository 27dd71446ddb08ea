"""DUR: what was acknowledged outlives the opening and the process that wrote it."""

from goldfish.check import OtherProcess, Reopening, check
from goldfish.driver import Memory, contents_of


@check("DUR02", needs=[Reopening], suite="smoke")
async def acknowledged_messages_survive_reopen(memory: Memory) -> None:
    """What was acknowledged is still there after the store is closed and opened again.

    Incident: mem0ai 0.1.40 with its default on_disk=False deleted its folder on every open: three
    memories, a restart, none left.
    """
    session, batch = memory.session(), memory.messages(5)
    await memory.client.add(session, batch)
    client = await memory.reopen()
    await client.expect(session, contents_of(batch))


@check("DUR03", needs=[OtherProcess], suite="smoke")
async def another_process_sees_what_was_acknowledged(memory: Memory) -> None:
    """What one process was told is stored, another process reads at once.

    Incident: langchain-core's InMemoryChatMessageHistory keeps messages in the process: behind two
    workers, every second question finds no history.
    """
    session, batch = memory.session(), memory.messages(3)
    await memory.client.add(session, batch)
    other = await memory.elsewhere()
    await other.expect(session, contents_of(batch))
