"""What is asked of a store while something is wrong with its world, and once it is over."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal

from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.reason import Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Client, Memory, contents_of, messages_in
from goldfish.stress.fleet import Fleet, Nemesis
from goldfish.stress.withstand import MakeNemesis
from goldfish.world.faults import Fault

BRIEF = 0.7  # seconds that a call is given where no answer can come
RECOVERY = 0.8  # of the deadline of a call: in that time a store must have found its way back
FOREVER = 3600.0
CALM = "is all well?"  # a session that nobody writes to

Begin = Callable[[], Fault]


@dataclass
class Written:
    """A batch, and whether the store must have it."""

    contents: list[Any]
    outcome: Literal["ok", "fail", "unknown"]
    amid: str = ""  # what was wrong when it was written


@dataclass
class Adversity:
    """One session of one client, before, during and after something goes wrong."""

    memory: Memory
    client: Client
    session: str
    log: list[Written] = field(default_factory=list)
    amid: str = ""

    @classmethod
    async def prepared(cls, memory: Memory, client: Client | None = None) -> "Adversity":
        """A session with a few messages that were acknowledged in peace."""
        story = cls(memory, client or memory.client, memory.session())
        for size in (2, 1):
            await story.write(size, strict=True)
        await story.read(strict=True)
        return story

    async def during(self, begin: Begin, *, patience: float | None = None) -> None:
        """Write and read while the fault lasts; nothing has to succeed, but nothing may lie."""
        fault = await asyncio.to_thread(begin)
        self.amid = fault.what
        try:
            await self.read(patience=patience)
            await self.write(2, patience=patience)
            if patience is None:  # the first call may have told only of a connection that died
                await self.read()
        finally:
            await asyncio.to_thread(fault.heal)
            self.amid = ""

    async def write(
        self, size: int = 2, *, strict: bool = False, patience: float | None = None
    ) -> Written:
        """Add a batch; with ``strict`` an error is a refusal."""
        batch = self.memory.messages(size)
        outcome, _ = await self._attempt("add_messages", batch, strict=strict, patience=patience)
        self.log.append(Written(contents_of(batch), outcome, self.amid))
        return self.log[-1]

    async def read(self, *, strict: bool = False, patience: float | None = None) -> bool:
        """Whether the session could be read; what was read must be what was written."""
        outcome, found = await self._attempt("get_history", strict=strict, patience=patience)
        if outcome == "ok":
            self.compare(contents_of(messages_in(found)))
        return outcome == "ok"

    async def recover(self) -> None:
        """The same client must work again by itself, and have everything that was acknowledged."""
        allowed = RECOVERY * self.memory.deadline
        give_up = time.monotonic() + allowed
        works = False
        while not works:
            works = (await self.write(1)).outcome == "ok" and await self.read()
            if not works and time.monotonic() > give_up:
                raise Violation(
                    f"wedged: {allowed:g} s after all was well again the store does not work"
                )
            if not works:
                await asyncio.sleep(0.05)

    def compare(self, found: Sequence[Any]) -> None:
        """Raise what is wrong with contents that were read."""
        sure = [each for batch in self.log if batch.outcome == "ok" for each in batch.contents]
        if self.amid and sure and not found:
            raise Violation(
                f"swallowed: session {quote(self.session)} looked empty while {self.amid}",
                f"expected {quote_list(sure)}",
            )
        doubtful = [batch for batch in self.log if batch.outcome != "ok"]
        for batch in self.log:
            self._look_for(batch, found)
        # What failed may have happened late, so its place among the others says nothing.
        elsewhere = {each for batch in doubtful for each in batch.contents}
        expect_contents(
            sure, [each for each in found if each not in elsewhere], session=self.session
        )

    def _look_for(self, batch: Written, found: Sequence[Any]) -> None:
        """Raise what is wrong with a batch in itself."""
        there = [each for each in found if each in batch.contents]
        if batch.outcome == "ok":
            if batch.amid and not there:
                raise Violation(
                    f"swallowed: adding {quote(batch.contents[0])} returned while {batch.amid}, "
                    "and the message is not there"
                )
        elif there and len(set(there)) < len(batch.contents):
            raise Violation(
                f"torn: of a batch that failed, {len(set(there))} of {len(batch.contents)} "
                "messages are there",
                f"written while {batch.amid or 'the store was coming back'}: "
                + quote_list(batch.contents),
                f"read back {quote_list(found)}",
            )
        elif there:
            expect_contents(batch.contents, there, session=self.session)

    async def _attempt(
        self, method: str, *arguments: Any, strict: bool, patience: float | None
    ) -> tuple[Literal["ok", "fail", "unknown"], Any]:
        call = self.client.waiting(FOREVER).call(method, self.session, *arguments)
        limit = patience or self.memory.deadline
        try:
            return "ok", await asyncio.wait_for(call, limit)
        except TimeoutError:
            if strict:
                self.client.abandon()
                raise Violation(f"wedged: {method} did not return within {limit:g} s") from None
            return "unknown", None
        except StoreError:
            if strict:
                raise
            return "fail", None


def wait_for_recovery(make: MakeNemesis) -> MakeNemesis:
    """The nemesis, which counts as at work until the store has found its way back from it.

    A connection that was cut while nobody used it is an error of the next call, which is no fault
    of the store.
    """

    def nemesis(random: Random) -> Nemesis:
        async def harm(fleet: Fleet) -> None:
            with fleet.fault("the store may be coming back"):
                await make(random)(fleet)
                await _found_its_way_back(fleet)

        return harm

    return nemesis


async def _found_its_way_back(fleet: Fleet) -> None:
    """Wait until several calls at once succeed twice running, in all places and lanes."""
    give_up = time.monotonic() + RECOVERY * fleet.patience
    running = 0
    while running < 2 and time.monotonic() < give_up:
        calls = [
            asyncio.wait_for(place.call("get_history", CALM, deadline=FOREVER, lane=lane), 1.0)
            for place in fleet.places
            for lane in range(6)
        ]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        running = 0 if any(isinstance(each, Exception) for each in answers) else running + 1
        await asyncio.sleep(0 if running else 0.02)


def list_files(memory: Memory) -> list[Path]:
    """The files that the store keeps in its sandbox, the largest first."""
    files = [path for path in memory.sandbox.path.rglob("*") if path.is_file()]
    written = sorted((each for each in files if each.stat().st_size), key=_size, reverse=True)
    if not written:
        raise UnsupportedError(Why.STATED, "it writes no files into its sandbox")
    return written


def _size(path: Path) -> int:
    return path.stat().st_size
