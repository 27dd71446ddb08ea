"""What the interview asks about the storage: values of a session, and what a reopen leaves."""

from typing import Any

from goldfish.catalogue.support.facts import fetch_texts
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import OpeningError, StoreError
from goldfish.harness.memory import Client, Memory
from goldfish.world.sandbox import Sandbox

FACT = "Ann sails on Sundays"


SERVICES = {"redis_url": "redis", "postgres_dsn": "postgres"}


class WatchedSandbox(Sandbox):
    """A sandbox that knows whether its place was asked for, and which servers."""

    is_used = False
    asked: tuple[str, ...] = ()

    def __getattribute__(self, name: str) -> Any:
        if name in {"path", *SERVICES}:
            self.is_used = True
        if name in SERVICES and SERVICES[name] not in self.asked:
            self.asked = (*self.asked, SERVICES[name])
        return super().__getattribute__(name)

    def make_environment(self) -> dict[str, str | None]:
        """Return the variables for a program: what it does with them shows in the directory."""
        before = self.is_used, self.asked
        made = super().make_environment()
        self.is_used, self.asked = before
        return made


async def can_be_opened_beside(memory: Memory) -> bool | None:
    """Return False if only the process that has the storage open cannot open it once more.

    A memory that refuses other processes too is left to the checks: a service has several.
    """
    sandbox = memory.sandbox
    if memory.target.services or not isinstance(sandbox, WatchedSandbox) or not sandbox.is_used:
        return None
    name = memory.session()
    if not await _write_and_read(memory, memory.client, name):
        return None
    try:
        await memory.open()
    except OpeningError:
        other = await memory.anew()
        is_shared = bool(await _read(other, name)) and await _write_and_read(memory, other, name)
        await other.close()
        return False if is_shared else None
    return True


async def ends_with_its_opening(memory: Memory) -> bool:
    """Return True if a memory is empty after a reopen, and never had a place to keep anything.

    One that asked for a directory or a server, and is empty all the same, lost what it was told.
    """
    sandbox = memory.sandbox
    if memory.target.services or not isinstance(sandbox, WatchedSandbox) or sandbox.is_used:
        return False
    name = memory.session()
    try:
        before = await _write_and_read(memory, memory.client, name)
        if any(sandbox.path.iterdir()):
            return False
        client = await memory.reopen()
        if not before or not await _read(client, name):
            return before
        fresh = await memory.anew()  # what all storages of a process share is no place either
        return not await _read(fresh, name)
    except (StoreError, Violation, OpeningError, UnsupportedError):
        return False


async def _write_and_read(memory: Memory, client: Client, name: str) -> bool:
    if client.has("add_messages"):
        await client.add(name, memory.messages(1))
    else:
        await client.call("remember", name, FACT)
    return bool(await _read(client, name))


async def _read(client: Client, name: str) -> list[Any]:
    if client.has("get_history"):
        return await client.contents(name)
    return await fetch_texts(client, name, [FACT])
