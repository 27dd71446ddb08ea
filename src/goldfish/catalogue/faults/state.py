"""FLT, continued: while the world is broken no value looks unset; afterwards all are there."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from goldfish.catalogue.registry import Server, check
from goldfish.catalogue.support.adversity import RECOVERY, Begin
from goldfish.catalogue.support.persistence import blame_forgetful_server
from goldfish.catalogue.support.state import ExpectedState, Owner, fetch, put
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Memory


@check(
    "FLT40",
    "While the server cannot be reached no session looks as if it had no values.",
    incident=(
        "agno-agi/agno pull request 9309: during a failover a read that failed looked like a "
        "session that did not exist; an empty one was made in its place, and the next write "
        "overwrote six weeks of it."
    ),
    about="state",
    needs=[Server],
    own_servers=True,
    suite="smoke",
)
async def values_that_cannot_be_reached_are_an_error(memory: Memory) -> None:
    trial = await Trial.begun(memory)
    await trial.live_through(memory.sandbox.faults.network(memory.target.services[0]).refuse)


@check(
    "FLT41",
    "While the server is down no value looks unset; once it is back the same client works.",
    incident=(
        "astrid-runtime/astrid issue 257: any error of the store, also a passing one, made the "
        "state of a session begin anew."
    ),
    about="state",
    needs=[Server],
    own_servers=True,
)
async def values_are_found_again_on_a_restarted_server(memory: Memory) -> None:
    trial = await Trial.begun(memory)
    with blame_forgetful_server(memory):
        await trial.live_through(memory.sandbox.faults.server(memory.target.services[0]).kill)


@dataclass
class Trial:
    """What is set and asked before, while and after something is wrong."""

    memory: Memory
    owner: Owner
    stated: ExpectedState
    doubtful: dict[str, Any] = field(default_factory=dict)  # set, and answered by an error
    number: int = 0

    @classmethod
    async def begun(cls, memory: Memory) -> "Trial":
        """Some values that were acknowledged in peace."""
        trial = cls(memory, Owner(memory.session()), ExpectedState(memory))
        await trial.stated.put(trial.owner, {"note": memory.text(), "deep": {"a": [1]}})
        await trial.stated.expect(trial.owner)
        return trial

    async def live_through(self, begin: Begin) -> None:
        """Set and ask while the fault lasts, then until the same client works again."""
        fault = await asyncio.to_thread(begin)
        try:
            for _ in range(2):
                await self.ask(fault.what)
                await self.set()
        finally:
            await asyncio.to_thread(fault.heal)
        await self.recover()

    async def set(self) -> bool:
        """Whether a new value was acknowledged."""
        self.number += 1
        values = {f"turn {self.number}": self.memory.text()}
        try:
            await put(self.memory.client, self.owner, values)
        except StoreError:
            self.doubtful |= values
            return False
        self.stated.note(self.owner, values)
        return True

    async def ask(self, amid: str = "") -> bool:
        """Whether the values could be read; what was read must be what was set."""
        try:
            found = await fetch(self.memory.client, self.owner)
        except StoreError:
            return False
        if not found:
            meanwhile = amid or "the store was coming back"
            raise Violation(f"swallowed: {self.owner} looked as if it had no values: {meanwhile}")
        self.compare(found)
        return True

    def compare(self, found: dict[str, Any]) -> None:
        """Raise what is wrong with these values; an error may have come after the deed."""
        doubted = {name: value for name, value in self.doubtful.items() if name in found}
        self.stated.note(self.owner, doubted)
        self.doubtful = {n: value for n, value in self.doubtful.items() if n not in doubted}
        self.stated.compare(self.owner, found)

    async def recover(self) -> None:
        """The same client works again by itself, and gives all that was acknowledged."""
        give_up = time.monotonic() + RECOVERY * self.memory.deadline
        while not (await self.ask() and await self.set()):
            if time.monotonic() > give_up:
                raise Violation("wedged: all is well again, and the store does not work")
            await asyncio.sleep(0.05)
        await self.ask()
