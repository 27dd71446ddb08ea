"""Memory: ten first puts at the same moment fail, and the memory stays broken.

Each of them defines the table that the first of them is about to define. Exit 1 if a put fails.
"""

import asyncio
import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory


async def main(directory: str) -> int:
    uri = f"sqlite+aiosqlite:///{directory}/memory.db"
    memory = Memory.from_defaults(session_id="chat", async_database_uri=uri)
    messages = [ChatMessage(role="user", content=f"message {n}") for n in range(10)]
    puts = await asyncio.gather(*map(memory.aput, messages), return_exceptions=True)
    failed = [each for each in puts if each is not None]
    if not failed:
        print("held: ten first puts at once succeed")
        return 0
    try:
        await memory.aput(messages[0])
        later = "a later one succeeds"
    except Exception as error:
        later = f"a later one fails too: {type(error).__name__}"
    print(f"broken: {len(failed)} of 10 first puts at once failed, and {later}")
    return 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
