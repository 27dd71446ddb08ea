"""Fork servers: what is forked from one program is alike, and another program is not."""

import asyncio
import os
from random import Random
from typing import Any

import goldfish
from goldfish.harness.memory import Memory
from goldfish.world.sandbox import Sandbox


class Telling:
    """Tells what its process is like."""

    def add_messages(self, session_id: str, messages: list[Any]) -> None: ...

    def get_history(self, session_id: str) -> list[Any]:
        return [hash("a session"), os.getppid()]


@goldfish.target
def telling(sandbox: Any) -> Telling:
    return Telling()


async def _ask_all() -> list[Any]:
    sandbox = Sandbox()
    memory = Memory(telling, sandbox, Random(1), deadline=30)
    try:
        clients = [await memory.elsewhere(), await memory.elsewhere()]
        clients += [await memory.anew(), await memory.anew()]
        return [await each.call("get_history", "s") for each in clients]
    finally:
        await memory.discard()
        sandbox.close()


def test_processes_of_another_program_hash_otherwise_and_import_themselves() -> None:
    """All that ask for one get processes of the same: it is started once."""
    here, also_here, there, also_there = asyncio.run(_ask_all())
    assert here == also_here
    assert there == also_there
    assert here[0] != there[0]
    assert here[1] != there[1]
