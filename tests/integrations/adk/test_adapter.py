"""The session services of Google's ADK behind the methods of a memory."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.harness.local import find_methods
from tests.integrations.blame import assert_blamed
from tests.packages import Lazily, needs

pytestmark = needs("google-adk")
events = Lazily("google.adk.events")
sessions = Lazily("google.adk.sessions")
sqlite = Lazily("google.adk.sessions.sqlite_session_service")
ours = Lazily("goldfish.integrations.adk.events")

LONG_AGO = datetime(2020, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
HELD = "FID01 FID08 FID09 FID13 FID15 FID26 ORD11 ORD13 ORD14 FID41 FID43 ISO43"
FOUND = {
    "adk-memory": {
        "held": HELD + " ORD03 ORD04 CLR04 FID45",
        "broken": "ISO04 FID46",
        "unsupported": "DUR02 DUR11",
    },
    "adk-sqlite": {"held": HELD + " ORD03 CLR04", "broken": "ISO04 ORD04 FID44 FID45"},
    "adk-database": {"held": HELD + " ISO04 FID45", "broken": "ORD03 ORD04"},
}
UNSUPPORTED = "TRM01 CLR07 CLR09 TTL01 DUP01 FID10 FID11 FID12 FID14 SNP01"


def said(**fields: Any) -> ChatMessage:
    return ChatMessage(**{"role": "user", "content": "hello", "created_at": LONG_AGO, **fields})


def contents(messages: list[ChatMessage]) -> list[object]:
    return [each.content for each in messages]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"role": "assistant", "content": ""},
        {"role": "critic", "metadata": {"deep": {"x": [None, 2**60 + 1]}}},
        {"role": "tool", "tool_call_id": "c1"},
        {"content": [{"text": "a"}, {"text": "b"}]},
        {"content": []},
    ],
)
def test_a_message_is_an_event_and_comes_back(fields: dict[str, Any]) -> None:
    """Through ADK's own form on disk; only the id is another, for it is ADK's."""
    message = said(**fields)
    stored = ours.to_event(message).model_dump_json(exclude_none=True)
    back = ours.from_event(events.Event.model_validate_json(stored))
    assert back.model_copy(update={"id": message.id}) == message


def test_a_message_of_this_hour_is_timed_by_adk() -> None:
    """As an event of its own runner is; an older time is handed on."""
    new = ChatMessage(role="user", content="a")
    assert ours.to_event(new).timestamp > new.created_at.timestamp()
    waited = new.model_copy(update={"created_at": new.created_at - timedelta(minutes=10)})
    assert ours.to_event(waited).timestamp > new.created_at.timestamp()
    assert ours.to_event(said()).timestamp == LONG_AGO.timestamp()


def test_what_adk_does_not_take_is_refused() -> None:
    """Its documentation wants JSON as metadata, and its parts have a form."""
    with pytest.raises(ValueError, match="tuple"):
        ours.to_event(said(metadata={"odd": (1, 2)}))
    with pytest.raises(ValueError, match="float"):
        ours.to_event(said(metadata={"odd": float("nan")}))
    with pytest.raises(ValueError, match="image_url"):
        ours.to_event(said(content=[{"type": "image_url", "image_url": "x"}]))


async def test_sessions_are_written_read_listed_and_deleted() -> None:
    """Each session of the user by itself."""
    store = goldfish.adapt.adk(sessions.InMemorySessionService(), app_name="shop", user_id="ann")
    await store.add_messages("one", [said(content="a"), said(content="b")])
    await store.add_messages("two", [said(content="c")])
    await store.add_messages("three", [])
    assert contents(await store.get_history("one", last=1)) == ["b"]
    assert sorted(await store.list_sessions()) == ["one", "two"]
    await store.clear("one")
    assert await store.get_history("one") == []
    with pytest.raises(ValueError, match="give the session an id"):
        await store.add_messages("", [said()])


async def test_state_is_set_by_events_that_are_no_messages() -> None:
    """Of a session, or of a user of the app; the newest messages are found between them."""
    service = sessions.InMemorySessionService()
    store = goldfish.adapt.adk(service, app_name="shop", user_id="ann")
    for turn in range(3):
        await store.add_messages("chat", [said(content=f"turn {turn}")])
        await store.set_state("chat", {"step": turn, "done": None})
    await store.set_state("elsewhere", {"language": "de"}, user_id="ann")
    await store.set_state("chat", {})
    assert contents(await store.get_history("chat")) == ["turn 0", "turn 1", "turn 2"]
    assert contents(await store.get_history("chat", last=2)) == ["turn 1", "turn 2"]
    assert await store.get_state("chat") == {"step": 2, "done": None}
    assert await store.get_state("chat", user_id="ann") == {"language": "de"}
    assert await store.get_state("chat", user_id="bob") == await store.get_state("new") == {}
    session = await service.get_session(app_name="shop", user_id="ann", session_id="chat")
    assert session is not None
    assert session.state == {"step": 2, "done": None, "user:language": "de"}


async def test_the_state_of_a_user_is_found_where_there_is_no_way_to_ask_for_it() -> None:
    """As in older releases: by way of any of the user's sessions."""
    from google.adk.sessions import InMemorySessionService

    class Older(InMemorySessionService):
        async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
            raise NotImplementedError

    store = goldfish.adapt.adk(Older())
    assert await store.get_state("chat", user_id="ann") == {}
    await store.set_state("one", {"language": "de"}, user_id="ann")
    assert await store.get_state("two", user_id="ann") == {"language": "de"}


