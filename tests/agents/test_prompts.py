"""What is read from prompts."""

import pytest

from goldfish.agents.prompts import count_turns_shown, find_constant_part
from goldfish.mirror import Message, Prompt

BANK = "You are the assistant of a bank. Answer as JSON."


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (BANK, BANK, BANK),
        (f"{BANK}\nIt is 21:03:31.", f"{BANK}\nIt is 21:03:32.", f"{BANK}\nIt is"),
        (f"{BANK} It is 21:03.", f"{BANK} It is 21:03.", BANK),  # two prompts of one moment
        (f"Process 77.\n{BANK}", f"Process 77.\n{BANK}", BANK),
        ("You are the bot of ann-1", "You are the bot of amy-2", "You are the bot of"),
        ("Hello", "Goodbye", ""),
        ("", "", ""),
    ],
)
def test_only_what_is_sure_to_stay_is_the_constant_part(
    one: str, other: str, expected: str
) -> None:
    """A number, or a word that has only begun alike, may be another one in the next prompt."""
    assert find_constant_part(one, other) == expected


def test_a_note_that_nobody_said_takes_no_place_in_a_window() -> None:
    """Such as how many messages were left out; results of tools, and what was said, take one."""
    said = Message("user", "My order is m10001."), Message("assistant", "Understood. r10001")
    note, result = Message("user", "Skipped 4 messages."), Message("tool", "found")
    newest = Message("user", "And now?")
    prompt = Prompt((Message("system", "Be kind."), *said, note, result, newest))
    assert count_turns_shown(prompt) == 3
