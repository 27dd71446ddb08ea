"""memorymesh: of several processes that open a new database at once, some never begin.

The first request makes the tables, and does not wait for others who do the same: it is answered
with "Internal server error", and the client has no memory at all. Three windows that start
together, as after a restart of an editor, are three such clients. Exit 1 if one is refused.

What to do: start one client, and the others when it has answered.
"""

import asyncio
import shutil
import sys
import tempfile

from client import call, opened

# As `uvx --from memorymesh memorymesh-mcp` starts it, or `pip install memorymesh`.
COMMAND = shutil.which("memorymesh-mcp") or "uvx --from memorymesh memorymesh-mcp"
ROUNDS = 10  # of a race that may be won


async def tell(directory: str) -> str:
    """Start a server and tell it a fact; return why it was refused."""
    place = {"MEMORYMESH_PATH": f"{directory}/memories.db", "HOME": directory}
    try:
        async with opened(COMMAND, directory, **place) as session:
            await call(session, "remember", text="Ann has been to Rome")
    except BaseException as error:
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        return str(error)
    return ""


async def main() -> int:
    for number in range(ROUNDS):
        with tempfile.TemporaryDirectory() as directory:
            answers = await asyncio.gather(*(tell(directory) for _ in range(3)))
        if refused := [each for each in answers if each]:
            print(f"broken: {len(refused)} of 3 were refused in round {number + 1}: {refused[0]}")
            return 1
    print(f"held: nobody was refused in {ROUNDS} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
