"""The few calls that show a finding, as plain and short texts."""

from goldfish.history import FAULT, Call
from goldfish.history.excerpt import GAP, LONGEST, excerpt_last_calls, make_excerpt
from goldfish.history.notation import parse_history
from goldfish.messages import ChatMessage, Fact


def test_times_begin_with_the_first_call_and_others_of_that_time_are_beside() -> None:
    """A reader sees what else went on, with times that begin at nought."""
    calls = parse_history(
        "5-6 w1 s add a\n5-7 w2 s add b\n8-9 w2 s read:\n20-21 w1 s read: b"
    ).calls
    shown = make_excerpt([calls[2], calls[0]], ["a"], calls)
    assert [(call.action, call.start, call.end) for call in shown.calls] == [
        ("add", 0, 1),
        ("read", 3, 4),
    ]
    assert [call.value for call in shown.beside] == [("b",)]
    assert shown.about == ("a",)


def test_contents_are_short_masked_texts_whatever_they_were() -> None:
    """Objects of a library, megabytes and passwords do not get into what is kept."""
    values = [
        ChatMessage(role="user", content="hello"),
        Fact(id="1", user_id="u", text="likes fish"),
        "redis://me:hunter2@host/0",
        "x" * 5_000_000,
        {"text": "a dict"},
        7,
    ]
    (call,) = make_excerpt([Call("p", "s", "add", values, None, 0, 1)], [], []).calls
    assert call.value[:2] == ("hello", "likes fish")
    assert "hunter2" not in call.value[2]
    assert len(call.value[3]) == LONGEST
    assert call.value[4:] == ("a dict", "7")


def test_an_object_that_cannot_even_be_told_is_told_by_its_kind() -> None:
    """A stranger's object may fail in every way."""

    class Odd:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    (call,) = make_excerpt([Call("p", "s", "add", [Odd()], None, 0, 1)], [], []).calls
    assert call.value == ("<Odd: RuntimeError>",)


def test_a_long_read_keeps_its_ends_and_what_it_is_about() -> None:
    """Ten thousand messages are a few, with gaps."""
    contents = [f"m{number}" for number in range(10_000)]
    (call,) = make_excerpt([Call("p", "s", "read", None, contents, 0, 1)], ["m5000"], []).calls
    assert call.result == (
        *("m0", "m1", "m2", "m3", GAP, "m5000", GAP),
        *("m9996", "m9997", "m9998", "m9999"),
    )


def test_of_a_check_the_calls_of_the_session_in_question_are_shown() -> None:
    """What was asked of other sessions is left out; faults on the way are not."""
    calls = parse_history(
        "0-1 p1 s add a\n1-2 p1 t add b\n2-3 fault kill p1\n3-4 p2 s read:\n5-6 p2 t read: b"
    ).calls
    shown = excerpt_last_calls(calls, "s", ["a"])
    assert [call.action for call in shown.calls] == ["add", FAULT, "read"]
    assert shown.calls[0].place == "p1"


def test_of_many_calls_those_about_the_finding_and_the_newest_are_kept() -> None:
    """The write in question is there, however long ago it was."""
    calls = [Call("p", "s", "add", [f"m{n}"], None, n, n + 0.5) for n in range(500)]
    shown = excerpt_last_calls([*calls, Call("p", "s", "read", None, [], 600, 601)], None, ["m3"])
    assert len(shown.calls) == 12
    assert shown.calls[0].value == ("m3",)
    assert shown.calls[-1].action == "read"


def test_a_check_that_asked_nothing_has_nothing_to_show() -> None:
    """No calls, no drawing."""
    assert excerpt_last_calls([], None, []).calls == ()


def test_the_write_from_which_a_message_leaked_is_shown() -> None:
    """It is in another session, and belongs to the story all the same."""
    calls = parse_history("0-1 p1 t add a\n1-2 p1 t add b\n2-3 p2 s read: a").calls
    shown = excerpt_last_calls(calls, "s", ["a"])
    assert [(call.session, call.action) for call in shown.calls] == [("t", "add"), ("s", "read")]
