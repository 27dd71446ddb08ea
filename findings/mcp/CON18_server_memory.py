"""server-memory: two processes on one file lose observations that were acknowledged.

Each call reads the whole file, changes the graph and writes the file anew, with no lock between:
what another process wrote meanwhile is gone. Two clients (two windows of an editor, say) start two
servers on one file. The same is, for calls in flight in one process, behind CON19 and CON23.

What to do: one client at a time, or a server with a database. Exit 1 if some are gone.
"""

import asyncio
import sys
import tempfile

from client import create_ann, observe, opened, read_ann, report, write_from_two

COMMAND = "npx -y @modelcontextprotocol/server-memory"


async def main(directory: str) -> int:
    place = {"MEMORY_FILE_PATH": f"{directory}/memory.jsonl"}
    async with opened(COMMAND, directory, **place) as session:
        await create_ann(session)
    acknowledged, _ = await write_from_two(COMMAND, directory, observe, 30, **place)
    async with opened(COMMAND, directory, **place) as session:
        return report(acknowledged, await read_ann(session))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
