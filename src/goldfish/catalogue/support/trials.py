"""Trials: what one client writes and reads before, during and after a fault.

While a fault lasts no call has to succeed, but none may lie. Afterwards the same client has to
work again by itself, and to return everything that was acknowledged.
"""

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from goldfish.catalogue.support.subjects import Facts, FactsById, State
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.client import find_foreign
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory, contents_of, messages_in
from goldfish.harness.patience import OverdueError, Patience, wait_patiently
from goldfish.messages import ChatMessage
from goldfish.world.faults import Fault

BRIEF = 0.7  # seconds to wait for a call where no answer can come
RECOVERY = 0.8  # the share of a call's deadline within which a store must work again
FOREVER = 3600.0
AFTERWARDS = "the fault was over"

Begin = Callable[[], Fault]


class Trial(ABC):
    """One client of a memory, before, during and after a fault."""

    def __init__(self, memory: Memory, client: Client | None = None) -> None:
        self.memory = memory
        self.client = client or memory.client
        self.amid = ""  # the fault that is under way
        self.patience: float | None = None  # seconds to wait for a call, if not the usual

    @classmethod
    async def begin(cls, memory: Memory, client: Client | None = None) -> Self:
        """Return a trial in which some writes were acknowledged in peace."""
        trial = cls(memory, client)
        await trial.prepare()
        return trial

    @abstractmethod
    async def prepare(self) -> None:
        """Write something and read it back, with nothing wrong."""

    @abstractmethod
    async def write(self, count: int = 1) -> bool:
        """Write that many new things; return True if they were acknowledged."""

    @abstractmethod
    async def read(self) -> bool:
        """Return True if a read succeeds; raise if what it returns cannot be."""

    @abstractmethod
    async def expect(self, client: Client) -> None:
        """Raise if a client does not return what was acknowledged; what failed may be there."""

    async def survive(self, begin: Begin, *, patience: float | None = None) -> None:
        """Live through one fault, and recover from it."""
        await self.live_through(begin, patience=patience)
        await self.recover()

    async def live_through(self, begin: Begin, *, patience: float | None = None) -> None:
        """Write and read while a fault lasts."""
        fault = await asyncio.to_thread(begin)
        self.amid, self.patience = fault.what, patience
        try:
            await self.read()
            await self.write(2)
            if patience is None:  # the first call may have met only a connection that had died
                await self.read()
        finally:
            await asyncio.to_thread(fault.heal)
            self.amid, self.patience = "", None

    async def recover(self) -> None:
        """Write and read until both succeed; raise if that takes too long."""
        allowed = RECOVERY * self.memory.deadline
        patience = Patience(allowed)
        for tries in itertools.count(1):
            if await patience.spend_on(self._works()):
                return
            if patience.is_over and tries > 1:  # the first may have met a connection that had died
                raise OverdueError(patience).blame(
                    f"wedged: the fault was over, but {allowed:g} s later the store does not work"
                )
            await patience.spend_on(asyncio.sleep(0.05))

    async def _works(self) -> bool:
        return await self.write() and await self.read()


@dataclass
class Batch:
    """Messages that were written together."""

    contents: list[Any]
    acknowledged: bool
    amid: str  # what was wrong at the time


