"""Runs checks against a target, and tells what happens as a stream of events."""

import asyncio
import math
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from goldfish.catalogue.registry import Check
from goldfish.engine import WORKERS
from goldfish.engine.claims import find_documented
from goldfish.engine.events import Finished, Interrupted, Listener, Opened, Started
from goldfish.engine.examination import Examination, make_result
from goldfish.engine.isolation import can_be_apart, examine_apart
from goldfish.engine.selection import order_checks
from goldfish.engine.settings import EVERYTHING, Scope
from goldfish.errors import ServiceError
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Report, Result, Verdict
from goldfish.harness.forks import ForkServer
from goldfish.history.storage import make_run_directory
from goldfish.targets.declaration import Target, apply_declarations
from goldfish.targets.place import describe_place

if TYPE_CHECKING:
    from goldfish.engine.agents import SharedStage

CALL_DEADLINE = 10.0


@dataclass(frozen=True)
class Plan:
    """How to run: the seed, how many checks at once, for how long, and how patient to be."""

    seed: int = 0
    workers: int = WORKERS
    max_time: float | None = None
    deadline: float = CALL_DEADLINE
    grow: bool = False  # go on with more and more effort until max_time is up
    save_runs: Path | None = None  # where to keep the histories
    spelled: str = ""  # the target as the user wrote it, who is to find it again
    services: tuple[str, ...] = ()  # that the user gave to a command
    scope: Scope = EVERYTHING  # by which the checks were chosen, for the report


def run(
    target: Target, checks: Sequence[Check], plan: Plan, listen: Listener = lambda event: None
) -> Report:
    """Return the report of all checks about one target.

    An interrupted run tells what it saw by its last event, and raises KeyboardInterrupt; one whose
    server has died raises a ServiceError.
    """
    state = _Run(target, checks, plan, listen)
    # A loop of our own, so that the thread keeps whatever current loop it had.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as loop:
        try:
            return loop.run(state.report())
        except (KeyboardInterrupt, ServiceError):  # also a server of the user's that has died
            listen(Interrupted(state.cut_short()))
            raise


def report_nothing(target: Target, checks: Sequence[Check], plan: Plan) -> Report:
    """Return the report of a run that was interrupted before it began."""
    return _Run(target, checks, plan, lambda event: None).cut_short()


