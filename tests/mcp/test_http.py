"""A server that runs already, by its URL: it is shared, so users get names of their own."""

import asyncio
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import goldfish
from goldfish.services.ports import find_free_port

EXAMPLE = Path(__file__).parents[2] / "examples" / "mcp"
CODE = """
import sys
import server
server.run(server.SCHEMA)
server.server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
"""


def test_users_of_two_checks_do_not_meet_at_a_url(tmp_path: Path) -> None:
    """What one sandbox told is not known in the next, though the storage is the same."""
    pytest.importorskip("mcp.server.mcpserver", reason="it starts a server of mcp 2")
    port = find_free_port()
    command = [sys.executable, "-c", CODE, str(tmp_path / "memory.db"), str(port)]
    process = subprocess.Popen(command, cwd=EXAMPLE, stderr=subprocess.DEVNULL)
    try:
        wait_until_it_listens(port)
        target = goldfish.adapt.mcp(
            f"http://127.0.0.1:{port}/mcp",
            remember="add_memory",
            list_facts="list_memories",
            facts="memories[]",
            text="text",
        )
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
            found = asyncio.run(tell(target, SimpleNamespace(path=tmp_path / name), name))
            assert found == [{"text": name}]
    finally:
        process.kill()
        process.wait()


async def tell(target: Any, sandbox: Any, text: str) -> Any:
    opened = target(sandbox)
    store = await anext(opened)
    await store.remember("ann", text)
    found = await store.list_facts("ann")
    await store.aclose()
    return found


def wait_until_it_listens(port: int) -> None:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.skip("this machine is too busy to tell")
