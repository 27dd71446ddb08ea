"""Memory: ten first puts at the same moment fail, and the memory stays broken.

Each of them finds the table defined, by the first of them, and not yet made. In the default
database, in the process, all ten fail and so does all that comes later; in a file, some of them.
It is also behind CTX31, where fifty sessions of an agent begin at once. Exit 1 if a put fails.

What to do: await one put, or get, of a new memory before anything runs at once.
"""

import asyncio
import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory


async def failures(uri: str | None) -> tuple[int, str]:
    memory = Memory.from_defaults(session_id="chat", async_database_uri=uri)
    messages = [ChatMessage(role="user", content=f"message {n}") for n in range(10)]
    puts = await asyncio.gather(*map(memory.aput, messages), return_exceptions=True)
    try:
        await memory.aput(messages[0])
        later = "succeeds"
    except Exception as error:
        later = f"raises {type(error).__name__}"
    return sum(each is not None for each in puts), later


async def main(directory: str) -> int:
    failed, later = await failures(None)
    in_file, _ = await failures(f"sqlite+aiosqlite:///{directory}/memory.db")
    word = "broken" if failed or in_file else "held"
    print(
        f"{word}: {failed} of 10 first puts at once failed (in a file {in_file}), the 11th {later}"
    )
    return 1 if failed or in_file else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))
