"""FLT, continued: while the world is broken no fact looks forgotten; afterwards all are known."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from goldfish.catalogue.registry import OtherProcess, Server, check
from goldfish.catalogue.support.adversity import RECOVERY, Begin, list_files
from goldfish.catalogue.support.facts import ExpectedFacts, unpack_facts
from goldfish.catalogue.support.persistence import blame_forgetful_server
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Client, Memory
from goldfish.harness.pods import Pod

FACTS = ["Ann lives in Berlin", "The cat is called Schnurri", "Order 8892 is a red bicycle"]


@check(
    "FLT29",
    "While the server cannot be reached, recalling and telling are errors; afterwards both work.",
    incident=(
        "xorbitsai/xagent pull request 2047: a search that failed in the database came back as "
        "success with no memories, so that the agent said it knew nothing."
    ),
    about="facts",
    needs=[Server],
    own_servers=True,
    suite="smoke",
)
async def a_memory_that_cannot_be_reached_is_an_error(memory: Memory) -> None:
    story = await Story.begun(memory, memory.client)
    await story.live_through(memory.sandbox.faults.network(memory.target.services[0]).refuse)


@check(
    "FLT30",
    "While the server is down no fact looks forgotten; once it is back the same client works.",
    incident=(
        "agent0ai/agent-zero issue 615: a memory search that failed ended the turn with an error, "
        "which went away for a while and came back."
    ),
    about="facts",
    needs=[Server],
    own_servers=True,
)
async def a_restarted_server_is_found_again(memory: Memory) -> None:
    story = await Story.begun(memory, memory.client)
    with blame_forgetful_server(memory):
        await story.live_through(memory.sandbox.faults.server(memory.target.services[0]).kill)


@check(
    "FLT31",
    "When the disk is full a fact is refused, none is forgotten, and with room again all is well.",
    incident=(
        "qTox/qTox issue 2179: the disk was full when the program was started again, and its "
        "history was empty."
    ),
    about="facts",
    needs=[OtherProcess],
)
async def a_full_disk_is_an_error_and_forgets_nothing(memory: Memory) -> None:
    await Story.begun(memory, memory.client)
    list_files(memory)
    await memory.close()
    story = await Story.begun(memory, await memory.elsewhere())
    pod, disk = story.client.opened, memory.sandbox.faults.disk
    assert isinstance(pod, Pod)
    for allowance in (0, list_files(memory)[0].stat().st_size):
        await story.live_through(partial(disk.full, pod.pid, allowance))
    await story.compare(await memory.reopen())


@dataclass
class Story:
    """What one client is told and asked before, while and after something is wrong."""

    memory: Memory
    client: Client
    user: str
    knowledge: ExpectedFacts
    doubtful: set[str] = field(default_factory=set)  # told, and answered by an error
    number: int = 0

    @classmethod
    async def begun(cls, memory: Memory, client: Client) -> "Story":
        """Some facts that were acknowledged in peace."""
        story = cls(memory, client, memory.session("ann"), ExpectedFacts(memory))
        await story.knowledge.tell(story.user, *FACTS, client=client)
        await story.knowledge.expect(story.user, client=client)
        return story

    async def live_through(self, begin: Begin) -> None:
        """Tell and ask while the fault lasts, then until the same client works again."""
        fault = await asyncio.to_thread(begin)
        try:
            for _ in range(2):
                await self.ask(fault.what)
                await self.tell()
        finally:
            await asyncio.to_thread(fault.heal)
        await self.recover()

    async def tell(self) -> bool:
        """Whether a new fact was acknowledged."""
        self.number += 1
        text = f"Ann was number {self.number} in the queue"
        try:
            await self.client.call("remember", self.user, text)
        except StoreError:
            self.doubtful.add(text)
            return False
        self.knowledge.note(self.user, text)
        return True

    async def ask(self, amid: str = "") -> bool:
        """Whether the facts could be read; what was read must be what was told."""
        answers: list[Callable[[], Awaitable[Any]]] = []
        if self.client.has("list_facts"):
            answers.append(lambda: self.client.call("list_facts", self.user))
        if self.client.has("recall"):
            answers.append(lambda: self.client.call("recall", self.user, FACTS[0]))
        for ask in answers:
            try:
                items = unpack_facts(await ask(), "recall")
            except StoreError:
                return False
            if not items:
                raise Violation(
                    f"swallowed: nothing looked known of {quote(self.user)} while "
                    f"{amid or 'the store was coming back'}"
                )
        return True

    async def recover(self) -> None:
        """The same client works again by itself, and knows all that was acknowledged."""
        give_up = time.monotonic() + RECOVERY * self.memory.deadline
        while not (await self.ask() and await self.tell()):
            if time.monotonic() > give_up:
                raise Violation("wedged: all is well again, and the store does not work")
            await asyncio.sleep(0.05)
        await self.compare(self.client)

    async def compare(self, client: Client) -> None:
        """Raise what is wrong with what a client knows; an error may have come after the deed."""
        found = await self.knowledge.fetch(self.user, client=client)
        self.knowledge.compare(self.user, [each for each in found if each not in self.doubtful])
