"""Waiting ends as soon as the condition holds, and says what it waited for if it never does."""

import time

import pytest

from goldfish.world.faults.clock import eventually, wait_until


async def test_waiting_ends_when_the_condition_holds() -> None:
    """The condition is asked again and again, with and without an event loop."""
    for_both = [iter([0, 0, 1]), iter([0, 0, 1])]
    wait_until(lambda: next(for_both[0]))
    await eventually(lambda: next(for_both[1]))


async def test_waiting_in_vain_says_for_what() -> None:
    """The error names what did not come and the time that was given."""
    with pytest.raises(TimeoutError, match=r"waited 0\.01 s until the session has expired"):
        wait_until(lambda: False, 0.01, what="the session has expired")
    with pytest.raises(TimeoutError, match=r"waited 0\.01 s until the condition holds"):
        await eventually(lambda: False, 0.01)


def test_a_condition_that_holds_costs_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing sleeps if nothing has to."""
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it slept"))
    wait_until(lambda: True)
