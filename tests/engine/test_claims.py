"""What a target never promised is not asked of it, and is told apart from what it broke."""

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.engine import claims
from goldfish.engine.claims import excuse_time_outs
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.harness.errors import StoreError
from goldfish.harness.patience import LateError, is_second_try
from goldfish.specimens.references.facts import FactsReference
from goldfish.targets.declaration import Target


class HeldAlone(FactsReference):
    """A storage that only one opening at a time may have."""


def results(target: Target, *codes: str) -> dict[str, Result]:
    """What these checks find."""
    report = run(target, [catalogue()[code] for code in codes], Plan(seed=1))
    return {result.code: result for result in report.results}


def test_a_storage_for_one_at_a_time_is_opened_again_and_never_twice() -> None:
    """Closing and opening again is asked, also in other processes; two at once are not."""
    alone = goldfish.target(claims="one at a time")(HeldAlone)
    found = results(alone, "DUR23", "DUR24", "DUR29", "CON18", "CON19")
    assert [found[code].verdict for code in ("DUR23", "DUR29", "CON19")] == [Verdict.HELD] * 3
    for code in ("DUR24", "CON18"):
        assert found[code].verdict is Verdict.UNSUPPORTED
        assert found[code].summary == "not claimed: one at a time only"


def test_ids_that_serve_whoever_has_them_are_not_asked_whose_they_are() -> None:
    """Neither by a declaration of the target, nor by one of the store."""
    declared = goldfish.target(scoped_ids=False)(HeldAlone)
    for result in results(declared, "ISO25", "ISO26", "ISO27").values():
        assert result.verdict is Verdict.UNSUPPORTED
        assert result.summary == "the id of a fact is not scoped to its user"
    assert results(declared, "ISO24")["ISO24"].verdict is Verdict.HELD


NOTHING_SAID: Any = SimpleNamespace(record=SimpleNamespace(history=SimpleNamespace(calls=[])))


@pytest.mark.parametrize(
    ("late_now", "late_before", "second", "excused"),
    [
        (True, True, False, True),
        (False, True, False, True),  # it was late while the call waited, and is not at this moment
        (False, True, True, False),  # tried again alone
        (True, True, True, True),
        (False, False, False, False),
    ],
)
def test_a_memorys_own_clock_is_excused_on_a_late_machine(
    monkeypatch: pytest.MonkeyPatch,
    late_now: bool,
    late_before: bool,
    second: bool,
    excused: bool,
) -> None:
    """It is tried again; other refusals are never excused."""
    monkeypatch.setattr(claims, "is_machine_late", lambda: late_now)
    monkeypatch.setattr(claims, "was_machine_late", lambda: late_before)
    token = is_second_try.set(second)
    try:
        excuse_time_outs(NOTHING_SAID, StoreError("get_history", ValueError("no such table")))
        if excused:
            with pytest.raises(LateError, match="get_history"):
                excuse_time_outs(NOTHING_SAID, StoreError("get_history", TimeoutError()))
        else:
            excuse_time_outs(NOTHING_SAID, StoreError("get_history", TimeoutError()))
    finally:
        is_second_try.reset(token)


@pytest.mark.parametrize(("seconds", "excused"), [(0.001, False), (0.03, False), (0.5, True)])
def test_a_clock_that_runs_out_at_once_is_not_the_machines_fault(
    monkeypatch: pytest.MonkeyPatch, seconds: float, excused: bool
) -> None:
    """A pool that is used up says so in no time, and ten milliseconds are too few anywhere."""
    monkeypatch.setattr(claims, "is_machine_late", lambda: True)
    failed = SimpleNamespace(outcome="fail", start=1.0, end=1.0 + seconds)
    said: Any = SimpleNamespace(record=SimpleNamespace(history=SimpleNamespace(calls=[failed])))
    with pytest.raises(LateError) if excused else contextlib.nullcontext():
        excuse_time_outs(said, StoreError("add_messages", TimeoutError()))
