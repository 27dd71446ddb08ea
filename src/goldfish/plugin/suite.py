"""A target in pytest: one item per check, which passes, fails or skips by its verdict."""

import functools
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from goldfish.catalogue.registry import Check, Function, catalogue
from goldfish.engine.selection import LISTED, choose_for, select
from goldfish.engine.settings import EVERYTHING, Scope, choose_scope
from goldfish.errors import GoldfishError, MissingExtraError, UsageError, mask
from goldfish.findings.backends import choose_remedy
from goldfish.findings.causes import find_causes
from goldfish.findings.reason import Reason
from goldfish.findings.result import Result, Verdict
from goldfish.report.story import tell_story
from goldfish.targets.agents import name_service
from goldfish.targets.declaration import Target, as_target
from goldfish.targets.lookup import suggest_name

Words = str | Iterable[str] | None


def suite(
    target: Target | Callable[..., Any] | str,
    *,
    only: Words = None,
    skip: Words = None,
    suite: str = "standard",
    seed: int = 0,
    expected: Mapping[str, str] | None = None,
    edition: str | None = None,
    profile: Words = None,
) -> Callable[..., None]:
    """Return a test function for a test module: ``test_memory = goldfish.suite(my_memory)``.

    ``only`` and ``skip`` take codes and families. ``expected`` gives each check that is known to be
    broken a reason: it counts as an expected failure, and fails once it holds. ``edition`` and
    ``profile`` are those of ``goldfish check``; without them, the ones of pyproject.toml.
    """
    try:
        import pytest
    except ModuleNotFoundError:
        raise MissingExtraError("goldfish.suite is for pytest: pip install pytest") from None

    __tracebackhide__ = True
    spec = target if isinstance(target, str) else None
    try:
        names = sys._getframe(1).f_globals.items()
        variable = next((name for name, value in names if value is target), "")
        held_to = name_service(_resolve_target(target), variable)
        scope = choose_scope(edition, _as_list(profile), _find_folder(sys._getframe(1)))
        checks = select_checks(held_to, only, skip, suite, scope)
        reasons = _check_reasons(expected or {})
    except GoldfishError as error:
        raise error.with_traceback(None) from None  # the user's own line is all that matters

    @pytest.mark.parametrize(
        "goldfish_check", [pytest.param(c, id=make_item_name(c)) for c in checks]
    )
    def memory(goldfish_check: Check, request: Any) -> None:
        again = (
            make_cli_command(spec, goldfish_check, seed) if spec else _make_pytest_command(request)
        )
        run_as_test(held_to, goldfish_check, seed, again, reasons.get(goldfish_check.code))

    return _relocate(memory, sys._getframe(1))


def select_checks(
    target: Target,
    only: Words = None,
    skip: Words = None,
    suite: str = "standard",
    scope: Scope = EVERYTHING,
) -> list[Check]:
    """Return the checks of that suite for a target, by codes and families.

    A UsageError names the nearest.
    """
    chosen = select(
        catalogue(),
        only=_as_list(only),
        skip=_as_list(skip),
        suite=suite,
        edition=scope.edition or None,
        profiles=scope.profiles,
    )
    return choose_for(target, chosen)


def _find_folder(caller: FrameType) -> Path:
    """Return the folder of the test file, above which its project is."""
    return Path(caller.f_code.co_filename).parent


def make_item_name(check: Check) -> str:
    """Return the check as part of an item's name."""
    return f"{check.code}-{check.name}"


def make_cli_command(spec: str, check: Check, seed: int) -> str:
    """Return the command that runs one check alone."""
    return f"goldfish check {shlex.quote(spec)} --only {check.code} --seed {seed}"


def _make_pytest_command(request: Any) -> str:
    """Return the same for pytest, from where it was started: node ids may begin elsewhere."""
    path = os.path.relpath(request.path, request.config.invocation_params.dir)
    _, _, name = request.node.nodeid.partition("::")
    return f"pytest {shlex.quote(f'{path}::{name}')}"


def run_as_test(
    target: Target, check: Check, seed: int, again: str, reason: str | None = None
) -> None:
    """Run one check; return if it holds, else raise one of pytest's outcomes.

    ``again`` is the command that repeats it, ``reason`` why it is expected to be broken.
    """
    import pytest

    __tracebackhide__ = True
    if isinstance(opened := _open(target), GoldfishError) and opened in _told:
        _skip(f"not asked: {_told[opened]} tells what is wrong with the target")
    result = _run(target, check, seed)
    if isinstance(opened, GoldfishError):
        _told[opened] = check.code
    if reason and result.verdict in {Verdict.HELD, Verdict.UNSUPPORTED}:
        told = (
            "holds"
            if result.verdict is Verdict.HELD
            else f"is not asked any more ({result.summary})"
        )
        pytest.fail(
            f"{check.code} is expected to be broken, and {told}: remove it from expected=",
            pytrace=False,
        )
    if result.verdict is Verdict.HELD:
        return
    if result.verdict in {Verdict.UNSUPPORTED, Verdict.SKIPPED}:
        _skip(_make_printable(result.summary))
    if reason and result.verdict is Verdict.BROKEN:
        pytest.xfail(reason)
    if teller := _find_same_cause(target, result):
        summary = f"{result.finding}: {result.summary}"
        _skip(_make_printable(f"probably broken by the same cause as {teller}: {summary}"))
    pytest.fail(_make_printable(_describe_failure(result, again)), pytrace=False)


