"""Messages, facts and state, each as something that a check writes and expects to read."""

import itertools
from abc import ABC, abstractmethod
from typing import Any

from goldfish.catalogue.support.facts import ExpectedFacts, recall_texts, remember
from goldfish.catalogue.support.openings import expect_fresh
from goldfish.catalogue.support.state import ExpectedState, Owner, fetch, has_user_state
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of

FACTS = [
    "Ann lives in Berlin",
    "The cat is called Schnurri",
    "Order 8892 is a red bicycle",
    "Dinner with Tomasz is on Friday",
    "The flat has a balcony",
]


class Subject(ABC):
    """What a memory keeps of one kind, with everything of it that was acknowledged."""

    reading = "a read"  # what returns it

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @abstractmethod
    async def write(self, client: Client, count: int = 1) -> None:
        """Write that many new things; when this returns, they are acknowledged."""

    @abstractmethod
    async def expect(self, client: Client) -> None:
        """Raise if the client does not return exactly what was acknowledged."""

    async def expect_fresh(self, client: Client) -> None:
        """Do the same; the finding is ``stale`` if a new process returns it."""
        try:
            await self.expect(client)
        except Violation as violation:
            if violation.finding in {"leaked", "wrong"}:
                raise
            await self.expect(await self.memory.elsewhere())
            raise Violation(
                f"stale: {violation.summary}; a new process reads it right", *violation.evidence
            ) from violation


class Messages(Subject):
    """The messages of one session, in order."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.session = memory.session()
        self.contents: list[Any] = []

    async def write(self, client: Client, count: int = 1) -> None:
        """Add one batch."""
        batch = self.memory.messages(count)
        await client.add(self.session, batch)
        self.contents += contents_of(batch)

    async def expect(self, client: Client) -> None:
        """Read the whole history."""
        await client.expect(self.session, self.contents)

    async def expect_fresh(self, client: Client) -> None:
        """Compare with what a new process reads, and say how many messages each has."""
        await expect_fresh(self.memory, client, self.session, self.contents, elsewhere=True)


class Facts(Subject):
    """The facts about one user."""

    name = "facts"

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.user = memory.session("ann")
        self.known = ExpectedFacts(memory)
        more = (f"Ann met guest {number} in {2000 + number}" for number in itertools.count(1))
        self.texts = itertools.chain(FACTS, more)
        self.options: dict[str, Any] = {}  # for remember

    async def write(self, client: Client, count: int = 1) -> None:
        """Tell one fact after the other."""
        texts = itertools.islice(self.texts, count)
        await self.known.tell(self.user, *texts, client=client, **self.options)

    async def is_empty(self, client: Client) -> bool:
        """Return True if no fact is listed, or none recalled."""
        if not await self.known.fetch(self.user, client=client):
            return True
        return client.has("recall") and not await recall_texts(client, self.user, FACTS[0])

    async def expect(self, client: Client) -> None:
        """List the facts, and recall each by its own words."""
        await self.known.expect(self.user, client=client)
        if client.has("recall"):
            for text in self.known.texts.get(self.user, []):
                if text not in (found := await recall_texts(client, self.user, text)):
                    raise Violation(f"lost: {quote(text)} is not recalled by its words", str(found))


class FactsById(Facts):
    """The facts about one user, each of which is also asked for by its id."""

    reading = "get_fact"

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.ids: dict[str, Any] = {}

    async def write(self, client: Client, count: int = 1) -> None:
        """Tell one fact after the other, and note the id of each."""
        for text in itertools.islice(self.texts, count):
            self.known.doubtful.setdefault(self.user, set()).add(text)
            self.ids[text] = await remember(client, self.user, text)
            self.known.note(self.user, text)

    async def is_empty(self, client: Client) -> bool:
        """Return True if a fact is not returned by its id."""
        return await self._find_unknown(client) is not None

    async def expect(self, client: Client) -> None:
        """Do as with facts, and get each by its id."""
        await super().expect(client)
        if (text := await self._find_unknown(client)) is not None:
            raise Violation(f"lost: {quote(text)} was acknowledged, but is not there by its id")

    async def _find_unknown(self, client: Client) -> str | None:
        for text, name in self.ids.items():
            if not await client.call("get_fact", self.user, name):
                return text
        return None


class State(Subject):
    """The named values of one session and, if the store has such, of one user."""

    name = "values"

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        session = memory.session()
        self.owners = [Owner(session), Owner(session, memory.session("ann"))]
        self.known = ExpectedState(memory)
        self.turns = itertools.count()

    async def write(self, client: Client, count: int = 1) -> None:
        """Set new names, and one name again, for each owner."""
        for _ in range(count):
            turn = next(self.turns)
            for owner in self._served(client):
                values = {"turn": f"number {turn}", f"name {turn}": self.memory.text()}
                await self.known.put(owner, values, client=client)

    async def is_empty(self, client: Client) -> bool:
        """Return True if no owner has a value."""
        return not any([await fetch(client, owner) for owner in self._served(client)])

    async def expect(self, client: Client) -> None:
        """Get the values of each owner."""
        await self.known.expect(*self._served(client), client=client)

    def _served(self, client: Client) -> list[Owner]:
        return self.owners if has_user_state(client) else self.owners[:1]
