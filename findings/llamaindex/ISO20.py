"""Memory: first puts of several sessions into one new file at once do not all count.

Each looks whether the table is there, and then makes it. Also the reason for CON07, LIV03 and LIV09
there. Exit 1 if a put fails in one of ten new files.

What to do: await one put into a new file before several sessions use it.
"""

import asyncio
import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine


async def failures(path: str) -> list[str]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}")
    memories = [Memory.from_defaults(session_id=f"{n}", async_engine=engine) for n in range(8)]
    message = ChatMessage(role="user", content="hello")
    puts = await asyncio.gather(*(each.aput(message) for each in memories), return_exceptions=True)
    await engine.dispose()
    return [str(each).partition("\n")[0] for each in puts if each is not None]


async def main(directory: str) -> int:
    for number in range(10):
        failed = await failures(f"{directory}/{number}.db")
        if failed:
            print(f"broken: {len(failed)} of 8 sessions' first puts at once: {failed[0]}")
            return 1
    print("held: ten times the first puts of eight sessions at once")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
