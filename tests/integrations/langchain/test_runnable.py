"""RunnableWithMessageHistory of LangChain as a store."""

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

import goldfish
from goldfish import ChatMessage
from goldfish.testing import LangChainModel

# LangChain says of all of it that it is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")
HELLO = [ChatMessage(role="user", content="hello")]


def test_a_batch_is_a_turn_and_its_reply_is_stored() -> None:
    """Read and cleared is the history that the runnable asks for."""
    histories: dict[str, InMemoryChatMessageHistory] = {}
    runnable = RunnableWithMessageHistory(
        LangChainModel(), lambda name: histories.setdefault(name, InMemoryChatMessageHistory())
    )
    store = goldfish.adapt.langchain_runnable(runnable)
    assert store.answers
    store.add_messages("s", HELLO)
    found = store.get_history("s")
    assert isinstance(found, list)
    assert [each.role for each in found] == ["user", "assistant"]
    assert str(found[1].content).startswith("I was shown 1 message ")
    store.clear("s")
    assert (histories["s"].messages, store.get_history("t")) == ([], [])


async def test_a_chain_that_takes_a_dict_is_given_one() -> None:
    """By the key under which the runnable expects its input; async too."""
    history = InMemoryChatMessageHistory()
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("asked")])
    runnable = RunnableWithMessageHistory(
        prompt | LangChainModel(), lambda name: history, input_messages_key="asked"
    )
    store = goldfish.adapt.langchain_runnable(runnable, asynchronous=True)
    for _ in range(2):
        added = store.add_messages("s", HELLO)
        assert added is not None
        await added
    assert [each.type for each in history.messages] == ["human", "ai"] * 2
    assert str(history.messages[-1].content).startswith("I was shown 3 messages ")
