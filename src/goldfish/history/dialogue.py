"""A conversation with an agent as a report keeps it: what was said, and what its model was shown.

All texts are short and without secrets; ``goldfish.agents.dialogue`` makes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# What a reader should see about a message of a prompt.
MISSING = "missing"  # it should be there, and is not
AGAIN = "again"  # it is there for the second time
FOREIGN = "foreign"  # it was said in another session, or by another user
FORGOTTEN = "forgotten"  # the agent was told to forget it
NO_RESULT = "no result"  # a tool call that nothing answers
NO_CALL = "no call"  # a result that nothing asked for
ASKED = "asked"  # the finding is about it
LEFT_OUT = "left out"  # so many messages are not shown here
GRAVE = frozenset({MISSING, AGAIN, FOREIGN, FORGOTTEN, NO_RESULT, NO_CALL})


@dataclass(frozen=True)
class Said:
    """Something that was said or answered, and that prompts can be searched for."""

    turn: int
    role: str
    text: str
    session: str = ""  # of another conversation; empty if it is the one that is shown


@dataclass(frozen=True)
class ShownMessage:
    """A message of a prompt; ``flag`` says what is wrong with it, ``turn`` where it was said."""

    role: str
    text: str
    flag: str = ""
    turn: int | None = None


@dataclass(frozen=True)
class ShownTurn:
    """One turn of a conversation, with the prompt that its answer was made of.

    ``copies`` has how often each thing that was said is in the prompt; ``missing`` and ``wrong``
    are the places of those that should be there, and that should not, or not as often.
    """

    number: int
    worker: str
    text: str
    outcome: str
    reply: str = ""
    error: str = ""
    refusal: str = ""  # the provider's words
    calls: tuple[str, ...] = ()  # of tools, by the model, in this turn
    faults: tuple[str, ...] = ()  # that hit a worker in this turn, or after it
    requests: int = 0
    is_main: bool = True  # whether the prompt is that of the answer, and not of a summary
    size: int = 0  # bytes
    messages: tuple[ShownMessage, ...] = ()
    copies: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    wrong: tuple[int, ...] = ()


@dataclass(frozen=True)
class Dialogue:
    """The turns of one conversation that show a finding."""

    session: str
    user: str
    said: tuple[Said, ...]
    turns: tuple[ShownTurn, ...]


def parse_dialogue(fields: Mapping[str, Any]) -> Dialogue:
    """Return the dialogue whose fields are given by name, as a JSON report has them."""
    return Dialogue(
        str(fields["session"]),
        str(fields["user"]),
        tuple(Said(**each) for each in fields["said"]),
        tuple(_parse_turn(each) for each in fields["turns"]),
    )


def _parse_turn(fields: Mapping[str, Any]) -> ShownTurn:
    lists = ("calls", "faults", "copies", "missing", "wrong")
    messages = tuple(ShownMessage(**each) for each in fields["messages"])
    return ShownTurn(
        **{**fields, **{name: tuple(fields[name]) for name in lists}, "messages": messages}
    )
