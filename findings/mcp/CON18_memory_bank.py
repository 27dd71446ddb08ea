"""memory-bank-mcp: two processes on one memory bank lose decisions that were acknowledged.

log_decision reads the Markdown file, appends to the text and writes all of it, with no lock
between: what another process logged meanwhile is gone.

What to do: one client at a time for a memory bank. Exit 1 if some are gone.
"""

import asyncio
import sys
import tempfile

from client import call, opened, report, write_from_two
from mcp import ClientSession


async def log(session: ClientSession, text: str) -> None:
    await call(session, "log_decision", title="note", context="test", decision=f"<{text}>")


async def main(directory: str) -> int:
    command = f"npx -y @movibe/memory-bank-mcp --path {directory}"
    async with opened(command, directory) as session:
        await call(session, "initialize_memory_bank", path=directory)
    acknowledged, _ = await write_from_two(command, directory, log, 20)
    async with opened(command, directory) as session:
        prose = await call(session, "read_memory_bank_file", filename="decision-log.md")
    return report(acknowledged, [each for each in acknowledged if f"<{each}>" in prose])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
