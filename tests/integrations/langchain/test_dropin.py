"""Our chat history for LangChain: every message comes back as it was."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain_core")

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables.history import RunnableWithMessageHistory

import goldfish
from goldfish.errors import UnstorableError
from goldfish.integrations.langchain.dropin import AS_DUMPED, ChatMessageHistory
from tests.stores.backends import Backend

CALL = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
RAW_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
MESSAGES: list[BaseMessage] = [
    HumanMessage("hello \ud800 \0 中文", id="1", name="ann"),
    HumanMessage([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": "x"}], id="2"),
    HumanMessage(["a bare text", {"type": "text", "text": "a part"}], id="3"),
    AIMessage("", id="4", tool_calls=[CALL], usage_metadata=USAGE, response_metadata={"m": [1]}),
    AIMessage("x", id="5", invalid_tool_calls=[{**CALL, "args": "{", "error": "e"}]),
    AIMessage("x", id="6", additional_kwargs={"tool_calls": [RAW_CALL], "other": {"k": None}}),
    AIMessage("x", id="7", response_metadata={AS_DUMPED: 1, "langchain_fields": {"a": 1}}),
    ToolMessage("r", tool_call_id="c1", artifact={"z": [1]}, status="error", id="8"),
    SystemMessage("s", id="9", additional_kwargs={"k": 1}),
    ChatMessage(role="critic", content="no", id="10"),
    FunctionMessage(name="f", content="x", id="11"),
    AIMessageChunk(content="part", id="12"),
    RemoveMessage(id="13"),
]


async def test_every_message_comes_back_as_it_was(durable: Backend) -> None:
    """Of each type, with all that it carries, for the next process too."""
    async with durable.open() as store:
        await ChatMessageHistory("s", store).aadd_messages(MESSAGES)
    async with durable.open() as store:
        back = await ChatMessageHistory("s", store).aget_messages()
    assert back == MESSAGES
    assert [type(each) for each in back] == [type(each) for each in MESSAGES]


async def test_the_sync_methods_do_the_same(durable: Backend) -> None:
    """From a thread, and while an event loop runs in it."""
    async with durable.open() as store:
        history = ChatMessageHistory("s", store)
        await asyncio.to_thread(history.add_messages, MESSAGES[:2])
        history.add_user_message("again")
        assert [each.content for each in await history.aget_messages()][2:] == ["again"]
        assert history.messages[:2] == MESSAGES[:2]
        history.clear()
        assert await history.aget_messages() == []
        await history.aadd_messages(MESSAGES[:1])
        await history.aclear()
        assert history.messages == []


def test_a_message_without_an_id_gets_one_and_a_retry_is_a_no_op() -> None:
    """The caller's own message is left alone."""
    history = ChatMessageHistory("s", goldfish.InMemoryStore())
    mine = HumanMessage("hi")
    history.add_messages([mine])
    (kept,) = history.messages
    assert kept.id
    assert mine.id is None
    history.add_messages([kept])
    assert history.messages == [kept]


async def test_what_is_written_reads_like_a_conversation_in_the_store() -> None:
    """Trimming and searching work on it: roles, contents, calls and results are in their fields."""
    store = goldfish.InMemoryStore()
    await ChatMessageHistory("s", store).aadd_messages([MESSAGES[3], MESSAGES[7], MESSAGES[11]])
    call, result, chunk = await store.get_history("s")
    assert (call.role, call.tool_calls) == ("assistant", [CALL])
    assert (result.role, result.tool_call_id, result.content) == ("tool", "c1", "r")
    assert (chunk.role, chunk.content) == ("assistant", "part")


async def test_messages_that_the_store_had_before_are_messages_of_langchain() -> None:
    """A history may be continued."""
    store = goldfish.InMemoryStore()
    await store.add_messages("s", [goldfish.ChatMessage(role="user", content="hi", id="1")])
    assert await ChatMessageHistory("s", store).aget_messages() == [HumanMessage("hi", id="1")]


async def test_what_cannot_be_kept_exactly_is_refused_with_its_batch() -> None:
    """Nothing of it is written."""
    history = ChatMessageHistory("s", goldfish.InMemoryStore())
    for odd in (object(), (1, 2), {1: 2}, {1}):
        with pytest.raises(UnstorableError):
            await history.aadd_messages(
                [HumanMessage("a"), HumanMessage("b", response_metadata={"odd": odd})]
            )
    assert await history.aget_messages() == []


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
def test_a_chain_with_history_remembers() -> None:
    """LangChain makes the history anew for each turn."""
    store = goldfish.InMemoryStore()
    chain: Any = RunnableWithMessageHistory(
        FakeListChatModel(responses=["one", "two"]),
        lambda session_id: ChatMessageHistory(session_id, store),
    )
    for text in ("a", "b"):
        chain.invoke([HumanMessage(text)], {"configurable": {"session_id": "s"}})
    said = [each.content for each in ChatMessageHistory("s", store).messages]
    assert said == ["a", "one", "b", "two"]
