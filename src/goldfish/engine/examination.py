"""One check of one target, in a sandbox of its own: from its function to its result."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from goldfish.catalogue.registry import Check
from goldfish.engine.claims import (
    excuse_haste,
    excuse_time_outs,
    excuse_what_a_rule_refuses,
    excuse_what_is_not_implemented,
    excuse_what_left_the_window,
)
from goldfish.engine.opening import WORLD
from goldfish.errors import NotPossibleError
from goldfish.findings.kinds import Sign, has_sign
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Result, UnprovenError, UnsupportedError, Verdict, Violation
from goldfish.harness.errors import NoPodError, OpeningError, StoreError, describe_error
from goldfish.harness.forks import ForkServer
from goldfish.harness.local import LocalClient
from goldfish.harness.memory import Memory
from goldfish.harness.patience import LateError, is_second_try
from goldfish.history import FAULT, About, Call, History
from goldfish.history.conditions import list_conditions
from goldfish.history.excerpt import Excerpt, excerpt_last_calls
from goldfish.history.metrics import measure
from goldfish.history.origin import Origin
from goldfish.targets.declaration import Target
from goldfish.targets.methods import Interface
from goldfish.world.backends import find_backend
from goldfish.world.sandbox import Sandbox

if TYPE_CHECKING:
    from goldfish.engine.agents import SharedStage

Inspect = Callable[[object], Target]


@dataclass(frozen=True)
class Examination:
    """How one check is put to one target; ``inspect`` tells what the opened store declares."""

    check: Check
    target: Target
    inspect: Inspect
    seed: int
    effort: float
    deadline: float
    fork_server: ForkServer | None = None
    until: float = math.inf
    keep: Path | None = None  # where its history is kept
    stage: "SharedStage | None" = None  # of a service, which all checks share
    is_second: bool = False  # the machine was too late to tell the first time
    spelled: str = ""  # the target as the user wrote it

    async def run(self) -> Result:
        """Return the result; what is not the target's fault is unknown."""
        if reason := self.find_early_obstacle():
            return make_result(self.check, Verdict.UNSUPPORTED, reason)
        is_second_try.set(self.is_second)
        try:
            if self.target.agent is not None:
                from goldfish.engine.agents import run_on_stage  # the mirror, which few need

                return await run_on_stage(self)
            return await self._run_in_sandbox()
        except Exception as error:
            return explain_error(self.check, error)

    def find_early_obstacle(self) -> Reason | None:
        """Return why the check cannot be put to the target, as far as is known before it opens.

        An interview has seen the interface: nothing is started to see once more what is not there.
        """
        for need in self.check.every_need:
            if need.before_opening and (reason := need.in_target(self.target)):
                return reason
        seen = self.target.interface
        return _find_obstacle(self.check, self.target, seen) if seen else None

    async def _run_in_sandbox(self) -> Result:
        sandbox = Sandbox(own_servers=self.check.own_servers)
        try:
            sandbox.provide(self.target.services)
            memory = self._memory(sandbox)
            try:
                return _with_numbers(await self._judge(memory), memory)
            finally:
                self._save_history(memory)
                await memory.discard()
        finally:
            sandbox.close()

    def _memory(self, sandbox: Sandbox) -> Memory:
        return Memory(
            self.target,
            sandbox,
            Random(f"{self.seed} {self.check.code} {self.effort:g}"),
            self.deadline,
            self.fork_server,
            code=self.check.code,
            effort=self.effort,
            own_servers=self.check.own_servers,
            until=self.until,
        )

    async def _judge(self, memory: Memory) -> Result:
        try:
            if reason := await self._open_first(memory):
                return make_result(self.check, Verdict.UNSUPPORTED, reason)
            await self._call_check(memory)
            return make_result(self.check, Verdict.HELD)
        except Exception as error:
            result = explain_error(self.check, error)
            if result.verdict is not Verdict.BROKEN:
                return result
            excerpt = _excerpt(error, memory)
            origin = result.origin or _find_origin(error, excerpt)
            return replace(result, excerpt=excerpt, origin=origin)

    async def _open_first(self, memory: Memory) -> Reason | None:
        """Open the target; return why the check cannot be put to it, or None."""
        client = await memory.open()
        assert isinstance(client.opened, LocalClient)
        memory.declare(self.inspect(client.opened.store))
        return _find_obstacle(self.check, memory.target, client.interface)

    async def _call_check(self, memory: Memory) -> None:
        try:
            await self.check.function(memory)
        except Violation as violation:
            excuse_what_left_the_window(self.check, memory, violation)
            excuse_what_is_not_implemented(memory, violation)
            excuse_what_a_rule_refuses(memory, violation)
            excuse_time_outs(memory, violation)
            excuse_haste(memory, violation)
            raise
        except StoreError as error:
            excuse_what_is_not_implemented(memory, error)
            excuse_what_a_rule_refuses(memory, error)
            excuse_time_outs(memory, error)
            raise

    def _save_history(self, memory: Memory) -> None:
        if self.keep is None:
            return
        record, code = memory.record, self.check.code
        name = self.spelled or self.target.name
        about = About(name, code, self.seed, judged=record.acknowledged > 0)
        again = f"-{self.effort:g}" if self.effort > 1 else ""  # a soak comes by more than once
        History(record.history.calls, about).save(self.keep / f"{code}{again}.jsonl")


