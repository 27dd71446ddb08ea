"""First turn: one ordinary message to an agent, without which there is nothing to check."""

import asyncio
from dataclasses import replace
from random import Random
from typing import Any

from goldfish.agents.agent import Agent
from goldfish.agents.notes import advise, describe_calls
from goldfish.agents.stage import Stage
from goldfish.engine.agents import open_stage
from goldfish.engine.opening import PATIENCE, WORLD
from goldfish.errors import TargetError
from goldfish.findings.result import Violation
from goldfish.harness.errors import NoPodError, OpeningError
from goldfish.harness.forks import ForkServer
from goldfish.harness.isolation import CrashedError, TaskError, can_run_apart, run_apart
from goldfish.harness.patience import LateError
from goldfish.harness.plain import fields_from_plain, to_plain
from goldfish.targets.declaration import Target


def open_agent(target: Target) -> Target:
    """Say something to the agent; return the target with what that shows of it.

    Raise a TargetError if it is not an agent, or if its answer brings no request to the mirror.
    """
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as loop:
        return loop.run(_open_apart(target))


async def _open_apart(target: Target) -> Target:
    if not can_run_apart(target):
        return await _open(target)
    function = f"{__name__}:describe_agent"
    try:
        forks = ForkServer(target)
        arguments = {"server": await forks.get_path()}
        declared = await run_apart(forks, target, function, arguments)
    except NoPodError as error:
        raise TargetError(str(error)) from None
    except (CrashedError, TaskError, Violation, LateError):  # the checks will tell
        return replace(target, is_inspected=True)
    return replace(target, **fields_from_plain(Target, declared))


async def describe_agent(target: Target, *, server: str) -> dict[str, Any]:
    """Say something to the agent; return what it declares then: what the other process does."""
    opened = await _open(target, ForkServer(target, server))
    described: dict[str, Any] = to_plain(opened, leave_out={"factory"})
    return described


async def _open(target: Target, fork_server: ForkServer | None = None) -> Target:
    async with open_stage(target, PATIENCE, fork_server) as stage:
        try:
            return await _meet(stage)
        except OpeningError as error:
            if isinstance(error.cause, WORLD):
                raise error.cause from None
            raise TargetError(f"the agent {target.name} did not open: {error}") from None
        except (Violation, LateError):
            return replace(target, is_inspected=True)


async def _meet(stage: Stage) -> Target:
    """Return the target with the powers that its worker shows, after one turn."""
    target, worker = stage.target, await stage.worker()
    if "say" not in worker.powers:
        raise TargetError(
            f"the target {target.name} gives a {worker.kind} that has no say(session_id, text)"
        )
    turn = await Agent(stage, Random(0)).talk().attempt()
    if turn.outcome == "failed" and not turn.exchanges:
        raise TargetError(
            f"the agent {target.name} fails at its first turn, so nothing else was asked: "
            f"{turn.error}{describe_calls(stage)}"
        )
    if not turn.exchanges:
        raise TargetError(
            f"no request of {target.name} reached the mirror{describe_calls(stage)}: "
            f"{advise(stage)}"
        )
    assert target.agent is not None
    traits = replace(
        target.agent,
        powers=worker.powers,
        marks=turn.is_certain or turn.outcome != "answered",
    )
    return replace(target, agent=traits, is_inspected=True)
