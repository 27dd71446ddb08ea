"""Runs checks against a target, and tells what happens as a stream of events."""

import asyncio
import contextlib
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from goldfish.catalogue.registry import Check
from goldfish.engine.claims import excuse_what_left_the_window, find_documented
from goldfish.engine.selection import in_turn
from goldfish.errors import MissingExtraError, NotPossibleError, ServiceError, TargetError
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import (
    Report,
    Result,
    UnprovenError,
    UnsupportedError,
    Verdict,
    Violation,
)
from goldfish.harness.client import LocalClient, StoreError, describe_error
from goldfish.harness.memory import Memory, OpeningError
from goldfish.harness.pods import NoPodError, Nursery
from goldfish.history import FAULT, About, Call, History
from goldfish.history.excerpt import Excerpt, excerpt_last_calls
from goldfish.history.metrics import Figures, measure
from goldfish.history.storage import make_run_directory
from goldfish.targets.declaration import Target, declared_by
from goldfish.world.sandbox import Sandbox

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
    grow: bool = False  # go on with more and more effort until max_time is up
    save_runs: Path | None = None  # where to keep the histories
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
        self._declared = target  # and what its store says of itself, once it was opened
        self._checks = checks
        self._plan = plan
        self._listen = listen
        self._places = asyncio.Semaphore(plan.workers)
        self._tallies: dict[str, tuple[int, int]] = {}
        self._excerpts: dict[str, Excerpt] = {}
        self._figures: dict[str, Figures | None] = {}
        self._keep = make_run_directory(plan.save_runs, target.name) if plan.save_runs else None
        self._nursery = Nursery(target) if target.location else None
        self._give_up = time.monotonic() + (plan.max_time or float("inf"))

    async def report(self) -> Report:
        try:
            results = await self._all(effort=1.0)
            effort = 2.0
            while self._plan.grow and self._goes_on(results):
                again = await self._all(effort)
                results = [_worse(*pair) for pair in zip(results, again, strict=True)]
                effort *= 2
        finally:
            if self._nursery is not None:
                self._nursery.close()
        promises = self._declared.promises
        return Report(self._target.name, self._plan.seed, tuple(results), promises)

    def _goes_on(self, results: Sequence[Result]) -> bool:
        """While there is time, and nothing was found that more effort could only bury."""
        broken = any(result.verdict is Verdict.BROKEN for result in results)
        return not broken and time.monotonic() < self._give_up < math.inf

    async def _all(self, effort: float) -> list[Result]:
        begun = {
            check.code: asyncio.ensure_future(self._place(check, effort))
            for check in in_turn(self._checks)
        }
        return await asyncio.gather(*(begun[check.code] for check in self._checks))

    async def _place(self, check: Check, effort: float) -> Result:
        async with self._places:
            if time.monotonic() > self._give_up:
                return _result(check, Verdict.SKIPPED, Reason(Why.TIME_UP))
            total = len(self._checks)
            self._listen(Started(self._target.name, check, total))
            began = time.monotonic()
            outcome = await self._judged(check, effort)
            acknowledged, lost = self._tallies.pop(check.code, (0, 0))
            shown = self._excerpts.pop(check.code, None)
            result = replace(
                outcome,
                seconds=time.monotonic() - began,
                reproduce=self._reproduce(check),
                acknowledged=acknowledged,
                lost=lost,
                documented=self._documented(check, outcome),
                excerpt=shown if outcome.verdict is Verdict.BROKEN else None,
                figures=self._figures.pop(check.code, None),
            )
            self._listen(Finished(self._target.name, result, total))
            return result

    def _documented(self, check: Check, outcome: Result) -> str:
        """What the memory's documentation says of a promise that it breaks or never made."""
        if outcome.verdict is Verdict.BROKEN:
            return find_documented(check, self._declared)
        return self._declared.promises if outcome.is_unclaimed else ""

    def _reproduce(self, check: Check) -> str:
        target = self._plan.spelled or self._target.name
        return f"goldfish check {target} --only {check.code} --seed {self._plan.seed}"

    async def _judged(self, check: Check, effort: float) -> Result:
        """The result of one check; what is not the target's fault is unknown."""
        try:
            return await self._in_sandbox(check, effort)
        except Violation as violation:
            return _broken(check, violation)
        except OpeningError as error:
            if isinstance(error.cause, WORLD):
                raise error.cause from error
            if error.first:
                return _result(check, Verdict.UNKNOWN, Reason.of(Why.NOT_OPENED, error))
            return _broken(check, Violation(f"refused: {error}, though it was opened before"))
        except StoreError as error:
            return _broken(check, Violation(f"refused: {error}"))
        except (NoPodError, UnprovenError) as error:
            return _result(check, Verdict.UNKNOWN, Reason.stated(error))
        except UnsupportedError as error:
            return _result(check, Verdict.UNSUPPORTED, error.reason)
        except NotPossibleError as error:
            return _result(check, Verdict.UNSUPPORTED, Reason.stated(error))
        except WORLD:
            raise
        except Exception as error:  # the harness or the world, and never the target
            reason = Reason.of(Why.INTERNAL_ERROR, describe_error(error))
            return _result(check, Verdict.UNKNOWN, reason)

    async def _in_sandbox(self, check: Check, effort: float) -> Result:
        # Before anything is started for it: what the target has said already may be enough.
        for need in check.every_need:
            if need.before_opening and (why := need.in_target(self._target)):
                return _result(check, Verdict.UNSUPPORTED, why)
        sandbox = Sandbox(own_servers=check.own_servers)
        memory: Memory | None = None
        try:
            sandbox.provide(self._target.services)
            memory = self._memory(check, sandbox, effort)
            client = await memory.open()
            assert isinstance(client.opened, LocalClient)
            memory.target = declared_by(client.opened.store, self._target)
            memory.hearing.answers = memory.target.answers
            self._declared = memory.target
            if not memory.promised(check.code):
                why = Reason.of(Why.NOT_CLAIMED, memory.target.declines[check.code])
                return _result(check, Verdict.UNSUPPORTED, why)
            for need in check.every_need:
                if why := need.find_missing(memory.target, client):
                    return _result(check, Verdict.UNSUPPORTED, why)
            await _asked(check, memory)
            return _result(check, Verdict.HELD)
        except (Violation, StoreError, OpeningError) as error:
            if memory is not None:
                self._excerpts[check.code] = _shown(error, memory)
            raise
        finally:
            if memory is not None:
                self._remember(check, memory, effort)
                await memory.discard()
            sandbox.close()

    def _memory(self, check: Check, sandbox: Sandbox, effort: float) -> Memory:
        return Memory(
            self._target,
            sandbox,
            check.code,
            Random(f"{self._plan.seed} {check.code} {effort:g}"),
            self._plan.deadline * _crowding(),
            self._nursery,
            effort,
            check.own_servers,
            self._give_up if self._plan.grow else math.inf,
        )

    def _remember(self, check: Check, memory: Memory, effort: float) -> None:
        record = memory.record
        self._tallies[check.code] = record.acknowledged, record.lost
        self._figures[check.code] = measure([*record.history.calls, *_harm(memory)])
        if self._keep is not None:
            about = About(
                self._target.name, check.code, self._plan.seed, judged=record.acknowledged > 0
            )
            again = f"-{effort:g}" if effort > 1 else ""  # a soak comes by more than once
            History(record.history.calls, about).save(self._keep / f"{check.code}{again}.jsonl")