def make_result(check: Check, verdict: Verdict, reason: Reason | None = None) -> Result:
    """Return the result of a check with this verdict."""
    return Result(check.code, check.name, check.promise, verdict, reason, is_basic=check.basic)


def _find_obstacle(check: Check, target: Target, store: Interface) -> Reason | None:
    """Return why the check cannot be put to a target with such a store, or None."""
    if check.code in target.declines:
        return Reason.of(Why.NOT_CLAIMED, target.declines[check.code])
    missing = (need.find_missing(target, store) for need in check.every_need)
    return next(filter(None, missing), None)


def explain_error(check: Check, error: Exception) -> Result:
    """Return the result of a check that ended with this error; raise it if no check can go on."""
    match error:
        case Violation():
            return _make_broken(check, error)
        case OpeningError() if isinstance(error.cause, WORLD):
            raise error.cause from error
        case OpeningError() if error.first:
            return make_result(check, Verdict.UNKNOWN, Reason.of(Why.NOT_OPENED, error))
        case OpeningError():
            again = Violation(f"refused: {error}, though it was opened before")
            return replace(_make_broken(check, again), origin=error.origin)
        case StoreError():
            refusal = Violation(f"refused: {error}")
            return replace(_make_broken(check, refusal), origin=error.origin)
        case LateError():
            return make_result(check, Verdict.UNKNOWN, Reason.of(Why.MACHINE_LATE, error))
        case NoPodError() | UnprovenError():
            return make_result(check, Verdict.UNKNOWN, Reason.stated(error))
        case UnsupportedError():
            return make_result(check, Verdict.UNSUPPORTED, error.reason)
        case NotPossibleError():
            return make_result(check, Verdict.UNSUPPORTED, Reason.stated(error))
    if isinstance(error, WORLD):
        raise error
    reason = Reason.of(Why.INTERNAL_ERROR, describe_error(error))
    return make_result(check, Verdict.UNKNOWN, reason)  # ours or the world's, never the target's


def _make_broken(check: Check, violation: Violation) -> Result:
    result = make_result(check, Verdict.BROKEN, Reason.stated(violation.summary))
    return replace(
        result,
        finding=violation.finding,
        evidence=violation.evidence,
        remainder=violation.remainder,
    )


def _with_numbers(result: Result, memory: Memory) -> Result:
    """Return the result with what its calls show beside the verdict."""
    record, calls = memory.record, _calls_and_faults(memory)
    return replace(
        result,
        acknowledged=record.acknowledged,
        lost=record.lost,
        figures=measure(calls),
        conditions=list_conditions(
            [call for call in calls if call.action != FAULT] if record.is_faultless else calls,
            memory.sandbox.opening,
        ),
        backend=find_backend(memory.target.services, memory.sandbox.path),
    )


def _excerpt(error: Exception, memory: Memory) -> Excerpt:
    """Return the calls that show what is broken: the check's choice, or the last ones it made."""
    if not isinstance(error, Violation):
        calls = _calls_and_faults(memory)
        failed = [call.session for call in calls if call.outcome == "fail"]
        return excerpt_last_calls(calls, failed[-1] if failed else None, ())
    if error.excerpt is not None:
        return error.excerpt
    return excerpt_last_calls(_calls_and_faults(memory), error.session, error.about)


def _find_origin(error: BaseException, excerpt: Excerpt) -> Origin | None:
    """Return where the error was raised that a violation is about; None if it is about none."""
    if not isinstance(error, Violation) or not has_sign(error.finding, Sign.FAILURE):
        return None
    cause = error.__cause__
    while isinstance(cause, Violation):  # told once more, with the name of a variant
        cause = cause.__cause__
    if isinstance(cause, StoreError):
        return cause.origin
    raised = [call.origin for call in reversed(excerpt.calls) if call.origin]
    named = [origin for origin in raised if origin.error in error.summary]
    return next(iter(named or raised), None)


def _calls_and_faults(memory: Memory) -> Sequence[Call]:
    """Return the calls of a check, and its faults as calls; one that is not healed yet lasts."""
    now = time.perf_counter()
    faults = [
        Call(FAULT, "", FAULT, each.what, None, each.began, each.ended if each.is_healed else now)
        for each in memory.sandbox.harm
    ]
    return [*memory.record.history.calls, *faults]