class _Run:
    def __init__(
        self, target: Target, checks: Sequence[Check], plan: Plan, listen: Listener
    ) -> None:
        self._target = target
        self._checks = checks
        self._plan = plan
        self._listen = listen
        self._started: set[str] = set()
        self._finished: dict[str, Result] = {}

    async def report(self) -> Report:
        plan, target = self._plan, self._target
        self._stage = _share_stage(target, plan.deadline)
        self._places = asyncio.Semaphore(1 if self._stage else plan.workers)
        self._keep = _make_place(plan, target)
        self._fork_server = ForkServer(target) if target.location else None
        self._give_up = time.monotonic() + (plan.max_time or math.inf)
        if target.is_inspected:
            self._listen(Opened(target))
        try:
            results = await self._run_all(effort=1.0)
            effort = 2.0
            while plan.grow and self._goes_on(results):
                again = await self._run_all(effort)
                results = [_merge_passes(*pair) for pair in zip(results, again, strict=True)]
                effort *= 2
        finally:
            if self._fork_server is not None:
                self._fork_server.close()
            if self._stage is not None:
                await self._stage.close()
        return self._make_report(results)

    def cut_short(self) -> Report:
        """Return the report of what was seen when the run was interrupted."""
        return self._make_report([self._seen_of(check) for check in self._checks])

    def _make_report(self, results: Sequence[Result]) -> Report:
        target, plan = self._target, self._plan
        return Report(
            target.name,
            plan.seed,
            tuple(results),
            target.promises,
            target.absences,
            plan.scope.edition,
            plan.scope.profile,
            place=describe_place(target),
        )

    def _seen_of(self, check: Check) -> Result:
        if check.code in self._finished:
            return self._finished[check.code]
        if check.code in self._started:
            unfinished = make_result(check, Verdict.UNKNOWN, Reason(Why.NOT_FINISHED))
            return replace(unfinished, reproduce=self._reproduce(check))
        return make_result(check, Verdict.SKIPPED, Reason(Why.NOT_STARTED))

    def _goes_on(self, results: Sequence[Result]) -> bool:
        """Return True while there is time, and nothing was found that more effort would bury."""
        broken = any(result.verdict is Verdict.BROKEN for result in results)
        return not broken and time.monotonic() < self._give_up < math.inf

    async def _run_all(self, effort: float) -> list[Result]:
        begun = {
            check.code: asyncio.ensure_future(self._run_one(check, effort))
            for check in order_checks(self._checks, in_haste=self._plan.max_time is not None)
        }
        try:
            results = await asyncio.gather(*(begun[check.code] for check in self._checks))
        except ServiceError:
            for task in begun.values():  # one has told: the others would tell the same
                task.cancel()
            await asyncio.gather(*begun.values(), return_exceptions=True)
            raise
        return [
            await self._try_again(check, result, effort) if _was_late(result) else result
            for check, result in zip(self._checks, results, strict=True)
        ]

    async def _try_again(self, check: Check, late: Result, effort: float) -> Result:
        """Return what a second try tells; if there is no time for it, what the first one saw."""
        result = await self._run_one(check, effort, is_second=True)
        if result.verdict is not Verdict.SKIPPED:
            return result
        return self._finish(check, late, 0.0)

    async def _run_one(self, check: Check, effort: float, *, is_second: bool = False) -> Result:
        async with self._places:
            if time.monotonic() > self._give_up:
                return make_result(check, Verdict.SKIPPED, Reason(Why.TIME_UP))
            if not is_second:
                self._started.add(check.code)
                self._listen(Started(self._target.name, check, len(self._checks)))
            began = time.monotonic()
            examination = self._examination(check, effort)
            outcome = await self._examine_in_time(replace(examination, is_second=is_second))
            if _was_late(outcome) and not is_second:
                return outcome  # it is tried again when nothing else runs
            if outcome.verdict is Verdict.SKIPPED and is_second:
                return outcome
            return self._finish(check, outcome, time.monotonic() - began)

    def _finish(self, check: Check, outcome: Result, seconds: float) -> Result:
        """Return the result of a check as reports tell it, and tell it."""
        result = replace(
            outcome,
            seconds=seconds,
            reproduce=self._reproduce(check),
            documented=self._find_documented(check, outcome),
        )
        self._finished[check.code] = result
        self._listen(Finished(self._target.name, result, len(self._checks)))
        return result

    async def _examine_in_time(self, examination: Examination) -> Result:
        """Run a check, and cut it off when the time is up: half of it tells nothing."""
        if math.isinf(self._give_up):
            return await self._examine(examination)
        # A soak ends by itself, as soon as what it is doing is done.
        grace = self._plan.deadline if self._plan.grow else 0.0
        try:
            async with asyncio.timeout(self._give_up + grace - time.monotonic()) as limit:
                return await self._examine(examination)
        except TimeoutError:
            if not limit.expired():
                raise
            return make_result(examination.check, Verdict.SKIPPED, Reason(Why.TIME_UP))

    async def _examine(self, examination: Examination) -> Result:
        """Run a check in a process of its own, or here if its target cannot be imported there."""
        if not can_be_apart(examination):
            return await examination.run()
        result, target = await examine_apart(examination)
        if target is not None and not self._target.is_inspected:
            self._target = target
            self._listen(Opened(target))
        return result

    def _examination(self, check: Check, effort: float) -> Examination:
        plan = self._plan
        return Examination(
            check,
            self._target,
            self._inspect,
            plan.seed,
            effort,
            plan.deadline,
            self._fork_server,
            self._give_up if plan.grow else math.inf,
            self._keep,
            self._stage,
            spelled=plan.spelled,
        )

    def _inspect(self, store: object) -> Target:
        """Return the target with its declarations, which the first store that opens tells."""
        if not self._target.is_inspected:
            self._target = apply_declarations(store, self._target)
            self._listen(Opened(self._target))
        return self._target

    def _find_documented(self, check: Check, outcome: Result) -> str:
        """Return what the memory's documentation says of a promise that it breaks or never made."""
        if outcome.verdict is Verdict.BROKEN:
            return find_documented(check, self._target)
        return self._target.promises if outcome.is_unclaimed else ""

    def _reproduce(self, check: Check) -> str:
        target = shlex.quote(self._plan.spelled or self._target.name)
        given = "".join(f" --service {each}" for each in self._plan.services)
        return f"goldfish check {target}{given} --only {check.code} --seed {self._plan.seed}"


def _make_place(plan: Plan, target: Target) -> Path | None:
    """Make the directory for the histories of a run, under the name that the user knows."""
    if plan.save_runs is None:
        return None
    return make_run_directory(plan.save_runs, plan.spelled or target.name)


def _share_stage(target: Target, deadline: float) -> "SharedStage | None":
    """Return the stage on which all checks of a service run; None for anything else."""
    if target.agent is None or not target.agent.is_service:
        return None
    from goldfish.engine.agents import SharedStage  # the mirror, which few need

    return SharedStage(target, deadline)


def _was_late(result: Result) -> bool:
    return result.reason is not None and result.reason.why is Why.MACHINE_LATE


def _merge_passes(before: Result, after: Result) -> Result:
    """Return what is known of a check after another pass over it, with the counts of both."""
    after_tells = after.verdict not in {Verdict.SKIPPED, Verdict.HELD}
    return replace(
        after if after_tells else before,
        seconds=before.seconds + after.seconds,
        acknowledged=before.acknowledged + after.acknowledged,
        lost=before.lost + after.lost,
    )
