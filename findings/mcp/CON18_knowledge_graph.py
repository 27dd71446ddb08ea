"""mcp-knowledge-graph: two processes on one file lose observations, or ruin the file.

Each call reads the whole file and writes it in place, with no lock between: what another process
wrote meanwhile is gone, and where two writes meet, the end of the longer one stays behind the
shorter: the file is no JSON any more, and every call fails from then on (behind DUP07).

What to do: one client at a time, or a server with a database. Exit 1 if some are gone.
"""

import asyncio
import sys
import tempfile

from client import create_ann, observe, opened, read_ann, report, write_from_two

COMMAND = "npx -y @itseasy21/mcp-knowledge-graph"


async def main(directory: str) -> int:
    place = {"MEMORY_FILE_PATH": f"{directory}/memory.jsonl"}
    async with opened(COMMAND, directory, **place) as session:
        await create_ann(session)
    acknowledged, refused = await write_from_two(COMMAND, directory, observe, 30, **place)
    more = f", and {len(refused)} were refused: {refused[0]}" if refused else ""
    async with opened(COMMAND, directory, **place) as session:
        try:
            left = await read_ann(session)
        except Exception as error:
            left, more = [], f"{more}; the file cannot be read: {error}"
    return report(acknowledged, left, more)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
