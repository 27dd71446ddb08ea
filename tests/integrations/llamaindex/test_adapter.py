"""LlamaIndex's memories and chat stores behind the methods of a memory."""

from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.harness.local import find_methods
from goldfish.integrations.times import NO_TIME
from tests.integrations.blame import assert_blamed
from tests.packages import Lazily, needs

pytestmark = needs("llama-index-core")
llms = Lazily("llama_index.core.llms")
memories = Lazily("llama_index.core.memory")
chat_stores = Lazily("llama_index.core.storage.chat_store")
ours = Lazily("goldfish.integrations.llamaindex.messages")

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
ROUND_TRIPS = "FID01 FID08 FID09 FID13 FID14 FID15"
FOUND = {
    "llamaindex-memory": {"held": ROUND_TRIPS + " FID22 FID26 CLR04", "broken": "FID28 CON08"},
    "llamaindex-chat-store-simple": {
        "held": ROUND_TRIPS + " FID22 CLR09 CLR12 CLR17",
        "broken": "FID24 FID25 FID26",
        "unsupported": "DUR02 DUR11 CON01",
    },
    "llamaindex-chat-store-sqlite": {
        "held": ROUND_TRIPS + " FID26 FID28 CLR17",
        "broken": "FID22 CLR09 CLR12",
    },
    "llamaindex-chat-store-redis": {
        "held": ROUND_TRIPS + " FID26 FID28 CLR17 TTL17",
        "broken": "FID22 CLR09 CLR12",
    },
}
UNSUPPORTED = "TRM01 CLR07 TTL01 DUP01 ORD11 FID11 SNP01"


def said(**fields: Any) -> ChatMessage:
    """A message without a time, which LlamaIndex has no place for."""
    return ChatMessage(**{"role": "user", "content": "hello", "created_at": NO_TIME, **fields})


def contents(messages: list[ChatMessage]) -> list[object]:
    return [each.content for each in messages]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"role": "assistant", "tool_calls": [CALL], "content": ""},
        {"role": "tool", "tool_call_id": "c1", "name": "f"},
        {"metadata": {"images": [1], "deep": {"x": [None]}}, "name": "Ann"},
        {"content": []},
    ],
)
def test_a_message_is_one_of_llamaindex_and_comes_back(fields: dict[str, Any]) -> None:
    """Through its own form on disk, as its stores write it."""
    message = said(**fields)
    stored = ours.to_llamaindex(message).model_dump(mode="json")
    assert ours.from_llamaindex(llms.ChatMessage.model_validate(stored)) == message


def test_what_llamaindex_does_not_know_is_refused_by_it() -> None:
    """Roles and parts of other makers are not made its own on the way."""
    with pytest.raises(ValueError, match="role"):
        ours.to_llamaindex(said(role="critic"))
    with pytest.raises(ValueError, match="block"):
        ours.to_llamaindex(said(content=[{"type": "image_url", "image_url": {"url": "x"}}]))


def test_what_only_llamaindex_has_comes_back_in_the_metadata() -> None:
    """Further arguments are to be seen."""
    message = llms.ChatMessage("a", additional_kwargs={"finish": "stop", "metadata": {"x": 1}})
    assert ours.from_llamaindex(message).metadata == {
        "x": 1,
        "llamaindex_fields": {"finish": "stop"},
    }


async def test_the_memory_of_each_session_is_written_read_and_reset() -> None:
    """By the async methods that all memories of LlamaIndex have."""
    histories: dict[str, Any] = {}

    def memory_of(session_id: str) -> Any:
        made = memories.ChatMemoryBuffer.from_defaults(tokenizer_fn=str.split)
        return histories.setdefault(session_id, made)

    store: Any = goldfish.adapt.llamaindex(memory_of)
    await store.add_messages("ann", [said(content="a"), said(content="b")])
    await store.add_messages("bob", [said(content="c")])
    assert contents(await store.get_history("ann")) == ["a", "b"]
    await store.clear("ann")
    assert await store.get_history("ann") == []
    assert contents(await store.get_history("bob")) == ["c"]


async def test_a_chat_store_is_driven_by_its_sync_or_by_its_async_methods() -> None:
    """The same calls, the same answers."""
    for asynchronous in (False, True):
        store: Any = goldfish.adapt.llamaindex(
            chat_stores.SimpleChatStore(), asynchronous=asynchronous
        )

        async def ask(method: str, *arguments: Any, asked: Any = store) -> Any:
            answer = getattr(asked, method)(*arguments)
            return await answer if hasattr(answer, "__await__") else answer

        batch = [said(content=text) for text in "abc"]
        await ask("add_messages", "ann", batch)
        await ask("delete_messages", "ann", [batch[1].id, "unknown"])
        assert contents(await ask("get_history", "ann")) == ["a", "c"]
        assert await ask("list_sessions") == ["ann"]
        await ask("clear", "ann")
        assert await ask("get_history", "ann") == []


def test_a_power_that_llamaindex_lacks_is_no_method() -> None:
    """What a check asks for is seen by the methods that are there."""
    store = goldfish.adapt.llamaindex(chat_stores.SimpleChatStore())
    assert set(find_methods(store)) == {
        "add_messages", "get_history", "clear", "delete_messages", "list_sessions"
    }  # fmt: skip
    memory = goldfish.adapt.llamaindex(lambda session_id: memories.ChatMemoryBuffer.from_defaults())
    assert set(find_methods(memory)) == {"add_messages", "get_history", "clear"}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.filterwarnings("ignore:Column-expression-level unary distinct")
def test_each_memory_is_blamed_for_its_faults_only(name: str) -> None:
    """What LlamaIndex does right is held, and what it lacks is unsupported."""
    expected = dict.fromkeys(UNSUPPORTED.split(), "unsupported")
    expected |= {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    assert_blamed(name, expected)
