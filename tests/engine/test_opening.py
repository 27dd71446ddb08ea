"""A target is opened once for its interface and its declarations, and a run says so once."""

import signal
from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.events import Event, Finished, Interrupted, Opened, Started
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.findings.reason import Reason, Why
from goldfish.specimens.references.sqlite import Reference
from goldfish.targets.declaration import Target, as_target

CHECKS = [catalogue()[code] for code in ("ORD01", "ISO01")]
PLAN = Plan(workers=1)


class Declaring(Reference):
    """A store that says of itself what it never promised."""

    claims = "one process"
    promises = "It is for one process."


def events_of(target: Target) -> list[Event]:
    events: list[Event] = []
    run(target, CHECKS, PLAN, events.append)
    return events


def test_an_opened_target_knows_what_its_store_declares() -> None:
    """It is not opened a second time for that."""
    openings: list[Any] = []

    def factory(sandbox: Any) -> Declaring:
        openings.append(sandbox)
        return Declaring(sandbox)

    opened = open_target(as_target(factory, "declaring"))
    assert (opened.claims, opened.is_inspected) == ("one process", True)
    assert open_target(opened) is opened
    assert len(openings) == 1


def test_nothing_is_opened_for_a_method_that_the_interview_did_not_see() -> None:
    """A memory may take a second to open, and hundreds of checks may be beyond it."""
    openings: list[Any] = []

    def factory(sandbox: Any) -> Reference:
        openings.append(sandbox)
        return Reference(sandbox)

    opened = open_target(as_target(factory, "messages only"))
    before = len(openings)
    results = run(opened, [catalogue()["CON19"], catalogue()["SEQ05"]], PLAN).results
    reasons = [Reason.of(Why.LACKS_METHOD, each) for each in ("remember", "set_state")]
    assert [each.reason for each in results] == reasons
    assert len(openings) == before


def test_the_events_of_a_run_begin_with_the_opening() -> None:
    """Then each check starts and finishes."""
    kinds = [type(event) for event in events_of(open_target(as_target(Declaring)))]
    assert kinds == [Opened, Started, Finished, Started, Finished]


def test_a_target_that_nobody_opened_before_is_declared_by_the_first_check() -> None:
    """The event comes once, as soon as something is known."""
    events = events_of(as_target(Declaring))
    assert [type(event) for event in events[:2]] == [Started, Opened]
    (opened,) = [event for event in events if isinstance(event, Opened)]
    assert opened.target.promises == "It is for one process."


def test_an_interrupted_run_ends_with_what_it_saw() -> None:
    """What had finished has its verdict; the rest says that it was cut off."""
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored in a shell's background job
    events: list[Event] = []

    def listen(event: Event) -> None:
        events.append(event)
        if isinstance(event, Finished):
            signal.raise_signal(signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt):
            run(as_target(Reference), CHECKS, PLAN, listen)
    finally:
        signal.signal(signal.SIGINT, before)
    last = events[-1]
    assert isinstance(last, Interrupted)
    first, second = [each.reason for each in last.report.results]
    assert first is None
    assert second in {Reason(Why.NOT_STARTED), Reason(Why.NOT_FINISHED)}
