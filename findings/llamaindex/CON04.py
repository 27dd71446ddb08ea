"""Memory: a message that was read last is not the last any more when the history is read again.

Messages are sorted by a time that is noted before the write, so that one which waits for another
writer is put before what others have already read. The reason for the reordering in CON01 to CON13,
CON28 and DUR16 to DUR20 there. Exit 1 if a later read does not begin with what an earlier one
showed.

What to do: put messages from one place at a time, each after the one before has returned.
"""

import asyncio
import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

WRITERS, ROUNDS = 6, 40


async def main(directory: str) -> int:
    uri = f"sqlite+aiosqlite:///{directory}/memory.db"
    memory = Memory.from_defaults(session_id="chat", async_database_uri=uri)
    await memory.aput(ChatMessage(role="user", content="the first"))

    async def write_and_read(name: str) -> list[str]:
        await memory.aput(ChatMessage(role="user", content=name))
        return [str(each.content) for each in await memory.aget()]

    for number in range(ROUNDS):
        names = [f"{number}.{writer}" for writer in range(WRITERS)]
        seen = await asyncio.gather(*map(write_and_read, names))
        now = [str(each.content) for each in await memory.aget()]
        for earlier in seen:
            if earlier != now[: len(earlier)]:
                place = next(i for i, each in enumerate(earlier) if now[i] != each)
                print(f"broken: {earlier[place]!r} was read, then {now[place]!r} came before it")
                return 1
    print(f"held: {ROUNDS} times {WRITERS} puts at once, and what was read stayed in its place")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
