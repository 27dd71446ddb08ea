"""Runs checks against a target, and tells what happens as a stream of events."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from goldfish.check import Check
from goldfish.client import LocalClient, StoreError, describe
from goldfish.driver import Memory, OpeningError, declared_by, missing_need
from goldfish.errors import MissingExtraError, ServiceError, TargetError
from goldfish.pods import NoPodError, Nursery
from goldfish.sandbox import Sandbox
from goldfish.target import Target
from goldfish.verdict import Report, Result, Verdict, Violation

CALL_DEADLINE = 10.0
WORLD = (MissingExtraError, ServiceError, TargetError)  # no check can go on


@dataclass(frozen=True)
class Started:
    """A check begins."""

    target: str
    check: Check
    total: int


@dataclass(frozen=True)
class Finished:
    """A check has its result."""

    target: str
    result: Result
    total: int


Event = Started | Finished
Listener = Callable[[Event], None]


@dataclass(frozen=True)
class Plan:
    """How to run: the seed, how many checks at once, for how long, and how patient to be."""

    seed: int = 0
    workers: int = 4
    max_time: float | None = None
    deadline: float = CALL_DEADLINE
    spelled: str = ""  # the target as the user would write it, for the line that reproduces


def run(
    target: Target, checks: Sequence[Check], plan: Plan, listen: Listener = lambda event: None
) -> Report:
    """The report of all checks about one target."""
    # A loop of our own, so that the thread keeps whatever current loop it had.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as loop:
        return loop.run(_reported(target, checks, plan, listen))


async def _reported(
    target: Target, checks: Sequence[Check], plan: Plan, listen: Listener
) -> Report:
    return await _Run(target, checks, plan, listen).report()


class _Run:
    def __init__(
        self, target: Target, checks: Sequence[Check], plan: Plan, listen: Listener
    ) -> None:
        self._target = target
        self._checks = checks
        self._plan = plan
        self._listen = listen
        self._places = asyncio.Semaphore(plan.workers)
        self._nursery = Nursery(target) if target.location else None
        self._give_up = time.monotonic() + (plan.max_time or float("inf"))

    async def report(self) -> Report:
        try:
            results = await asyncio.gather(*(self._place(check) for check in self._checks))
        finally:
            if self._nursery is not None:
                self._nursery.close()
        return Report(self._target.name, self._plan.seed, tuple(results))

    async def _place(self, check: Check) -> Result:
        async with self._places:
            if time.monotonic() > self._give_up:
                return _result(check, Verdict.SKIPPED, "the time was up")
            total = len(self._checks)
            self._listen(Started(self._target.name, check, total))
            began = time.monotonic()
            outcome = await self._judged(check)
            result = replace(
                outcome, seconds=time.monotonic() - began, reproduce=self._reproduce(check)
            )
            self._listen(Finished(self._target.name, result, total))
            return result

    def _reproduce(self, check: Check) -> str:
        target = self._plan.spelled or self._target.name
        return f"goldfish check {target} --only {check.code} --seed {self._plan.seed}"

    async def _judged(self, check: Check) -> Result:
        """The result of one check; what is not the target's fault is unknown."""
        try:
            return await self._in_sandbox(check)
        except Violation as violation:
            return _broken(check, violation)
        except OpeningError as error:
            if isinstance(error.cause, WORLD):
                raise error.cause from error
            if error.first:
                return _result(check, Verdict.UNKNOWN, f"the target did not open: {error}")
            return _broken(check, Violation(f"refused: {error}, though it was opened before"))
        except StoreError as error:
            return _broken(check, Violation(f"refused: {error}"))
        except NoPodError as error:
            return _result(check, Verdict.UNKNOWN, str(error))
        except WORLD:
            raise
        except Exception as error:  # the harness or the world, and never the target
            return _result(check, Verdict.UNKNOWN, f"the check itself failed: {describe(error)}")

    async def _in_sandbox(self, check: Check) -> Result:
        sandbox = Sandbox()
        memory: Memory | None = None
        try:
            sandbox.provide(self._target.services)
            random = Random(f"{self._plan.seed} {check.code}")
            memory = Memory(
                self._target, sandbox, check.code, random, self._plan.deadline, self._nursery
            )
            client = await memory.open()
            assert isinstance(client.opened, LocalClient)
            memory.target = declared_by(client.opened.store, self._target)
            for need in check.needs:
                if why := missing_need(need, memory.target, client):
                    return _result(check, Verdict.UNSUPPORTED, why)
            await check.function(memory)
            return _result(check, Verdict.HELD)
        finally:
            if memory is not None:
                await memory.discard()
            sandbox.close()


def _result(check: Check, verdict: Verdict, summary: str = "") -> Result:
    return Result(check.code, check.name, check.promise, verdict, summary)


def _broken(check: Check, violation: Violation) -> Result:
    return Result(
        check.code,
        check.name,
        check.promise,
        Verdict.BROKEN,
        violation.summary,
        violation.finding,
        violation.evidence,
    )
