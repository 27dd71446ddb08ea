"""Commands as targets: what they declare, and what is wrong with those that are none."""

import warnings

import pytest

from goldfish.cli import run_command
from goldfish.commands.declaration import StrayOutputWarning, make_command_target
from goldfish.errors import TargetError
from goldfish.targets.names import resolve
from tests.commands.programs import command


def test_a_command_introduces_itself() -> None:
    """Its name and what it declares are those of the target."""
    target = resolve(command("declares"))
    assert target.name == "program"
    assert target.retries is False
    assert target.carries == {"role", "content"}
    assert {"retries", "carries"} <= target.declared


def test_servers_may_be_given_or_declared() -> None:
    """What the user gives comes first, and is there when the command starts."""
    target = resolve(command(), ["redis"])
    assert target.services == ("redis",)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("cmd:", "'cmd:' is incomplete"),
        ("cmd:node 'memory.mjs", "is not a command: no closing quotation"),
        ("cmd:no-such-program x", "there is no program 'no-such-program'"),
        ("cmd:/etc/hostname", "is not executable"),
        (command("exits"), "ended with exit code 1 before it answered initialize"),
        (command("exits"), "its last lines:\nno licence found\nbuy one"),
        (command("wrong id"), "answered with the id 101, which was not asked"),
        (command("old node"), "node v18.1.0 is probably too old for it: install a newer one"),
        (command("camel case"), "did you mean add_messages"),
        ("cmd:echo hello", "after it wrote 'hello' to standard output"),
    ],
)
def test_what_is_no_memory_is_told_in_a_sentence(spec: str, sentence: str) -> None:
    """With the last lines of what it said."""
    with pytest.raises(TargetError) as raised:
        resolve(spec)
    assert sentence in str(raised.value)


def test_a_command_that_never_answers_is_given_up() -> None:
    """And is not left behind."""
    with pytest.raises(TargetError, match=r"did not answer initialize within 0.5 s"):
        make_command_target(command("never answers"), within=0.5)


def test_other_output_is_reported_and_skipped() -> None:
    """The command is a memory all the same."""
    with pytest.warns(StrayOutputWarning, match="'memory is listening'"):
        assert resolve(command("chatters")).name == "program"


def test_the_command_line_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    """For a check, as for a file that cannot be imported."""
    assert run_command(["check", command("exits")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("goldfish: cmd:")
    assert "before it answered initialize; its last lines:\nno licence found" in said


def test_the_command_line_shows_other_output(capsys: pytest.CaptureFixture[str]) -> None:
    """Once, and not as a warning of Python's."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run_command(["check", command("chatters"), "--only", "DUR02", "-q"]) == 0
    said = capsys.readouterr().err
    assert said.startswith("goldfish: cmd:")
    assert said.count("wrote 'memory is listening' to standard output, which was skipped") == 1
