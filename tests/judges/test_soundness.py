"""The judge against brute force, on many small random histories."""

import random
from collections import Counter

import pytest

from bench.judges import Mix, simulated
from goldfish.history import Call
from goldfish.judges import judge
from tests.judges.damage import anything
from tests.judges.linearizability import linearizable

HISTORIES = 1000
CAUGHT = 0.99  # of the violations with trims and clears; measured: 0.9993 of 9,532


def _mix(choice: random.Random, removals: float, last: float) -> Mix:
    return Mix(
        calls=choice.randint(3, 8),
        processes=choice.randint(1, 4),
        adds=0.45,
        removals=removals,
        last=last,
        uncertain=0.1,
        most_kept=3,
    )


def _accused(calls: list[Call]) -> bool:
    found = judge(sorted(calls, key=lambda call: call.end)).findings
    return any(finding.kind not in {"refused", "wedged"} for finding in found)


def _coarse(calls: list[Call]) -> list[Call]:
    """The calls with times on a coarse grid, so that many begin when others end."""
    return [
        call._replace(start=float(round(2 * call.start)), end=float(round(2 * call.end)))
        for call in calls
    ]


def _compared(
    seed: int, removals: float, last: float, *, coarse: bool
) -> Counter[tuple[bool, bool]]:
    """How often brute force explains a damaged history, and how often the judge accuses it."""
    choice = random.Random(seed)
    counts: Counter[tuple[bool, bool]] = Counter()
    for _ in range(HISTORIES):
        calls = anything(choice, simulated(choice, "s", _mix(choice, removals, last)))
        calls = _coarse(calls) if coarse else calls
        counts[linearizable(calls), _accused(calls)] += 1
    return counts


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("last", [0.0, 0.5])
def test_adds_and_reads_are_judged_exactly(last: float, coarse: bool) -> None:
    """Without removals the judge accuses exactly the histories that nothing explains."""
    counts = _compared(1, 0.0, last, coarse=coarse)
    assert counts[True, True] == 0
    assert counts[False, False] <= (HISTORIES // 1000 if last else 0)
    assert min(counts[True, False], counts[False, True]) > HISTORIES / 4


@pytest.mark.parametrize("coarse", [False, True])
def test_removals_are_judged_soundly_and_almost_exactly(coarse: bool) -> None:
    """With trims and clears nothing is accused wrongly, and hardly anything is overlooked."""
    counts = _compared(2, 0.2, 0.2, coarse=coarse)
    violations = counts[False, True] + counts[False, False]
    assert counts[True, True] == 0
    assert counts[False, True] >= CAUGHT * violations
    assert min(counts[True, False], violations) > HISTORIES / 4
