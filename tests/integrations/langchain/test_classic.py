"""The memories of langchain-classic as a store."""

from functools import cache

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.testing import LangChainModel
from tests.packages import Lazily, needs

pytestmark = [
    needs("langchain-classic"),
    pytest.mark.filterwarnings("ignore"),  # LangChain says of all of it that it is deprecated
]
ours = Lazily("goldfish.integrations.langchain.classic")
classic = Lazily("langchain_classic.memory")


def said(role: str, content: str) -> ChatMessage:
    """A message."""
    return ChatMessage(role=role, content=content)


def test_a_question_and_its_answer_are_one_turn() -> None:
    """All else is a question that gets a reply; nothing is left out."""
    batch = [said("user", "a"), said("user", "b"), said("assistant", "c"), said("assistant", "d")]
    found = list(ours.turns(batch))
    assert [asked["input"] for asked, _ in found] == ["a", "b", "d"]
    assert found[1] == ({"input": "b"}, {"output": "c"})
    assert found[0][1]["output"].startswith("I was shown 1 message ")


async def test_a_memory_of_ones_own_is_adapted() -> None:
    """Sync and async: what a chain would be shown is the history."""
    for asynchronous in (False, True):
        memory_of = cache(
            lambda _: classic.ConversationBufferWindowMemory(k=1, return_messages=True)
        )
        store = goldfish.adapt.langchain_classic(memory_of, window=1, asynchronous=asynchronous)
        for text in ("hello", "there"):
            added = store.add_messages("s", [said("user", text), said("assistant", "yes")])
            await added if added is not None else None
        found = store.get_history("s")
        history = found if isinstance(found, list) else await found
        assert [(each.role, each.content) for each in history] == [
            ("user", "there"),
            ("assistant", "yes"),
        ]
        assert (store.window, store.answers) == (1, True)


def test_the_summariser_forgets_nothing() -> None:
    """Else it could not be told from a memory that does."""
    shown = [("user", "one"), ("user", "two")]
    assert LangChainModel(verbatim=True).invoke(shown).content == "one\ntwo"
