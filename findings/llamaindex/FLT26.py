"""Memory: if its first call fails because the file is locked, every later call fails as well.

The table counts as there from the first try to make it on. Exit 1 if the memory does not work once
the file is free again.

What to do: make a new Memory after a first call that failed.
"""

import asyncio
import sqlite3
import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine


async def main(path: str) -> int:
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}", connect_args={"timeout": 0.2})
    memory = Memory.from_defaults(session_id="chat", async_engine=engine)
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    first = await raised(memory)
    other.rollback()
    other.close()
    later = await raised(memory)
    await engine.dispose()
    print(
        f"{'broken' if later else 'held'}: locked: {first or 'no error'}; free: {later or 'works'}"
    )
    return 1 if later else 0


async def raised(memory: Memory) -> str:
    try:
        await memory.aput(ChatMessage(role="user", content="hello"))
    except Exception as error:
        return str(error).partition("\n")[0]
    return ""


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(f"{place}/memory.db")))