def _crowding() -> float:
    """How many want each processor now, for what is slow there is not wedged; between 1 and 6."""
    with contextlib.suppress(OSError, AttributeError):  # not every system tells
        return min(6.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
    return 1.0


async def _asked(check: Check, memory: Memory) -> None:
    try:
        await check.function(memory)
    except Violation as violation:
        excuse_what_left_the_window(check, memory, violation)
        raise


def _worse(before: Result, after: Result) -> Result:
    """What is known of a check after another pass over it, with the counts of both."""
    after_tells = after.verdict not in {Verdict.SKIPPED, Verdict.HELD}
    return replace(
        after if after_tells else before,
        seconds=before.seconds + after.seconds,
        acknowledged=before.acknowledged + after.acknowledged,
        lost=before.lost + after.lost,
    )


def _shown(error: Exception, memory: Memory) -> Excerpt:
    """The calls that show what is broken: those that the check chose, or the last ones it made."""
    if isinstance(error, Violation) and error.excerpt is not None:
        return error.excerpt
    session, about = None, ()
    if isinstance(error, Violation):
        session, about = error.session, error.about
    return excerpt_last_calls([*memory.record.history.calls, *_harm(memory)], session, about)


def _harm(memory: Memory) -> list[Call]:
    """What was done to the world of the check, as calls; what is not healed yet lasts."""
    now = time.perf_counter()
    return [
        Call(FAULT, "", FAULT, each.what, None, each.began, each.ended if each.is_healed else now)
        for each in memory.sandbox.harm
    ]


def _result(check: Check, verdict: Verdict, reason: Reason | None = None) -> Result:
    return Result(check.code, check.name, check.promise, verdict, reason)


def _broken(check: Check, violation: Violation) -> Result:
    return Result(
        check.code,
        check.name,
        check.promise,
        Verdict.BROKEN,
        Reason.stated(violation.summary),
        violation.finding,
        violation.evidence,
    )
