"""Checks our LlamaIndex memory: one test per promise."""

from functools import cache

from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine

import goldfish


@goldfish.target
async def memory(sandbox):
    """Open the memory on a private SQLite file, as often as goldfish needs it."""
    engine = create_async_engine(f"sqlite+aiosqlite:///{sandbox.path / 'memory.db'}")

    # Make the memory of a session as your application does.
    @cache
    def memory_of(session_id):
        return Memory.from_defaults(
            session_id=session_id,
            async_engine=engine,
            token_limit=1_000_000_000,  # beyond its limit, it archives the oldest messages
            tokenizer_fn=str.split,
        )

    yield goldfish.adapt.llamaindex(memory_of)
    await engine.dispose()


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check
