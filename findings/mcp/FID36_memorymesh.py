"""memorymesh: a fact of 100,000 characters is stored, and a search for its words fails.

remember takes the text; recall with the same text as its query answers with an error of its own,
without a reason. Shorter queries, also of 20,000 characters, find it. Exit 1 if recall fails.

What to do: cut a query before it is sent.
"""

import asyncio
import shutil
import sys
import tempfile

from client import call, opened

# As `uvx --from memorymesh memorymesh-mcp` starts it, or `pip install memorymesh`.
COMMAND = shutil.which("memorymesh-mcp") or "uvx --from memorymesh memorymesh-mcp"


async def main(directory: str) -> int:
    place = {"MEMORYMESH_PATH": f"{directory}/memories.db", "HOME": directory}
    text = "word " * 20_000
    async with opened(COMMAND, directory, **place) as session:
        await call(session, "remember", text=text)
        try:
            await call(session, "recall", query=text, k=5)
        except RuntimeError as error:
            print(f"broken: a text of {len(text)} characters was stored; recall failed: {error}")
            return 1
    print("held: recall took a query of 100,000 characters")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
