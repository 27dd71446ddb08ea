"""LangChain's histories behind the methods of a memory."""

import asyncio
import threading
from collections.abc import Sequence

import pytest
from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
from langchain_core.messages import BaseMessage

import goldfish
from goldfish import ChatMessage
from goldfish.harness.local import find_methods

# LangChain says once per process that these are deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*InMemoryChatMessageHistory")


class Histories:
    """The in-process histories of LangChain, one per session, as its documentation keeps them."""

    def __init__(self) -> None:
        self.by_session: dict[str, InMemoryChatMessageHistory] = {}

    def __call__(self, session_id: str) -> InMemoryChatMessageHistory:
        return self.by_session.setdefault(session_id, InMemoryChatMessageHistory())


class InThreads(BaseChatMessageHistory):
    """A history without async methods of its own, which notes who called it."""

    def __init__(self) -> None:
        self.kept: list[BaseMessage] = []
        self.callers: list[int] = []

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        self.callers.append(threading.get_ident())
        return list(self.kept)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.callers.append(threading.get_ident())
        self.kept.extend(messages)

    def clear(self) -> None:
        self.callers.append(threading.get_ident())
        self.kept.clear()


def batch(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


def contents(messages: list[ChatMessage]) -> list[object]:
    return [each.content for each in messages]


def test_sessions_are_written_read_and_cleared() -> None:
    """Each in its own history."""
    store = goldfish.adapt.langchain(Histories())
    store.add_messages("ann", batch("a", "b"))
    store.add_messages("ann", batch("c"))
    store.add_messages("bob", batch("d"))
    assert contents(store.get_history("ann")) == ["a", "b", "c"]
    store.clear("ann")
    assert store.get_history("ann") == []
    assert contents(store.get_history("bob")) == ["d"]


async def test_the_async_methods_do_the_same() -> None:
    """The other shape of the same library."""
    store = goldfish.adapt.langchain(Histories(), asynchronous=True)
    await store.add_messages("ann", batch("a", "b"))
    await store.add_messages("bob", batch("d"))
    assert contents(await store.get_history("ann")) == ["a", "b"]
    await store.clear("ann")
    assert await store.get_history("ann") == []
    assert contents(await store.get_history("bob")) == ["d"]


async def test_async_methods_that_langchain_lends_run_in_threads() -> None:
    """They are the library's own, and are driven as it made them."""
    history = InThreads()
    store = goldfish.adapt.langchain(lambda session_id: history, asynchronous=True)
    await store.add_messages("ann", batch("a"))
    assert contents(await store.get_history("ann")) == ["a"]
    await store.clear("ann")
    assert threading.get_ident() not in history.callers
    await asyncio.get_running_loop().shutdown_default_executor()


def test_a_power_that_langchain_lacks_is_no_method() -> None:
    """What a check asks for is seen by the methods that are there."""
    for store in (
        goldfish.adapt.langchain(Histories()),
        goldfish.adapt.langchain(Histories(), asynchronous=True),
    ):
        methods = find_methods(store)
        assert set(methods) == {"add_messages", "get_history", "clear"}
        assert methods["get_history"] == ["session_id"]
        assert store.carries == set(ChatMessage.model_fields) - {"created_at"}
        assert store.retries is False


def test_editing_what_was_read_edits_a_history_that_hands_out_its_own_list() -> None:
    """The adapter does not hide what a user of the library would suffer."""
    histories = Histories()
    store = goldfish.adapt.langchain(histories)
    store.add_messages("ann", batch("a", "b"))
    store.get_history("ann").pop(0)
    assert [each.content for each in histories("ann").messages] == ["b"]


def test_editing_what_was_read_leaves_a_history_that_copies_alone() -> None:
    """And it does not invent what the library does right."""
    history = InThreads()
    store = goldfish.adapt.langchain(lambda session_id: history)
    store.add_messages("ann", batch("a", "b"))
    store.get_history("ann").clear()
    assert contents(store.get_history("ann")) == ["a", "b"]


def test_a_batch_is_translated_before_any_of_it_is_written() -> None:
    """What LangChain refuses leaves nothing behind that the library did not write."""
    store = goldfish.adapt.langchain(Histories())
    odd = {"type": "tool_call", "id": "1", "name": "f", "args": "no dict"}
    refused = ChatMessage(role="assistant", content="b", tool_calls=[odd])
    with pytest.raises(ValueError, match="args"):
        store.add_messages("ann", [*batch("a"), refused])
    assert store.get_history("ann") == []
