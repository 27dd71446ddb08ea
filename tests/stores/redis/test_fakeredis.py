"""A fakeredis without Lua, as most people have it."""

import subprocess
import sys

import pytest

WITHOUT_LUA = """
import asyncio, sys
for name in ("lupa", *(f"lupa.{each}" for each in ("lua51", "lua52", "lua53", "lua54", "lua55"))):
    sys.modules[name] = None  # what a plain installation looks like
import fakeredis
import goldfish

async def main():
    store = goldfish.RedisMemoryStore(redis_client=fakeredis.FakeAsyncRedis())
    try:
        await store.add_messages("s", [goldfish.ChatMessage(role="user", content="x")])
    except goldfish.MemoryStoreBackendError as error:
        print(error)

asyncio.run(main())
"""


def test_it_is_told_what_to_install() -> None:
    """And not that a server may not be running."""
    pytest.importorskip("fakeredis")
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT_LUA], capture_output=True, text=True, check=True
    )
    assert "runs no Lua scripts" in said.stdout
    assert "pip install 'fakeredis[lua]'" in said.stdout
