"""How far a run has come, and what is said about the time that is left."""

from dataclasses import replace

import pytest

from goldfish.findings.result import Verdict
from goldfish.report.estimate import Estimate, describe_duration
from tests.report.samples import result
from tests.report.test_progress import finished, started


def after(ended: int, outlook: Estimate) -> Estimate:
    """The outlook when so many checks have ended, and the next one has begun."""
    for number in range(ended):
        outlook.note(replace(finished("DUR01"), result=result(f"DUR{number:02}", Verdict.HELD)))
    outlook.note(started("CON01"))
    return outlook


def test_the_promise_in_hand_is_the_one_that_has_run_longest() -> None:
    """It is the one that people wait for."""
    outlook = Estimate("sqlite", 3)
    for event in (started("DUR01"), started("DUR02"), finished("DUR01")):
        outlook.note(event)
    assert outlook.done == "1/3"
    assert outlook.now.startswith("DUR02 A [bold]promise")


def test_the_time_left_follows_the_pace_of_what_has_ended() -> None:
    """Ten checks in twenty seconds leave a minute for thirty more."""
    outlook = after(10, Estimate("sqlite", 40, began=100.0))
    assert outlook.left(120.0) == pytest.approx(60.0)
    assert outlook.line(120.0, 80).startswith("sqlite 10/40 after 20 s, about 60 s left: CON01 A")
    assert outlook.line(120.0, 40).startswith("sqlite 10/40, about 60 s left: CON01")


def test_few_checks_say_nothing_about_the_others() -> None:
    """No guess is better than a wild one."""
    outlook = after(4, Estimate("sqlite", 40, began=100.0))
    assert outlook.left(120.0) is None
    assert "left" not in outlook.line(120.0, 80)


def test_a_limit_on_the_time_bounds_the_guess() -> None:
    """And it never falls below nothing."""
    outlook = after(10, Estimate("sqlite", 40, max_time=30.0, began=100.0))
    assert outlook.left(120.0) == pytest.approx(10.0)
    assert outlook.left(140.0) == 0.0


def test_a_soak_lasts_until_its_time_is_up_and_counts_its_passes() -> None:
    """However fast its first pass is."""
    outlook = after(5, Estimate("sqlite", 2, max_time=600.0, grow=True, began=100.0))
    assert outlook.left(120.0) == pytest.approx(580.0)
    assert outlook.done == "1/2 (pass 3)"
    assert after(4, Estimate("sqlite", 2)).done == "2/2 (pass 2)"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "a few seconds"), (8, "about 10 s"), (44, "about 40 s"), (95, "about 2 min")],
)
def test_a_guess_is_told_as_one(seconds: float, told: str) -> None:
    """No more exactly than it is known."""
    assert describe_duration(seconds) == told
