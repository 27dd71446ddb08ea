"""Our session for the OpenAI Agents SDK: items come back as they were, each popped once."""

import asyncio
import json
from typing import Any

import goldfish
from goldfish.integrations.openai_agents.dropin import Session
from tests.packages import Lazily, needs
from tests.stores.backends import Backend

pytestmark = needs("openai-agents")
agents = Lazily("agents.memory")

ITEMS: list[Any] = [
    {"role": "user", "content": "hello \ud800 \0 中文"},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "id": "__fake_id__"},
    {"type": "function_call_output", "call_id": "c", "output": "ok"},
    {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text"}]},
    {"type": "reasoning", "id": "r", "summary": [{"text": "t"}], "content": None},
    {"role": "user", "content": ""},
    {"role": "user", "content": []},
    {"role": "user", "content": None},
    {"content": "the other way round", "role": "user"},
    {"role": "user", "content": "with a name", "name": "Ann"},
    {"role": "assistant", "content": [{"text": "x"}], "id": "__fake_id__", "status": "completed"},
    {"content": "same", "output": "same", "type": "function_call_output"},
    {"role": 5, "content": {"odd": 1}},
]


async def test_every_item_comes_back_as_it_was(durable: Backend) -> None:
    """Down to the order of its keys, also where items share an id, for the next process too."""
    async with durable.open() as store:
        await Session("s", store).add_items(ITEMS)
        await Session("s", store).add_items([])
    async with durable.open() as store:
        back = await Session("s", store).get_items()
    assert [json.dumps(each) for each in back] == [json.dumps(each) for each in ITEMS]


async def test_a_limit_gives_the_newest_items() -> None:
    """Given with the call, or else by the settings of the session; below zero there is none."""
    store = goldfish.InMemoryStore()
    session = Session("s", store)
    await session.add_items(ITEMS)
    assert await session.get_items(limit=2) == ITEMS[-2:]
    assert await session.get_items(limit=0) == []
    assert await session.get_items(limit=-1) == ITEMS
    settings = agents.SessionSettings(limit=3)
    for given in (settings, {"limit": 3}):
        limited = Session("s", store, session_settings=given)
        assert await limited.get_items() == ITEMS[-3:]
        assert await limited.get_items(1) == ITEMS[-1:]


async def test_the_newest_item_is_popped_until_none_is_left() -> None:
    """And a cleared session has none."""
    session = Session("s", goldfish.InMemoryStore())
    assert isinstance(session, agents.Session)
    await session.add_items(ITEMS[:3])
    assert [await session.pop_item() for _ in range(4)] == [*ITEMS[2::-1], None]
    await session.add_items(ITEMS[:3])
    await session.clear_session()
    assert await session.get_items() == []


async def test_an_item_is_popped_by_one_of_many_callers(durable: Backend) -> None:
    """None twice, none lost, over several connections at once."""
    items = [{"role": "user", "content": str(n)} for n in range(30)]
    stores = [durable.open() for _ in range(3)]
    await Session("s", stores[0]).add_items(items)

    async def pop_all(store: Any) -> list[Any]:
        session, popped = Session("s", store), []
        while item := await session.pop_item():
            popped.append(item)
        return popped

    found = await asyncio.gather(*(pop_all(store) for store in [*stores, *stores]))
    contents = [int(each["content"]) for popped in found for each in popped]
    assert sorted(contents) == list(range(30))
    for store in stores:
        await store.aclose()


async def test_what_is_written_reads_like_a_conversation_in_the_store() -> None:
    """Trimming knows which result belongs to which call."""
    store = goldfish.InMemoryStore()
    await Session("s", store).add_items(ITEMS[:3])
    said, call, result = await store.get_history("s")
    assert (said.role, said.content) == ("user", ITEMS[0]["content"])
    assert call.tool_calls[0]["id"] == result.tool_call_id == "c"
    assert result.content == "ok"


async def test_messages_that_the_store_had_before_are_items() -> None:
    """A conversation may be continued."""
    store = goldfish.InMemoryStore()
    await store.add_messages("s", [goldfish.ChatMessage(role="user", content="hi")])
    assert await Session("s", store).get_items() == [{"role": "user", "content": "hi"}]


async def test_a_plain_item_is_its_message_alone() -> None:
    """Nothing is stored twice; what an earlier goldfish stored beside it is read as before."""
    store = goldfish.InMemoryStore()
    await Session("s", store).add_items([{"role": "user", "content": "new"}])
    beside = {"openai_agents_item": {"role": "user", "content": None}}
    formerly = goldfish.ChatMessage(role="user", content="old", metadata=beside)
    await store.add_messages("s", [formerly])
    assert [each.metadata for each in await store.get_history("s")] == [{}, beside]
    assert await Session("s", store).get_items() == [
        {"role": "user", "content": "new"},
        {"role": "user", "content": "old"},
    ]
