"""mcp-knowledge-graph: a process that is killed while it writes leaves an empty or cut file.

Each call truncates the file and writes it anew in place; a kill in between loses everything that
was ever acknowledged. Exit 1 if that happens in one of fifty kills.

What to do: keep copies of the file, or use a server that moves a new file into place.
"""

import asyncio
import contextlib
import os
import sys
import tempfile

from client import create_ann, kill, observe, opened, read_ann, report

COMMAND = "npx -y @itseasy21/mcp-knowledge-graph"
LONG = "a long observation " * 20_000  # writing it takes a while


def wait_until_truncated(file: str, writing: asyncio.Task[None]) -> None:
    size = os.path.getsize(file)
    while not writing.done() and os.path.getsize(file) >= size:
        pass


async def main(directory: str) -> int:
    file = f"{directory}/memory.jsonl"
    place = {"MEMORY_FILE_PATH": file}
    async with opened(COMMAND, directory, **place) as session:
        await create_ann(session)
        await observe(session, LONG)
        await observe(session, "the door code is 8892")
    for turn in range(50):
        with contextlib.suppress(Exception):  # the client sees that the server is gone
            async with opened(COMMAND, directory, **place) as session:
                writing = asyncio.create_task(observe(session, f"turn {turn}"))
                await asyncio.to_thread(wait_until_truncated, file, writing)
                kill(directory)
                await writing
        try:
            async with opened(COMMAND, directory, **place) as session:
                left = await read_ann(session)
        except Exception:
            left = []
        if "the door code is 8892" not in left:
            return report([LONG, "the door code is 8892"], left, f" after kill {turn + 1}")
    return report([LONG, "the door code is 8892"], left)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
