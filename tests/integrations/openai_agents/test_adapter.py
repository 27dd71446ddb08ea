"""The sessions of the OpenAI Agents SDK behind the methods of a memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.harness.local import find_methods
from goldfish.integrations.times import NO_TIME
from tests.integrations.blame import assert_blamed
from tests.packages import Lazily, needs

pytestmark = needs("openai-agents")
agents = Lazily("agents.memory")
items = Lazily("goldfish.integrations.openai_agents.items")
targets = Lazily("goldfish.integrations.openai_agents.targets.sessions")

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
HELD = "FID01 FID09 FID13 FID14 FID22 FID26 ORD11 ORD13 ORD14 CLR04"
FOUND = {
    "openai-agents-sqlite": {"held": HELD},
    "openai-agents-async-sqlite": {"held": HELD + " CON08"},
    "openai-agents-sqlalchemy": {"held": HELD + " CON08"},
    "openai-agents-advanced": {"held": HELD},
    "openai-agents-encrypted": {"held": HELD},
    "openai-agents-redis": {"held": HELD, "broken": "ISO07"},
}
UNSUPPORTED = "TRM01 CLR07 CLR09 CLR17 DUP01 SNP01 FID11 FID15"


class Kept:
    """A session that a user wrote: it hands out its own list."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    async def add_items(self, items: list[Any]) -> None:
        self.items.extend(items)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        return self.items

    async def clear_session(self) -> None:
        self.items.clear()


def said(**fields: Any) -> ChatMessage:
    """A message without a time, which the SDK has no place for."""
    return ChatMessage(**{"role": "user", "content": "hello", "created_at": NO_TIME, **fields})


def contents(messages: list[ChatMessage]) -> list[object]:
    return [each.content for each in messages]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, None),
        ({"role": "critic", "name": "Ann", "content": ""}, None),
        ({"content": [{"type": "input_text", "text": "a"}]}, None),
        ({"content": []}, None),
        ({"role": "tool", "tool_call_id": "c1"}, "function_call_output"),
        ({"role": "tool", "tool_call_id": "", "name": "f"}, "function_call_output"),
        ({"role": "tool"}, None),
        ({"role": "user", "tool_call_id": "c1"}, None),
        ({"role": "assistant", "content": "", "tool_calls": [CALL]}, "function_call"),
        ({"role": "assistant", "content": "well", "tool_calls": [CALL]}, None),
        ({"role": "assistant", "content": "", "tool_calls": [CALL, CALL]}, None),
        ({"role": "assistant", "content": "", "tool_calls": [{"name": "f", "args": {}}]}, None),
        ({"role": "assistant", "content": "", "name": "bot", "tool_calls": [CALL]}, None),
    ],
)
def test_a_message_is_an_item_of_the_sdk_and_comes_back(
    fields: dict[str, Any], kind: str | None
) -> None:
    """In the shape that the SDK documents for it, if it has one."""
    message = said(**fields)
    assert items.to_item(message).get("type") == kind
    assert items.from_item(items.to_item(message)) == message


def test_what_only_the_sdk_has_comes_back_in_the_metadata() -> None:
    """Also items that are no messages at all."""
    answer = {"type": "message", "role": "assistant", "content": [], "status": "completed"}
    assert items.from_item(answer).metadata == {"type": "message", "status": "completed"}
    thought = items.from_item({"type": "reasoning", "id": "r1", "summary": []})
    assert (thought.role, thought.content, thought.id) == ("assistant", "", "r1")


async def test_sessions_are_written_read_and_cleared(tmp_path: Any) -> None:
    """Each by the methods of its own session, which is lent for the length of a call."""
    lent: list[str] = []

    @asynccontextmanager
    async def session_of(session_id: str) -> AsyncIterator[Any]:
        session = agents.SQLiteSession(session_id, tmp_path / "memory.db")
        lent.append(session_id)
        yield session
        session.close()

    store = goldfish.adapt.openai_agents(session_of)
    await store.add_messages("ann", [said(content="a"), said(content="b")])
    await store.add_messages("bob", [said(content="c")])
    assert contents(await store.get_history("ann", last=1)) == ["b"]
    await store.clear("ann")
    assert await store.get_history("ann") == []
    assert contents(await store.get_history("bob")) == ["c"]
    assert lent == ["ann", "bob", "ann", "ann", "ann", "bob"]


async def test_editing_what_was_read_edits_a_session_that_hands_out_its_own_list() -> None:
    """The adapter does not hide what a user of the session would suffer."""
    session = Kept()
    store = goldfish.adapt.openai_agents(lambda session_id: session)  # type: ignore[arg-type,return-value]
    await store.add_messages("ann", [said(content="a"), said(content="b")])
    (await store.get_history("ann")).pop(0)
    assert [each["content"] for each in session.items] == ["b"]


async def test_a_negative_number_of_messages_is_refused() -> None:
    """The SDK says nothing of a limit below zero, so it is not asked."""
    store = goldfish.adapt.openai_agents(lambda session_id: agents.SQLiteSession(session_id))
    with pytest.raises(ValueError, match="last must be 0 or more"):
        await store.get_history("ann", last=-1)


def test_a_power_that_the_sdk_lacks_is_no_method() -> None:
    """What a check asks for is seen by the methods that are there."""
    methods = find_methods(
        goldfish.adapt.openai_agents(lambda session_id: agents.SQLiteSession(session_id))
    )
    assert set(methods) == {"add_messages", "get_history", "clear"}


async def test_a_session_is_lent_to_one_call_at_a_time_and_few_are_kept(tmp_path: Any) -> None:
    """So that hundreds of sessions do not exhaust the files that a process may open."""
    path = tmp_path / "memory.db"
    sessions = targets._OpenSessions(lambda session_id: agents.SQLiteSession(session_id, path))
    async with sessions.lend("ann") as one, sessions.lend("ann") as two:
        assert one is not two
        for number in range(targets.KEPT_OPEN + 3):
            async with sessions.lend(str(number)):
                pass
        await one.add_items([{"role": "user", "content": "a"}])
    async with sessions.lend("ann") as again:
        assert again in (one, two)
        assert await again.get_items() == [{"role": "user", "content": "a"}]
    await sessions.close_idle(0)
    with pytest.raises(RuntimeError, match="closed"):
        await again.add_items([{"role": "user", "content": "b"}])


@pytest.mark.parametrize("name", FOUND)
def test_each_session_is_blamed_for_its_faults_only(name: str) -> None:
    """What the SDK does right is held, and what it lacks is unsupported."""
    expected = {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    expected |= dict.fromkeys(UNSUPPORTED.split(), "unsupported")
    assert_blamed(name, expected)