_failed: dict[Target, list[Result]] = {}  # what has failed so far


def _find_same_cause(target: Target, result: Result) -> str | None:
    """Return the check that failed before by the same cause, which tells of it, if there is one."""
    before = [each for each in _failed.setdefault(target, []) if each.code != result.code]
    if result.verdict is not Verdict.BROKEN:
        return None
    causes = find_causes([*before, result])
    codes = next(cause.codes for cause in causes if result.code in cause.codes)
    told = next((each.code for each in before if each.code in codes), None)
    if told is None:
        _failed[target] = [*before, result]
    return told


def _skip(reason: str) -> NoReturn:
    import pytest

    __tracebackhide__ = True
    skipped = pytest.skip.Exception(reason)
    skipped._use_item_location = True  # or every skip would point at this line
    raise skipped


def assert_holds(target: Target | Callable[..., Any] | str, promise: Function) -> None:
    """Raise AssertionError if a memory breaks a promise that is not of the catalogue."""
    __tracebackhide__ = True
    held_to = _resolve_target(target)
    result = _run(held_to, Check(held_to.name, promise), 0)
    if result.verdict is not Verdict.HELD:
        raise AssertionError(_make_printable("\n".join(_describe_finding(result))))


def _describe_failure(result: Result, again: str) -> str:
    """Return the finding with its evidence, the promise, a fix, and the command that repeats it."""
    lines = [*_describe_finding(result), f"Promise: {result.promise}"]
    if result.verdict is Verdict.BROKEN:
        lines.append(f"Fix: {choose_remedy(result).fix}")
    return "\n".join([*lines, f"Again: {again}"])


def _describe_finding(result: Result) -> list[str]:
    """Return what was found, what happened as far as the calls tell, and the calls."""
    finding = f"{result.finding}: " if result.finding else ""
    first = f"{result.code} is {result.verdict}: {finding}{result.summary}"
    story = tell_story(result)
    return [first, *(f"  {line}" for line in ([story] if story else []) + list(result.evidence))]


def _run(target: Target, check: Check, seed: int) -> Result:
    from goldfish.engine.examination import make_result
    from goldfish.engine.runner import Plan, run

    try:
        if isinstance(opened := _open(target), GoldfishError):
            raise opened
        (result,) = run(opened, [check], Plan(seed=seed)).results
    except GoldfishError as error:  # the world: no server, no package, a target that is none
        return make_result(check, Verdict.UNKNOWN, Reason.stated(error))
    return result


_told: dict[GoldfishError, str] = {}  # what is wrong with a target, by the check that told it


@functools.cache
def _open(target: Target) -> Target | GoldfishError:
    """Open a target once for all its items; return what is wrong with it, or with the world."""
    from goldfish.engine.opening import open_target

    try:
        return open_target(target)
    except GoldfishError as error:
        return error.with_traceback(None)


def _resolve_target(target: Target | Callable[..., Any] | str) -> Target:
    if isinstance(target, str):
        from goldfish.targets.names import resolve

        return resolve(target)
    return as_target(target)


def _check_reasons(expected: Mapping[str, str]) -> dict[str, str]:
    codes = catalogue()
    for code, reason in expected.items():
        if code not in codes:
            raise UsageError(suggest_name("check", code, codes, see=LISTED))
        if not isinstance(reason, str) or not reason.strip():
            raise UsageError(f"expected[{code!r}] has no reason: say why it may stay broken")
    return dict(expected)


def _as_list(words: Words) -> list[str]:
    return [words] if isinstance(words, str) else list(words or ())


def _make_printable(text: str) -> str:
    """Mask credentials, and escape lone surrogates, which cannot be sent to other processes."""
    return mask(text).encode("utf-8", "backslashreplace").decode()


def _relocate(function: Any, caller: FrameType) -> Callable[..., None]:
    """Return the test as if it were defined on the caller's line, where pytest is to find it."""
    function.__module__ = caller.f_globals.get("__name__", __name__)
    function.__code__ = function.__code__.replace(
        co_filename=caller.f_code.co_filename, co_firstlineno=caller.f_lineno
    )
    settled: Callable[..., None] = function
    return settled
