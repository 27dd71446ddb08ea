"""Moulds: messages side by side, known again and copied."""

import gc
from typing import Any

import pytest

pytest.importorskip("langgraph.checkpoint.base")

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from goldfish.integrations.langgraph.elements import Element, freeze
from goldfish.integrations.langgraph.moulds import NO_MESSAGES, Form, Mould


class Unequal(str):
    """A text that cannot be compared."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")


def form_of(message: BaseMessage) -> Form:
    form = Element(("msgpack", b""), freeze(message)).form
    assert form is not None
    return form


def mould_of(*messages: BaseMessage) -> Mould:
    return NO_MESSAGES.extend([form_of(each) for each in messages])


def said() -> list[Any]:
    """A text, and a message with numbers."""
    return [HumanMessage("x", id="1"), AIMessage("y", id="2", response_metadata={"n": [1]})]


def test_a_mould_knows_its_messages_again() -> None:
    """Whoever made them, and nothing else."""
    mould = mould_of(*said())
    assert mould.build() == said()
    assert mould.matches(mould.build())
    assert mould.matches(said())
    assert not mould.matches(said()[:1])
    assert not mould.matches(said()[::-1])
    assert not mould.matches(["x", "y"])


@pytest.mark.parametrize(
    ("at", "field", "value"),
    [
        (0, "content", "z"),
        (0, "content", []),
        (0, "content", Unequal("x")),
        (0, "name", ""),
        (0, "additional_kwargs", {"k": None}),
        (0, "mood", "new"),
        (1, "response_metadata", {"n": [True]}),
        (1, "response_metadata", {"n": [1.0]}),
        (1, "content", b"y"),
    ],
)
def test_a_mould_sees_what_was_changed(at: int, field: str, value: Any) -> None:
    """Also what Python takes for equal, and what cannot be compared."""
    values = said()
    setattr(values[at], field, value)
    assert not mould_of(*said()).matches(values)


def test_a_value_that_equals_nothing_is_known_again() -> None:
    """As a number that is none, in what a model tells about its answer."""
    message = AIMessage("y", id="2", response_metadata={"p": float("nan")})
    mould = mould_of(message)
    assert mould.matches([message])
    assert mould.matches(mould.build())


def test_moulds_that_grow_from_one_do_not_meet() -> None:
    """Two branches of a thread have their first messages in common."""
    first, second = said()
    stem = mould_of(first)
    one, two = stem.extend([form_of(second)]), stem.extend([form_of(first)])
    assert one.build() == [first, second]
    assert two.build() == [first, first]
    assert stem.build() == [first]
    assert (len(stem), len(one), len(two)) == (1, 2, 2)


@pytest.mark.parametrize("is_enabled", [True, False])
def test_no_garbage_is_looked_for_among_new_messages(is_enabled: bool) -> None:
    """Afterwards it is as it was before."""
    mould = mould_of(*(HumanMessage("x", id=str(number)) for number in range(2000)))
    collections: list[str] = []

    def note(phase: str, about: dict[str, int]) -> None:
        collections.append(phase)

    was_enabled = gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    gc.collect()
    gc.callbacks.append(note)
    try:
        built = mould.build()
        found = len(collections)
        assert gc.isenabled() == is_enabled
    finally:
        gc.callbacks.remove(note)
        (gc.enable if was_enabled else gc.disable)()
    assert len(built) == 2000
    assert found <= 2  # the start and the end of one that was put off
