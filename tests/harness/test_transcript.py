"""What a check said itself is told apart from what an agent said in between."""

from typing import Any

import pytest

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.harness.transcript import Transcript
from goldfish.messages import ChatMessage
from goldfish.specimens.references.sqlite import Reference
from goldfish.specimens.references.windowed import WindowedReference
from goldfish.targets.declaration import Target, as_target


class Echoing(Reference):
    """A correct store behind an agent that repeats what it was told."""

    answers = True

    def add_messages(self, session_id: str, messages: Any) -> None:
        echoes = [ChatMessage(role="assistant", content=each.content) for each in messages]
        super().add_messages(session_id, [*messages, *echoes])


class EchoingBadly(Echoing):
    """An agent that rewrites what it was told before it stores it."""

    def add_messages(self, session_id: str, messages: Any) -> None:
        changed = [each.model_copy(update={"content": f"{each.content}!"}) for each in messages]
        super().add_messages(session_id, changed)


class Forgetful(WindowedReference):
    """A window of three that says so, and keeps no summary."""

    window = 3
    summarises = False

    def tell(self, session_id: str, leaving: Any) -> None:
        """Tell nobody."""


class Undeclared(Forgetful):
    """A window of three that says nothing of it."""

    window = 0

    def surplus(self, session_id: str) -> list[tuple[int, str]]:
        return self.rows(session_id)[:-3]


def said(role: str, content: Any) -> ChatMessage:
    """A message."""
    return ChatMessage(role=role, content=content)


def transcript_of(*messages: ChatMessage) -> Transcript:
    """What hears an agent that was told these."""
    transcript = Transcript()
    transcript.answers = True
    transcript.note("add_messages", ("s", list(messages)))
    return transcript


def results(target: Target, *codes: str) -> dict[str, Result]:
    """What these checks find."""
    report = run(target, [catalogue()[code] for code in codes], Plan(seed=1, workers=2))
    return {result.code: result for result in report.results}


def test_replies_are_left_out_and_nothing_else() -> None:
    """An echo of the user's words is a reply; a changed message of the user is not."""
    transcript = transcript_of(said("user", "hi"), said("assistant", "I am told"), said("tool", ""))
    own = [said("user", "hi"), said("assistant", "I am told"), said("tool", "")]
    changed = said("user", "HI")
    replies = [said("assistant", "hi"), said("system", "a summary"), {"type": "ai", "content": "x"}]
    found = transcript.understand("get_history", [own[0], *replies, *own[1:], changed])
    assert found == [*own, changed]


def test_a_librarys_own_words_for_roles_are_understood() -> None:
    """Human and ai are user and assistant; who has no role is known by what was said."""
    transcript = transcript_of(said("user", "hi"), said("assistant", "told"))
    there = [
        {"type": "human", "content": "hi"},
        {"type": "ai", "content": "told"},
        {"content": "told"},
    ]
    assert transcript.understand("get_history", [*there, {"content": "never said"}]) == there


def test_what_does_not_answer_is_left_as_it_is() -> None:
    """The very list that the store gave, which a check may edit; so is all that is no history."""
    transcript, found = Transcript(), [said("assistant", "hello")]
    assert transcript.understand("get_history", found) is found
    heard = transcript_of(said("user", "hi"))
    assert heard.understand("list_sessions", ["s"]) == ["s"]
    own = [said("user", "hi")]
    assert heard.understand("get_history", own) is own
    with heard.with_replies():
        assert heard.understand("get_history", found) is found


def test_messages_are_counted_by_session_and_storage() -> None:
    """The longest session of any storage that the check used."""
    transcript = transcript_of(said("user", "a"), said("user", "b"))
    fresh = Transcript(transcript)
    fresh.note("add_messages", ("s", [said("user", "c")]))
    assert (transcript.longest, fresh.longest, fresh.answers) == (2, 2, True)
    fresh.note("add_messages", ("s", [said("user", "d")] * 2))
    assert transcript.longest == 3


def test_an_agent_that_answers_is_held_to_what_was_said() -> None:
    """Replies are neither phantoms nor duplicates, here and in other processes."""
    found = results(as_target(Echoing), "ISO01", "DUR03", "FID01", "FID14", "CLR01")
    assert {each.verdict for each in found.values()} == {Verdict.HELD}


def test_what_counts_messages_is_not_asked_of_an_agent() -> None:
    """Nobody knows how many of the last ones are replies."""
    for result in results(as_target(Echoing), "ORD11", "TRM01").values():
        assert result.verdict is Verdict.UNSUPPORTED
        assert result.summary == "the agent's replies are among the last messages too"


def test_an_agent_that_changes_what_it_was_told_is_caught() -> None:
    """What the user said comes back otherwise, and is not taken for a reply."""
    assert results(as_target(EchoingBadly), "FID01")["FID01"].finding == "corrupted"


@pytest.mark.parametrize("answers", [True, False])
def test_without_the_declaration_a_reply_is_a_phantom(answers: bool) -> None:
    """An echo that is not declared is what it looks like."""

    class Undeclared(Echoing):
        pass

    Undeclared.answers = answers
    declared = results(goldfish.target(Undeclared), "FID01")["FID01"].verdict
    assert declared is (Verdict.HELD if answers else Verdict.BROKEN)


def test_what_is_beyond_a_declared_window_is_not_lost() -> None:
    """It was never promised; what fits the window is."""
    found = results(as_target(Forgetful), "DUR02", "ISO01", "LIV60", "LIV61", "CON04")
    assert found["DUR02"].verdict is Verdict.UNSUPPORTED
    assert (found["CON04"].verdict, found["CON04"].lost) == (Verdict.UNSUPPORTED, 0)
    assert found["DUR02"].summary.startswith("not claimed: it keeps the last 3 messages, and was")
    assert [found[code].verdict for code in ("ISO01", "LIV60")] == [Verdict.HELD] * 2
    assert found["LIV61"].summary == "it keeps no summary"


def test_a_window_that_nobody_declared_loses() -> None:
    """Forgetting on purpose is forgetting, unless it is said."""
    assert results(as_target(Undeclared), "DUR02")["DUR02"].finding == "lost"


def test_a_correct_window_holds_what_is_asked_of_windows() -> None:
    """With its summary, also when several write at once and one clears."""
    codes = ("CON60", "CON61", "CON62", "LIV60", "LIV61")
    found = results(as_target(WindowedReference), *codes)
    assert {each.verdict for each in found.values()} == {Verdict.HELD}
