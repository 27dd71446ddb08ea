"""mcp-memory-libsql: two names that differ in a control character become one.

Names and types go through a filter that removes control and format characters: what is told under
'ann' with an invisible character at its end is stored under 'ann', and whoever reads what belongs
to 'ann' gets it. Exit 1 if that happens.

What to do: refuse names with such characters before they reach the server.
"""

import asyncio
import json
import sys
import tempfile

from client import call, opened


async def main(directory: str) -> int:
    command, place = "npx -y mcp-memory-libsql", {"LIBSQL_URL": f"file:{directory}/memory.db"}
    async with opened(command, directory, **place) as session:
        secret = {"name": "fact", "entityType": "ann\x80", "observations": ["PIN 1234"]}
        await call(session, "create_entities", entities=[secret])
        found = json.loads(await call(session, "search_nodes", query="ann", limit=50))
    types = [each["entityType"] for each in found["entities"]]
    word = "broken" if "ann" in types else "held"
    print(f"{word}: told of {secret['entityType']!a}, known of {types!a}")
    return int(word == "broken")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
