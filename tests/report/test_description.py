"""What happened, in one sentence."""

from dataclasses import replace

import pytest

from goldfish.report.description import describe_finding
from goldfish.report.story import tell_story
from tests.report.html.stories import broken, story

BATCH = "0-1 w1 s add a b c\n0.5-2 w2 s read: a b"


@pytest.mark.parametrize(
    ("finding", "text", "about", "sentence"),
    [
        (
            "lost",
            "0-1 w1 s add a\n1.0125-3 w2 s read:",
            "a",
            "Caller w1 (through pod1) wrote a to session s, and the write was acknowledged. "
            "12.5 ms later, caller w2 (through pod2) read that session, and a was not there.",
        ),
        (
            "torn",
            BATCH,
            "a b c",
            "Caller w1 (through pod1) wrote a, b, c as one batch. Caller w2 (through pod2) read "
            "the session and got a, b without c.",
        ),
        (
            "leaked",
            "0-1 w1 s add a\n2-3 w2 t read: a",
            "a",
            "Caller w1 (through pod1) wrote a to 's'. Caller w2 (through pod2) read 't', to which "
            "nobody wrote it, and got it.",
        ),
        (
            "resurrected",
            "0-1 w1 s add a\n2-3 w2 s clear\n4-5 w1 s read: a",
            "a",
            "Caller w2 (through pod2) removed a (clear). Later caller w1 (through pod1) read the "
            "session, and a was there again.",
        ),
        (
            "refused",
            "0-1 w1 s add a !",
            "",
            "Caller w1 (through pod1) tried to write a, and the call failed: an error",
        ),
        ("reordered", "0-1 w1 s add a\n2-3 w2 s read: a", "a", "The order is wrong."),
    ],
)
def test_a_finding_is_told_by_its_calls(finding: str, text: str, about: str, sentence: str) -> None:
    """Who did what, when, and what was wrong about the answer."""
    result = broken("CON01", finding, story(text, *about.split()), "the order is wrong")
    assert describe_finding(result) == sentence


def test_a_read_that_began_before_the_acknowledgement_is_not_blamed() -> None:
    """Where the calls do not tell it, the words of the check do."""
    shown = story("0-3 w1 s add a\n2-4 w2 s read:", "a")
    assert describe_finding(broken("CON01", "lost", shown, "add_messages lies")) == (
        "add_messages lies."
    )


def test_a_message_that_comes_back_less_often_was_not_written_over() -> None:
    """A later write is not blamed for what the read returns."""
    shown = story("0-1 w1 s add a a b\n2-3 w1 s add c\n4-5 w1 s read: a b c", "a")
    assert tell_story(broken("DUP03", "lost", shown)) is None
    shown = story("0-1 w1 s add a a b\n2-3 w1 s add c\n4-5 w1 s read: b c", "a")
    assert tell_story(broken("DUP03", "lost", shown)) == (
        "w1 wrote a, a, b; then wrote c: a, a are lost."
    )


def test_a_removal_is_not_blamed_for_what_a_rollback_was_to_bring_back() -> None:
    """It did what it is for; without the rollback, it is what is told."""
    said = "0-1 w1 s add a b\n2-3 w1 s trim 1\n"
    shown = story(f"{said}4-5 w1 s rollback A\n6-7 w1 s read: b", "a")
    assert tell_story(broken("SNP04", "lost", shown)) == (
        "w1 wrote a; after trim 1, the rollback did not bring it back."
    )
    shown = story(f"{said}6-7 w1 s read: b", "a")
    assert tell_story(broken("SNP04", "lost", shown)) == (
        "w1 wrote a, b; then called trim 1: a is lost."
    )


def test_what_is_lost_under_kills_alone_is_told_by_the_kill_of_any_process() -> None:
    """A race that shows without its kills has no such condition, and is told by the rival."""
    shown = story("0-3 w1 s add a\n1-2 fault kill pod3\n2.5-4 w2 s add b\n5-6 w3 s read: b", "a")
    result = broken("DUR16", "lost", shown)
    assert "w2's write is there, and a is lost" in str(tell_story(result))
    killed = replace(result, conditions=frozenset({"killed"}))
    assert tell_story(killed) == "w1 wrote a; then pod3 was killed: a is lost."
