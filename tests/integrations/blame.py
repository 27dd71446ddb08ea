"""Whether a memory of somebody else's is blamed for its faults, and for nothing else."""

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.targets.names import resolve
from tests.lateness import skip_if_late, was_late

TRIES = 4  # of what is broken by chance: two calls that meet do not meet every time


def assert_blamed(target: str, expected: Mapping[str, str]) -> None:
    """The verdicts of a target are these, by code; what holds has one try to hold."""
    with loose_ends_left_to_their_library():
        found = judge(target, expected, seed=1)
        for seed in range(2, TRIES + 1):
            wrong = [each for each, said in expected.items() if found[each].verdict.value != said]
            again = [each for each in wrong if is_undecided(found[each])]
            if again:
                found |= judge(target, again, seed=seed)
    others = [found[each] for each, said in expected.items() if found[each].verdict.value != said]
    if others:
        skip_if_late(others)
    assert not others, others


def is_undecided(result: Result) -> bool:
    """Whether another try may show more: a fault by chance was not met, or the machine was late."""
    return result.verdict is Verdict.HELD or was_late(result)


@contextmanager
def loose_ends_left_to_their_library() -> Iterator[None]:
    """What a library leaves half done, after a kill or a fault, fails no test when it is freed."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
        gc.collect()
    finally:
        sys.unraisablehook = hook


def judge(target: str, codes: Iterable[str], *, seed: int) -> dict[str, Result]:
    """What a run says about each of the codes."""
    checks = [catalogue()[code] for code in codes]
    report = run(resolve(target), checks, Plan(seed=seed, workers=2))
    return {result.code: result for result in report.results}
