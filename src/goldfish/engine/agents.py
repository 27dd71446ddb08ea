"""One promise about prompts, put to an agent on a stage: from its function to its result."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

from goldfish.agents.agent import Agent
from goldfish.agents.cost import measure_cost
from goldfish.agents.dialogue import Question, draw_dialogue
from goldfish.agents.notes import list_notes
from goldfish.agents.stage import Stage
from goldfish.catalogue.registry import Check
from goldfish.engine.examination import Examination, explain_error, make_result
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Result, Verdict, Violation
from goldfish.harness.forks import ForkServer
from goldfish.history import About, History
from goldfish.history.conditions import list_conditions
from goldfish.history.dialogue import Dialogue
from goldfish.history.excerpt import Excerpt, excerpt_last_calls
from goldfish.targets.declaration import Target
from goldfish.world.backends import find_backend
from goldfish.world.sandbox import Sandbox


async def run_on_stage(examination: Examination) -> Result:
    """Return the result of a check about an agent, on a stage of its own."""
    reason = find_obstacle(examination.check, examination.target)
    if reason and (examination.target.is_inspected or reason.why is not Why.LACKS_POWER):
        return make_result(examination.check, Verdict.UNSUPPORTED, reason)
    shared = examination.stage
    opening = (
        shared.use()
        if shared is not None
        else open_stage(examination.target, examination.deadline, examination.fork_server)
    )
    async with opening as stage:
        if reason:
            stage.target = await _look_for_powers(stage)
            if reason := find_obstacle(examination.check, stage.target):
                return make_result(examination.check, Verdict.UNSUPPORTED, reason)
        try:
            return await _judge(examination, stage)
        finally:
            _save_history(examination, stage)


@contextlib.asynccontextmanager
async def open_stage(
    target: Target, deadline: float, fork_server: ForkServer | None = None
) -> AsyncIterator[Stage]:
    """Open a stage for as long as the block runs."""
    sandbox = Sandbox()
    stage = Stage(target, sandbox, deadline, fork_server)
    try:
        await stage.open()
        yield stage
    finally:
        await stage.close()
        sandbox.close()


class SharedStage:
    """The stage of a service, which all checks use, one after the other: it starts slowly."""

    def __init__(self, target: Target, deadline: float) -> None:
        self._target = target
        self._deadline = deadline
        self._turn = asyncio.Lock()
        self._opened = contextlib.AsyncExitStack()
        self._stage: Stage | None = None

    @contextlib.asynccontextmanager
    async def use(self) -> AsyncIterator[Stage]:
        """Lend the stage, with a clean record, for as long as the block runs."""
        async with self._turn:
            if self._stage is None:
                opening = open_stage(self._target, self._deadline)
                self._stage = await self._opened.enter_async_context(opening)
            self._stage.mirror.clear()
            self._stage.history = History()
            yield self._stage

    async def close(self) -> None:
        """End every instance."""
        await self._opened.aclose()
        self._stage = None


async def _look_for_powers(stage: Stage) -> Target:
    """Return the target with the powers that a worker shows, which is gone again."""
    worker = await stage.start_worker()
    worker.kill()
    stage.sandbox.opening = 0
    assert stage.target.agent is not None
    return replace(stage.target, agent=replace(stage.target.agent, powers=worker.powers))


def find_obstacle(check: Check, target: Target) -> Reason | None:
    """Return why the check cannot be put to the agent, or None."""
    if check.code in target.declines:
        return Reason.of(Why.NOT_CLAIMED, target.declines[check.code])
    for need in check.every_need:
        if target.claims in need.excluded_by:
            return Reason.of(Why.NOT_CLAIMED, f"{target.claims} only")
        if reason := need.in_target(target):
            return reason
    return None


async def _judge(examination: Examination, stage: Stage) -> Result:
    check = examination.check
    random = Random(f"{examination.seed} {check.code} {examination.effort:g}")
    agent = Agent(stage, random, check.code, examination.effort)
    result = make_result(check, Verdict.HELD)
    try:
        await check.function(agent)
    except Exception as error:
        result = explain_error(check, error)
        if result.verdict is Verdict.BROKEN:
            dialogue = _draw_dialogue(error, agent)
            result = replace(result, excerpt=_excerpt(error, stage), dialogue=dialogue)
    return replace(
        result,
        notes=tuple(list_notes(stage)),
        figures=measure_cost(agent.talks),
        conditions=list_conditions(stage.history.calls, stage.sandbox.opening),
        backend=find_backend(stage.target.services, stage.sandbox.path),
    )


def _excerpt(error: Exception, stage: Stage) -> Excerpt:
    if not isinstance(error, Violation):
        return excerpt_last_calls(stage.history.calls, None, ())
    return error.excerpt or excerpt_last_calls(stage.history.calls, error.session, error.about)


def _draw_dialogue(error: Exception, agent: Agent) -> Dialogue | None:
    """Return the prompts that show what is broken: the check's choice, or its conversation."""
    if isinstance(error, Violation) and error.dialogue is not None:
        return error.dialogue
    session = error.session if isinstance(error, Violation) else None
    talks = [each for each in agent.talks if each.turns]
    own = [each for each in talks if each.session == session]
    if not talks:
        return None
    talk = (own or talks)[-1]
    about = set(error.about) if isinstance(error, Violation) else set()
    marks = [mark for each in talk.turns if each.text in about for mark in each.marks_seen]
    finding = error.finding if isinstance(error, Violation) else "refused"
    return draw_dialogue(talk, Question(finding, talk.turns[-1], marks))


def _save_history(examination: Examination, stage: Stage) -> None:
    if examination.keep is not None:
        code = examination.check.code
        name = examination.spelled or examination.target.name
        about = About(name, code, examination.seed, judged=False)
        again = f"-{examination.effort:g}" if examination.effort > 1 else ""
        path = examination.keep / f"{code}{again}.jsonl"
        History(stage.history.calls, about).save(path)
