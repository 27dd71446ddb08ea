"""CON: a process that reads all the time, while others write, misses nothing in the end."""

import time
from typing import Any

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.openings import (
    expect_fresh,
    read_during,
    require_several_writers,
)
from goldfish.catalogue.support.together import finish_all
from goldfish.harness.memory import Client, Memory

WRITERS = 4  # each in a process and a session of its own
MESSAGES = 200  # of each writer
SECONDS = 2.0  # to write them in: a slow store gets fewer


@check(
    "CON31",
    "A process that reads while others write ends with all the messages of every session.",
    incident="commanded/eventstore issue 3: a reader that goes on after the last number it has "
    "seen misses an event whose number was drawn before, but committed afterwards.",
    needs=[OtherProcess],
)
async def a_process_that_reads_meanwhile_misses_nothing(memory: Memory) -> None:
    require_several_writers(memory)
    reader = await memory.elsewhere()
    writers = {memory.session(): await memory.elsewhere() for _ in range(WRITERS)}
    written: dict[str, list[Any]] = {session: [] for session in writers}
    for session, client in writers.items():  # so that lazy set-up is done
        await _write(memory, client, session, written[session], 0)
    until = time.monotonic() + SECONDS

    async def write_all() -> None:
        await finish_all(
            *(
                _write(memory, client, session, written[session], until)
                for session, client in writers.items()
            )
        )

    async def read_all() -> None:
        for session in writers:
            await reader.contents(session)

    await read_during(write_all(), read_all)
    for session, contents in written.items():
        await expect_fresh(memory, reader, session, contents, elsewhere=True)


async def _write(
    memory: Memory, client: Client, session: str, written: list[Any], until: float
) -> None:
    """Add messages one by one, and note their contents, until there are enough."""
    most = min(MESSAGES, memory.target.window or MESSAGES)
    while len(written) < most and (not written or time.monotonic() < until):
        message = memory.message()
        await client.add(session, [message])
        written.append(message.content)
