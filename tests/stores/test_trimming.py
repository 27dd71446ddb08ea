"""Which messages a trim by policy removes."""

import random

import pytest

from goldfish import ChatMessage
from goldfish.stores.trimming import Limits, messages_to_remove


def notation(text: str) -> list[ChatMessage]:
    """A history from words: ``sys``, ``u``, ``a``, ``call:x,y``, ``res:x``."""
    history = []
    for place, word in enumerate(text.split()):
        kind, _, names = word.partition(":")
        ids = names.split(",") if names else []
        if kind == "call":
            fields = {"role": "assistant", "tool_calls": [{"id": each} for each in ids]}
        elif kind == "res":
            fields = {"role": "tool", "tool_call_id": ids[0]}
        else:
            fields = {"role": {"sys": "system", "u": "user", "a": "assistant"}[kind]}
        history.append(ChatMessage.model_validate({"content": word, "id": str(place), **fields}))
    return history


def kept(text: str, **limits: object) -> str:
    history = notation(text)
    gone = {m.id for m in messages_to_remove(history, Limits(**limits))}  # type: ignore[arg-type]
    return " ".join(str(message.content) for message in history if message.id not in gone)


@pytest.mark.parametrize(
    ("history", "keep", "expected"),
    [
        ("u call:x res:x a", 4, "u call:x res:x a"),
        ("u call:x res:x a", 3, "call:x res:x a"),
        ("u call:x res:x a", 2, "a"),
        ("u call:x res:x", 1, ""),
        ("u call:x,y res:x res:y a", 3, "a"),
        ("u call:x,y res:x res:y a", 4, "call:x,y res:x res:y a"),
        ("call:x u res:x a", 3, "u a"),  # a result that comes late goes with its call
        ("call:x res:x u call:x res:x a", 4, "u call:x res:x a"),  # ids may be used again
        ("call:x res:x u call:x res:x a", 5, "u call:x res:x a"),
        ("u a call:x", 1, "call:x"),  # still waiting for its result
        ("u a call:x,y res:x", 2, "call:x,y res:x"),
        ("u call:x u a", 3, "u a"),  # nobody answered, and the talk went on
        ("res:z u a", 3, "u a"),  # an orphan from before
        ("u a", 0, ""),
    ],
)
def test_a_cut_never_parts_a_call_from_its_results(history: str, keep: int, expected: str) -> None:
    """Whatever would begin the rest without its partner goes too."""
    assert kept(history, keep_last=keep, keep_pairs=True) == expected


def test_without_keep_pairs_the_number_is_exact() -> None:
    """Plain trimming counts and nothing else."""
    assert kept("u call:x res:x a", keep_last=2) == "res:x a"


@pytest.mark.parametrize("seed", range(200))
def test_on_random_histories_no_pair_is_ever_parted(seed: int) -> None:
    """In what remains every result has its call before it, and never more than asked stays."""
    dice = random.Random(seed)
    words: list[str] = []
    for turn in range(dice.randrange(1, 8)):
        ids = [f"{turn}{n}" for n in range(dice.randrange(3))]
        calls = [f"call:{','.join(ids)}", *(f"res:{each}" for each in ids)] if ids else []
        words += ["u", *calls, "a"]
    history, keep = " ".join(words), dice.randrange(len(words) + 2)
    rest = kept(history, keep_last=keep, keep_pairs=True).split()
    assert len(rest) <= keep
    for place, word in enumerate(rest):
        if word.startswith("res:"):
            assert any(
                word[4:] in call[5:].split(",") for call in rest[:place] if call[:5] == "call:"
            )


def test_the_leading_system_message_stays_in_addition() -> None:
    """Only a leading one, and beside the number that was asked for."""
    assert kept("sys u a u a", keep_last=2, keep_system=True) == "sys u a"
    assert kept("sys u a", keep_last=0, keep_system=True) == "sys"
    assert kept("u sys a", keep_last=1, keep_system=True) == "a"


def test_a_budget_keeps_the_longest_end_that_fits() -> None:
    """Tokens are counted by the caller's function; the system message is paid for first."""
    count = lambda message: 1 if message.role == "system" else 10  # noqa: E731 - a counting function
    assert kept("u a u a", max_tokens=25, count=count) == "u a"
    assert kept("u a u a", max_tokens=9, count=count) == ""
    assert kept("u a u a", max_tokens=99, count=count) == "u a u a"
    assert kept("sys u a u a", max_tokens=20, count=count, keep_system=True) == "sys a"
    assert kept("u a u a", max_tokens=99, keep_last=1, count=count) == "a"


def test_limits_that_make_no_sense_are_refused() -> None:
    """No limit, a budget without a counter, a negative number."""
    with pytest.raises(TypeError, match="needs a limit"):
        Limits()
    with pytest.raises(TypeError, match="needs count="):
        Limits(max_tokens=5)
    with pytest.raises(ValueError, match="max_tokens must not be negative"):
        Limits(max_tokens=-1, count=lambda _: 1)
