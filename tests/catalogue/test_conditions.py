"""What a finding says about how it was made: that its calls were made at once, and what raised."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.history.conditions import AT_ONCE
from goldfish.messages import ChatMessage
from goldfish.specimens import gallery
from goldfish.targets.declaration import Target, as_target


class SetsUpTwice:
    """A store whose first calls must not meet."""

    def __init__(self, sandbox: Any) -> None:
        self.state = "new"
        self.sessions: dict[str, list[ChatMessage]] = {}

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Set up with the first call."""
        if self.state == "setting up":
            raise RuntimeError("no such table")
        if self.state == "new":
            self.state = "setting up"
            await asyncio.sleep(0.05)
            self.state = "ready"
        self.sessions.setdefault(session_id, []).extend(messages)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the messages."""
        return list(self.sessions.get(session_id, []))


class Folders:
    """A store that makes a folder of an id, and refuses one that is there for another reason."""

    def __init__(self, sandbox: Any) -> None:
        self.folder = sandbox.path

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Append to the file in the session's folder."""
        with (self.open(session_id) / "messages").open("a") as file:
            file.writelines(f"{each.model_dump_json()}\n" for each in messages)

    def get_history(self, session_id: str) -> list[ChatMessage]:
        """Return the messages of that file."""
        file = self.open(session_id) / "messages"
        lines = file.read_text().splitlines() if file.exists() else []
        return [ChatMessage.model_validate_json(each) for each in lines]

    def open(self, session_id: str) -> Any:
        """Return the folder of a session."""
        if (self.folder / session_id).is_file():
            raise FileExistsError(f"session {session_id} already exists")
        (self.folder / session_id).mkdir(parents=True, exist_ok=True)
        return self.folder / session_id


def ask(target: Target, code: str) -> Result:
    """Return the result of one check."""
    (result,) = run(target, [catalogue()[code]], Plan(deadline=10)).results
    assert result.verdict is Verdict.BROKEN
    return result


@pytest.mark.parametrize(
    ("target", "code"),
    [
        (as_target(SetsUpTwice), "LIV09"),
        (gallery()["waits-for-nobody"].target, "LIV14"),
    ],
    ids=["LIV09", "LIV14"],
)
def test_what_breaks_among_calls_at_once_says_so(target: Target, code: str) -> None:
    """Though the check ends with the first error, and one of the callers is another process."""
    assert AT_ONCE in ask(target, code).conditions


def test_an_error_that_is_told_in_other_words_keeps_its_place() -> None:
    """So that it is known for the same error as another check's."""
    origin = ask(as_target(Folders), "ISO39").origin
    assert origin is not None
    assert origin.error == "FileExistsError"
