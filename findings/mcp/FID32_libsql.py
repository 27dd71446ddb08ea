"""mcp-memory-libsql: characters of an observation are dropped, and the caller is not told.

What create_entities is given goes through a filter that removes spaces at both ends and every
control and format character, such as the joiner that makes one picture of two: the observation is
acknowledged, and comes back as another text. Exit 1 if it does.

What to do: refuse what cannot be kept, or keep it.
"""

import asyncio
import json
import sys
import tempfile

from client import call, opened

TOLD = "Party on Friday \N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"


async def main(directory: str) -> int:
    command, place = "npx -y mcp-memory-libsql", {"LIBSQL_URL": f"file:{directory}/memory.db"}
    async with opened(command, directory, **place) as session:
        fact = {"name": "fact", "entityType": "Ann", "observations": [TOLD]}
        await call(session, "create_entities", entities=[fact])
        found = json.loads(await call(session, "search_nodes", query="Ann", limit=50))
    (back,) = [text for each in found["entities"] for text in each["observations"]]
    print(f"{'held' if back == TOLD else 'broken'}: told {TOLD!a}, read {back!a}")
    return int(back != TOLD)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
