"""Opens a target once, to learn its interface, its declarations and its traits before checks."""

import asyncio
from dataclasses import replace
from random import Random
from typing import Any

from goldfish.engine.interview import find_unimplemented, interview, make_first_contact
from goldfish.engine.interview.storage import WatchedSandbox
from goldfish.errors import MissingExtraError, ModelNotFoundError, ServiceError, TargetError
from goldfish.findings.result import Violation
from goldfish.harness.errors import NoPodError, OpeningError, describe_error
from goldfish.harness.forks import ForkServer
from goldfish.harness.isolation import CrashedError, TaskError, can_run_apart, run_apart
from goldfish.harness.local import LocalClient
from goldfish.harness.memory import Memory
from goldfish.harness.patience import LateError
from goldfish.harness.plain import fields_from_plain, to_plain
from goldfish.targets.declaration import Target, apply_declarations, is_fully_declared, learn
from goldfish.targets.guesses import refuse_guess
from goldfish.targets.interface import find_interface_problem
from goldfish.targets.place import describe_place
from goldfish.targets.traces import find_user_line

PATIENCE = 60.0  # seconds for an opening or a call: here slowness is nobody's fault
# What is missing here, and is not the target's fault: no check can go on.
WORLD = (MissingExtraError, ModelNotFoundError, ServiceError, TargetError)


def open_target(target: Target) -> Target:
    """Open the target; return it with what its store declares, and what an interview learns of it.

    Raise a TargetError if it does not open, is not a memory, or fails at the first ordinary call.
    """
    if target.is_inspected:
        return target
    refuse_guess(target)
    if target.agent is not None:
        from goldfish.engine.first_turn import open_agent  # the mirror, which few need

        return open_agent(target)
    # What is paid for once, and never measured, as the installation of a server.
    getattr(target.factory, "prepare", _do_nothing)()
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as loop:
        return loop.run(_open_apart(target))


def _do_nothing() -> None:
    """Stand in for a ``prepare`` that a factory does not have."""


def inspect_store(target: Target, store: object) -> Target:
    """Return the target with what its store declares; a TargetError if that is not a memory."""
    if problem := find_interface_problem(store):
        raise TargetError(f"the target {target.name} {problem}")
    return apply_declarations(store, target)


async def _open_apart(target: Target) -> Target:
    """Open the target in a process of its own, or here if it cannot be imported there."""
    if not can_run_apart(target):
        return await _open(target)
    try:
        declared = await run_apart(ForkServer(target), target, f"{__name__}:describe_opened", {})
    except NoPodError:
        return await _open(target)
    except (CrashedError, TaskError, Violation, LateError):  # the checks will tell
        return target
    return replace(target, **fields_from_plain(Target, declared))


async def describe_opened(target: Target) -> dict[str, Any]:
    """Open the target; return what it declares then: what the other process does."""
    described: dict[str, Any] = to_plain(await _open(target), leave_out={"factory"})
    return described


async def _open(target: Target) -> Target:
    """Open the target in a sandbox, twice if need be: what fails once is for the checks to tell."""
    try:
        return await _open_once(target)
    except OpeningError:
        pass
    try:
        return await _open_once(target)
    except OpeningError as error:
        raise TargetError(_describe_failure(target, error)) from None


def _describe_failure(target: Target, error: OpeningError) -> str:
    place = find_user_line(error.cause) or describe_place(target)
    return (
        f"the target {target.name} does not open, so nothing was asked: its factory raised "
        f"{describe_error(error.cause)}{f' ({place})' if place else ''}"
    )


async def _open_once(target: Target) -> Target:
    sandbox = WatchedSandbox()
    try:
        sandbox.provide(target.services)
        sandbox.is_used, sandbox.asked = False, ()  # only by the factory
        memory = Memory(target, sandbox, Random(0), PATIENCE)
        try:
            learnt = await _interview(memory)
            return replace(learnt, services=_join_services(learnt, sandbox))
        finally:
            await memory.discard()
    except OpeningError as error:
        if isinstance(error.cause, WORLD):
            raise error.cause from None
        if not error.first:  # it was open before, so the checks will tell
            return replace(target, services=_join_services(target, sandbox))
        raise
    except (Violation, LateError):
        return replace(target, services=_join_services(target, sandbox))
    finally:
        sandbox.close()


def _join_services(target: Target, sandbox: WatchedSandbox) -> tuple[str, ...]:
    """Return the services that a target declares, and those that it asked for all the same."""
    return tuple(dict.fromkeys([*target.services, *sandbox.asked]))


async def _interview(memory: Memory) -> Target:
    """Return the target with what its store declares, and what an interview learns beyond that."""
    client = await memory.open()
    assert isinstance(client.opened, LocalClient)
    inspected = inspect_store(memory.target, client.opened.store)
    memory.declare(replace(inspected, interface=client.interface))
    if is_fully_declared(memory.target):
        return memory.target
    await _leave_out_unimplemented(memory)
    await make_first_contact(memory)
    return learn(memory.target, await interview(memory))


async def _leave_out_unimplemented(memory: Memory) -> None:
    """Take methods that only raise NotImplementedError for missing ones."""
    if missing := await find_unimplemented(memory):
        memory.declare(replace(memory.target, dialect={"unimplemented": missing}))
        memory.declare(replace(memory.target, interface=memory.client.interface))
