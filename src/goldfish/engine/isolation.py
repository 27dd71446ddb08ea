"""A check in a process of its own, so that a memory that crashes ends neither run nor report."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldfish.catalogue.registry import catalogue, get_check, is_listed
from goldfish.engine.examination import Examination, explain_error, make_result
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Result, Verdict, Violation
from goldfish.harness.errors import NoPodError
from goldfish.harness.forks import PRELOADED, ForkServer
from goldfish.harness.isolation import CrashedError, TaskError, can_run_apart, run_apart
from goldfish.harness.patience import LateError, is_second_try
from goldfish.harness.plain import fields_from_plain, from_plain, to_plain
from goldfish.targets.declaration import Target, apply_declarations

PRELOADED.append(__name__)


def preload() -> None:
    """Import all checks: what a fork server does for its children."""
    catalogue()


def can_be_apart(examination: Examination) -> bool:
    """Return True if another process can import the target, and knows the check by its code."""
    return can_run_apart(examination.target) and is_listed(examination.check)


async def examine_apart(examination: Examination) -> tuple[Result, Target | None]:
    """Return the result of a check, and the target with what its store declares, if it opened."""
    check, target, forks = examination.check, examination.target, examination.fork_server
    assert forks is not None
    if reason := examination.find_early_obstacle():
        return make_result(check, Verdict.UNSUPPORTED, reason), None
    is_second_try.set(examination.is_second)
    try:
        answer = await run_apart(forks, target, f"{__name__}:examine", await _describe(examination))
    except CrashedError as error:
        return _blame(examination, error), None
    except (Violation, LateError) as error:
        return explain_error(check, error), None
    except TaskError as error:
        return make_result(check, Verdict.UNKNOWN, Reason.of(Why.INTERNAL_ERROR, error)), None
    except NoPodError:
        return await examination.run(), None
    declared = fields_from_plain(Target, answer["target"])
    return from_plain(Result, answer["result"]), replace(target, **declared)


async def examine(
    target: Target,
    *,
    code: str,
    seed: int,
    effort: float,
    deadline: float,
    until: float | None,
    keep: str | None,
    is_second: bool,
    spelled: str,
    server: str,
) -> dict[str, Any]:
    """Run a check here: what the other process does."""
    opened = target

    def inspect(store: object) -> Target:
        nonlocal opened
        if not opened.is_inspected:
            opened = apply_declarations(store, target)
        return opened

    result = await Examination(
        get_check(code),
        target,
        inspect,
        seed,
        effort,
        deadline,
        ForkServer(target, server),
        math.inf if until is None else until,
        Path(keep) if keep else None,
        is_second=is_second,
        spelled=spelled,
    ).run()
    return {"result": to_plain(result), "target": to_plain(opened, leave_out={"factory"})}


async def _describe(examination: Examination) -> dict[str, Any]:
    """Return the examination as the other process needs it."""
    assert examination.fork_server is not None
    return {
        "code": examination.check.code,
        "seed": examination.seed,
        "effort": examination.effort,
        "deadline": examination.deadline,
        "until": None if math.isinf(examination.until) else examination.until,
        "keep": str(examination.keep) if examination.keep else None,
        "is_second": examination.is_second,
        "spelled": examination.spelled,
        "server": await examination.fork_server.get_path(),
    }


def _blame(examination: Examination, error: CrashedError) -> Result:
    """Return a broken promise, or unknown if the process was ended from outside."""
    if error.crash.is_own:
        return explain_error(examination.check, error.crash.blame())
    why = f"the process of the check {error.crash}, from outside"
    return make_result(examination.check, Verdict.UNKNOWN, Reason.stated(why))