class MessageTrial(Trial):
    """The messages of one session."""

    missing = "swallowed"  # amid a fault that raises; what a kill takes is lost

    def __init__(self, memory: Memory, client: Client | None = None) -> None:
        super().__init__(memory, client)
        self.session = memory.session()
        self.batches: list[Batch] = []

    async def prepare(self) -> None:
        """Add two batches."""
        for count in (2, 1):
            await self.write(count, strict=True)
        await self.read(strict=True)

    async def write(self, count: int = 1, *, strict: bool = False) -> bool:
        """Add a batch; with ``strict`` an error is a refusal."""
        batch = self.make_batch(count)
        acknowledged, _ = await self._attempt("add_messages", batch, strict=strict)
        self.batches.append(Batch(contents_of(batch), acknowledged, self.amid))
        return acknowledged

    def make_batch(self, count: int) -> list[ChatMessage]:
        """Return that many messages to write together."""
        return self.memory.messages(count)

    async def read(self, *, strict: bool = False) -> bool:
        """Read the whole history; with ``strict`` an error is a refusal."""
        answered, found = await self._attempt("get_history", strict=strict)
        if answered:
            self.compare(contents_of(messages_in(found)))
        return answered

    async def expect(self, client: Client) -> None:
        """Read the whole history by another client."""
        self.compare(await client.contents(self.session))

    def compare(self, found: Sequence[Any]) -> None:
        """Raise what is wrong with contents that were read."""
        sure = [each for batch in self.batches if batch.acknowledged for each in batch.contents]
        if self.amid and sure and not found:
            raise Violation(
                f"swallowed: session {quote(self.session)} had messages, but a read returned none "
                f"({self.amid})",
                f"expected {quote_list(sure)}",
            )
        for batch in self.batches:
            self._look_for(batch, found)
        # A batch that failed may have been stored late, so its place says nothing.
        doubtful = {e for batch in self.batches if not batch.acknowledged for e in batch.contents}
        expect_contents(
            sure,
            [each for each in found if each not in doubtful],
            session=self.session,
            foreign=find_foreign(self.memory.record.history, self.session, found),
        )

    def _look_for(self, batch: Batch, found: Sequence[Any]) -> None:
        """Raise if a batch is stored in part, or not though it was acknowledged amid a fault."""
        there = [each for each in found if each in batch.contents]
        if batch.acknowledged:
            if batch.amid and not there:
                raise Violation(
                    f"{self.missing}: {quote(batch.contents[0])} was acknowledged ({batch.amid}), "
                    "but a later read does not return it"
                )
        elif there:
            stored = [each for each in batch.contents if each in there]
            if stored != batch.contents and self.memory.target.has_whole_batches:
                raise Violation(
                    f"torn: a batch failed, but {len(stored)} of its {len(batch.contents)} "
                    "messages are stored",
                    f"wrote {quote_list(batch.contents)} ({batch.amid or AFTERWARDS})",
                    f"read back {quote_list(found)}",
                )
            expect_contents(stored, there, session=self.session)

    async def _attempt(self, method: str, *arguments: Any, strict: bool) -> tuple[bool, Any]:
        call = self.client.waiting(FOREVER).call(method, self.session, *arguments)
        limit = self.patience or self.memory.deadline
        try:
            return True, await wait_patiently(call, limit)
        except OverdueError as overdue:
            if strict:
                self.client.abandon()
                raise overdue.blame(f"wedged: {method} did not return within {limit:g} s") from None
        except StoreError:
            if strict:
                raise
        return False, None


class LargeTrial(MessageTrial):
    """The messages of one session, of which those written amid a fault are large."""

    size = 0  # characters of a batch amid a fault

    def make_batch(self, count: int) -> list[ChatMessage]:
        """Return large messages, or small ones where nothing is wrong."""
        if not self.amid:
            return super().make_batch(count)
        words = "large " * (self.size // len("large ") // count)
        return [self.memory.message(self.memory.text(words)) for _ in range(count)]


class SubjectTrial(Trial):
    """Facts or state, whose reads are judged alike at all times."""

    kind: type[Facts | State]

    def __init__(self, memory: Memory, client: Client | None = None) -> None:
        super().__init__(memory, client)
        self.subject = self.kind(memory)

    async def prepare(self) -> None:
        """Write a few things."""
        await self.subject.write(self.client, 3)
        await self.subject.expect(self.client)

    async def write(self, count: int = 1) -> bool:
        """Write new things; those that fail may be there or not."""
        try:
            await self.subject.write(self.client, count)
        except StoreError:
            return False
        return True

    async def read(self) -> bool:
        """Read everything; if nothing is returned, an error was swallowed."""
        try:
            if await self.subject.is_empty(self.client):
                raise Violation(
                    f"swallowed: {self.subject.name} were acknowledged, but "
                    f"{self.subject.reading} returned none ({self.amid or AFTERWARDS})"
                )
            await self.subject.expect(self.client)
        except StoreError:
            return False
        return True

    async def expect(self, client: Client) -> None:
        """Read everything by another client."""
        await self.subject.expect(client)


class FactTrial(SubjectTrial):
    """The facts about one user."""

    kind = Facts


class FactByIdTrial(SubjectTrial):
    """The facts about one user, each of which is also asked for by its id."""

    kind = FactsById


class StateTrial(SubjectTrial):
    """The named values of one session and one user."""

    kind = State