@pytest.mark.parametrize(
    "values", [{"user:x": 1}, {"temp:x": 1}, {"x": (1, 2)}, {"x": float("nan")}, {"x": object()}]
)
async def test_state_that_adk_does_not_keep_as_it_is_is_refused(values: dict[str, Any]) -> None:
    """Before anything is set, and with what to do."""
    store = goldfish.adapt.adk(sessions.InMemorySessionService())
    with pytest.raises(ValueError, match="x"):
        await store.set_state("chat", {"plain": 1, **values})
    assert await store.get_state("chat") == {}


async def test_a_session_that_another_writer_has_changed_is_fetched_again(tmp_path: Any) -> None:
    """ADK refuses to append to what is stale, and says so: the second writer is not lost."""
    path = str(tmp_path / "memory.db")
    one, two = (goldfish.adapt.adk(sqlite.SqliteSessionService(path)) for _ in range(2))
    held = await one._session("goldfish", "chat")
    await two.add_messages("chat", [ChatMessage(role="user", content="a")])
    await one._append(held, "chat", ChatMessage(role="user", content="b"))
    assert contents(await two.get_history("chat")) == ["a", "b"]


async def test_an_error_that_is_no_race_is_raised_at_once(tmp_path: Any) -> None:
    """A backend that fails is not asked again."""
    store = goldfish.adapt.adk(sqlite.SqliteSessionService(str(tmp_path / "gone" / "memory.db")))
    with pytest.raises(Exception, match="unable to open"):
        await store.add_messages("chat", [said()])


def test_a_power_that_adk_lacks_is_no_method() -> None:
    """What a check asks for is seen by the methods that are there."""
    methods = find_methods(goldfish.adapt.adk(sessions.InMemorySessionService()))
    state = {"set_state", "get_state"}
    assert set(methods) == {"add_messages", "get_history", "clear", "list_sessions"} | state


@pytest.mark.parametrize("name", FOUND)
def test_each_service_is_blamed_for_its_faults_only(name: str) -> None:
    """What ADK does right is held, and what it lacks is unsupported."""
    expected = dict.fromkeys(UNSUPPORTED.split(), "unsupported")
    expected |= {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    assert_blamed(name, expected)
