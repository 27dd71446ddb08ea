"""CON: facts that are told, revised and forgotten at the same time each end as they were left."""

from typing import Any

from goldfish.catalogue.concurrency.facts import TOWNS
from goldfish.catalogue.registry import OtherProcess, check, method
from goldfish.catalogue.support.facts import ExpectedFacts, remember
from goldfish.catalogue.support.openings import do_at_once, require_several_writers
from goldfish.catalogue.support.sizes import choose_count
from goldfish.harness.memory import Client, Memory

MOST = 8  # facts of each kind for each caller: it tells some, revises some and forgets some


@check(
    "CON24",
    "While three processes tell, revise and forget facts of one user, none undoes another's work.",
    incident="NousResearch/hermes-agent pull request 1726: sessions that added, replaced or "
    "removed memories at once each changed the file that they had read, and the last to write it "
    "dropped what the others had written.",
    about="facts",
    needs=[OtherProcess, method("forget")],
)
async def processes_that_forget_and_tell_at_once_undo_nothing(memory: Memory) -> None:
    require_several_writers(memory)
    await _change_at_once(memory, [await memory.elsewhere() for _ in range(3)])


@check(
    "CON25",
    "While tasks of one process tell, revise and forget facts at once, none undoes another's work.",
    incident="tigerless-labs/agent-memory pull request 37: corrections and deletions looked a "
    "record up before they took the lock, and wrote what they had seen over newer changes.",
    about="facts",
    needs=[method("forget")],
)
async def tasks_that_forget_and_tell_at_once_undo_nothing(memory: Memory) -> None:
    await _change_at_once(memory, await memory.callers(4))


async def _change_at_once(memory: Memory, clients: list[Client]) -> None:
    """Let each client tell, revise and forget facts of its own, all of one user, all at once."""
    most = MOST * len(clients)
    each = await choose_count(memory, least=most // 2, wanted=(most, most)) // len(clients)
    guests = [Guest(place, client, TOWNS[:each]) for place, client in enumerate(clients)]
    facts, user = ExpectedFacts(memory), memory.session("ann")
    for guest in guests:
        await guest.prepare(facts, user)
    await do_at_once(guest.change(facts, user) for guest in guests)
    await facts.expect(user)


class Guest:
    """One caller, with the facts that nobody but it will change."""

    def __init__(self, place: int, client: Client, towns: list[str]) -> None:
        self.client, self.towns = client, towns
        self.name = f"Guest {place + 1}"
        self.ids: dict[str, Any] = {}

    async def prepare(self, facts: ExpectedFacts, user: str) -> None:
        """Tell, in peace, what will be revised and forgotten."""
        doomed = ["misses", "flew to"] if self.client.has("revise") else ["misses"]
        for text in [f"{self.name} {verb} {town}" for verb in doomed for town in self.towns]:
            self.ids[text] = await remember(self.client, user, text)
            facts.note(user, text)

    async def change(self, facts: ExpectedFacts, user: str) -> None:
        """Tell one fact, revise one and forget one, for each town."""
        for town in self.towns:
            await facts.tell(user, f"{self.name} was in {town}", client=self.client)
            missed, flew = f"{self.name} misses {town}", f"{self.name} flew to {town}"
            await self.client.call("forget", user, self.ids[missed])
            facts.drop(user, missed)
            if flew in self.ids:
                drove = f"{self.name} drove to {town}"
                await self.client.call("revise", user, self.ids[flew], drove)
                facts.drop(user, flew)
                facts.note(user, drove)
