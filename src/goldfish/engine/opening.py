"""Opens a target once, to learn its interface and its declarations before anything is checked."""

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

from goldfish.errors import MissingExtraError, ModelNotFoundError, ServiceError, TargetError
from goldfish.findings.result import Violation
from goldfish.harness.errors import NoPodError, StoreError
from goldfish.harness.forks import ForkServer
from goldfish.harness.isolation import CrashedError, TaskError, can_run_apart, run_apart
from goldfish.harness.local import LocalClient
from goldfish.harness.patience import LateError
from goldfish.harness.plain import fields_from_plain, to_plain
from goldfish.targets.declaration import Target, apply_declarations
from goldfish.targets.interface import find_interface_problem
from goldfish.world.sandbox import Sandbox

OPENS_WITHIN = 10.0
# What is missing here, and is not the target's fault: no check can go on.
WORLD = (MissingExtraError, ModelNotFoundError, ServiceError, TargetError)


def open_target(target: Target) -> Target:
    """Open the target once; return it with what its store declares.

    Raise a TargetError if what it gives is not a memory. A target that does not open is returned
    as it is: the run reports it as unknown.
    """
    if target.is_inspected:
        return target
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as loop:
        return loop.run(_open_apart(target))


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
    sandbox = Sandbox()
    try:
        sandbox.provide(target.services)
        sandbox.opening += 1
        client = await LocalClient.open(target, sandbox, deadline=OPENS_WITHIN)
        try:
            return inspect_store(target, client.store)
        finally:
            with contextlib.suppress(StoreError, Violation):
                await client.close(deadline=OPENS_WITHIN)
    except StoreError as error:
        if isinstance(error.error, WORLD):
            raise error.error from None
        return target
    except Violation:
        return target
    finally:
        sandbox.close()
