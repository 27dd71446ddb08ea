"""What ``goldfish protocol-check`` tells an implementer, one sentence for each fault."""

import pytest

from goldfish.cli import run_command
from goldfish.commands import process
from goldfish.commands.conformance import examine
from goldfish.commands.declaration import parse
from tests.commands.programs import command

DEADLINE = 8.0  # seconds; only what never answers takes so long

SENTENCES = {
    "wrong id": "answered with the id 101, which was not asked (in flight: 1)",
    "text id": "answered with the id '1', which was not asked",
    "neither": "answered with neither result nor error",
    "bare error": "answered with the error 'it went wrong': an error has a code and a message",
    "exits": "ended with exit code 1 when it was asked initialize",
    "chatters": "wrote 'memory is listening' to standard output",
    "nameless": "has no name",
    "no methods": "names no methods",
    "camel case": "has a method 'addMessages', which is not in the protocol: did you mean add_mess",
    "wrong parameters": "does not take session_id in get_history: expected ['session_id']",
    "half a memory": "is not a memory: it needs add_messages and get_history",
    "declares nonsense": "declares 'service', which means nothing here: did you mean services?",
    "newer": "speaks protocol 2: goldfish speaks protocol 1",
    "text": "answered get_history with 'no messages': answer with a list of messages",
    "naive time": "returns a created_at without its offset from UTC",
    "unix time": "returns 1790000000 as created_at: write ISO 8601",
    "plain text": "changes the content of a message",
    "rounds": "rounds integers beyond 2**53",
    "forgets fields": "returns messages without created_at: return all fields, or declare",
    "mixes up": "mixes up calls that are in flight at once",
    "swallows": "answered a method that it does not have with a result",
    "dies of the unknown": "when it was asked a method that it does not have",
}


@pytest.mark.parametrize("mode", SENTENCES)
def test_a_fault_is_named_by_a_sentence(mode: str) -> None:
    """It is the first that is told, and says what to do."""
    verdict = examine(parse(command(mode)), (), deadline=DEADLINE)
    assert SENTENCES[mode] in verdict.problems[0]


def test_what_never_answers_is_told_after_the_deadline() -> None:
    """The first request tells it: nothing else is asked."""
    verdict = examine(parse(command("never answers")), (), deadline=0.5)
    assert verdict.problems == [
        "did not answer initialize within 0.5 s: write one line for each request, and flush it"
    ]


def test_what_does_not_end_with_its_input_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A harness that dies would leave it behind."""
    monkeypatch.setattr(process, "ENDS_WITHIN", 1.0)
    verdict = examine(parse(command("outlives")), (), deadline=DEADLINE)
    assert len(verdict.problems) == 1
    assert "did not end within" in verdict.problems[0]


def test_the_command_line_says_that_nothing_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """With the name by which the memory introduced itself."""
    assert run_command(["protocol-check", command()]) == 0
    said = capsys.readouterr().out
    assert said == "program speaks the protocol: 3 methods, nothing wrong.\n"


def test_the_command_line_lists_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence each, and what the program said last."""
    assert run_command(["protocol-check", command("exits")]) == 1
    said = capsys.readouterr().out
    assert "  - It ended with exit code 1 when it was asked initialize: answer, and go on." in said
    assert "  no licence found\n  buy one\n" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sqlite"], "'sqlite' is not a command: write 'cmd:sqlite'"),
        (["cmd:"], "'cmd:' is incomplete: write cmd:PROGRAM ARGUMENTS"),
        (["cmd:no-such-program"], "there is no program 'no-such-program'"),
        ([command(), "--deadline", "0"], "--deadline must be greater than 0 (got 0)"),
        ([command(), "--service", "oracle"], "no service named 'oracle'"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2 and one sentence."""
    assert run_command(["protocol-check", *arguments]) == 2
    assert sentence in capsys.readouterr().err
