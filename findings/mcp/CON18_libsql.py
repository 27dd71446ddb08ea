"""mcp-memory-libsql: a write is refused because another process writes at the same moment.

The file is opened without a time for which to wait for its lock, so a second client's ordinary
write fails at once with SQLITE_BUSY. Exit 1 if a write is refused or gone.

What to do: try again, or use a libSQL server by its URL.
"""

import asyncio
import json
import sys
import tempfile

from client import call, opened, report, write_from_two
from mcp import ClientSession


async def tell(session: ClientSession, text: str) -> None:
    fact = {"name": text, "entityType": "Ann", "observations": [text]}
    await call(session, "create_entities", entities=[fact])


async def main(directory: str) -> int:
    command, place = "npx -y mcp-memory-libsql", {"LIBSQL_URL": f"file:{directory}/memory.db"}
    async with opened(command, directory, **place):
        pass  # the tables are there
    acknowledged, refused = await write_from_two(command, directory, tell, 20, **place)
    async with opened(command, directory, **place) as session:
        found = json.loads(await call(session, "search_nodes", query="Ann", limit=50))
    left = [each["name"] for each in found["entities"]]
    more = f", and {len(refused)} were refused: {refused[0]}" if refused else ""
    return report(acknowledged, left, " ".join(more.split()))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
