"""server-memory: of twenty observations in flight in one process, nearly all are lost.

Each call reads the whole file and writes it anew without a lock, also within one process: a client
that sends several tool calls at once, as models do, is told that each has succeeded.

What to do: send one call after the other. Exit 1 if some are gone.
"""

import asyncio
import sys
import tempfile

from client import create_ann, observe, opened, read_ann, report

COMMAND = "npx -y @modelcontextprotocol/server-memory"


async def main(directory: str) -> int:
    place = {"MEMORY_FILE_PATH": f"{directory}/memory.jsonl"}
    async with opened(COMMAND, directory, **place) as session:
        await create_ann(session)
        texts = [f"fact {number}" for number in range(20)]
        await asyncio.gather(*(observe(session, text) for text in texts))
        return report(texts, await read_ann(session))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
