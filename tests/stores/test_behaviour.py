"""What every store promises, asked of every store: one module, all backends, real servers."""

import asyncio
import gc
import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.stores.base import BaseStore
from tests.stores.backends import Backend


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def contents(store: BaseStore, session: str = "s", **options: Any) -> list[Any]:
    return [message.content for message in await store.get_history(session, **options)]


ODD_TEXTS = [
    "",
    "plain",
    "emoji 🐠 and 中文 and עברית",
    "NUL \0 inside",
    "lone \ud800 surrogate",
    "'; DROP TABLE goldfish_messages; --",
    '{"not": "json"} "quotes" \\ back',
    "line\nfeed\r\ttab\x1b[31mred",
    "\u00e9 vs e\u0301",
    "   spaces   ",
    "x" * 5_000_000,
]

ODD_IDS = [
    "",
    " ",
    "a",
    "A",
    "a ",
    "a:b",
    "a*",
    "a?[b]",
    "a%",
    "a%25",
    "a_",
    "a{b}",
    "}",
    "{}",
    "../a",
    "a/b",
    "a\\b",
    "a'b\"c",
    "a\nb",
    "a\0b",
    "\u00e9",
    "e\u0301",
    "\ud800",
    "🐠",
    "x" * 10_000,
    "log",
    "None",
]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text[:12]))
async def test_any_text_is_kept_exactly(backend: Backend, text: str) -> None:
    """Content, ids and names come back as they were given, whatever they contain."""
    message = ChatMessage(
        role="assistant",
        content=text,
        id="id" + text[:500],
        name=text[:500],
        tool_call_id=text[:500],
        metadata={"key " + text[:500]: [text[:500]]},
    )
    async with backend.open() as store:
        await store.add_messages("s", [message])
        assert await store.get_history("s") == [message]


async def test_every_field_is_kept_exactly(backend: Backend) -> None:
    """Parts, tool calls, nested metadata with big numbers, and times with their zone survive."""
    message = ChatMessage(
        role="assistant",
        content=[{"type": "text", "text": "hi"}, {"type": "image", "data": [1, None, True]}],
        created_at=datetime(2026, 10, 25, 2, 30, 0, 123456, ZoneInfo("Europe/Berlin"), fold=1),
        name="bot",
        tool_calls=[{"id": "c1", "function": {"name": "f", "arguments": '{"a":1}'}}],
        tool_call_id="c0",
        metadata={"big": 2**200, "tiny": 5e-324, "third": 1 / 3, "deep": {"a": [{"b": -0.0}]}},
    )
    async with backend.open() as store:
        await store.add_messages("s", [message])
        (back,) = await store.get_history("s")
    assert back == message
    assert back.created_at.tzinfo == ZoneInfo("Europe/Berlin")
    assert back.created_at.utcoffset() == message.created_at.utcoffset()
    assert back.model_dump() == message.model_dump()


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-7, minutes=-30))])
async def test_times_keep_their_offset(backend: Backend, zone: timezone) -> None:
    """A back-dated time comes back with the offset it had."""
    moment = datetime(1999, 12, 31, 23, 59, 59, 999999, zone)
    async with backend.open() as store:
        await store.add_messages("s", [ChatMessage(role="user", content="x", created_at=moment)])
        (back,) = await store.get_history("s")
    assert back.created_at.isoformat() == moment.isoformat()


async def test_no_session_sees_another_whatever_the_ids(backend: Backend) -> None:
    """Ids are compared exactly and never become patterns, paths, SQL or keys of each other."""
    async with backend.open() as store:
        for number, session in enumerate(ODD_IDS):
            await store.add_messages(session, said(f"of {number}"))
        for number, session in enumerate(ODD_IDS):
            assert await contents(store, session) == [f"of {number}"]
        assert await store.list_sessions() == sorted(ODD_IDS)
        await store.clear("a*")
        await store.trim("a%", keep_last=0)
        assert set(await store.list_sessions()) == set(ODD_IDS) - {"a*", "a%"}


async def test_a_prefix_lists_only_the_sessions_that_begin_with_it(backend: Backend) -> None:
    """Exactly, whatever the prefix contains and however long the ids are."""
    long = ["a" * 300, "a" * 300 + "b", "\x7f" * 2, "a\ud800", "a\x7f", "\U0010ffff"]
    names = sorted({*ODD_IDS, *long})
    async with backend.open() as store:
        for name in names:
            await store.add_messages(name, [ChatMessage(role="user", content=name, id="1")])
        for prefix in ("", "a", "a*", "a%", "a" * 300, "\x7f", "\ud800", "\U0010ffff", "zz"):
            expected = [name for name in names if name.startswith(prefix)]
            assert await store.list_sessions(prefix) == expected


async def test_the_same_message_id_lives_in_many_sessions(backend: Backend) -> None:
    """A message id belongs to its session only."""
    message = said("shared")[0]
    async with backend.open() as store:
        await store.add_messages("s", [message])
        await store.add_messages("t", [message])
        await store.delete_messages("s", [message.id])
        assert await contents(store, "t") == ["shared"]


async def test_order_is_the_order_of_adding(backend: Backend) -> None:
    """Equal or back-dated times do not change the order."""
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    batch = [
        ChatMessage(role="user", content=str(n), created_at=moment - timedelta(days=n % 3))
        for n in range(50)
    ]
    async with backend.open() as store:
        await store.add_messages("s", batch[:20])
        await store.add_messages("s", batch[20:])
        assert await contents(store) == [str(n) for n in range(50)]
        assert await contents(store, last=3) == ["47", "48", "49"]
        assert await contents(store, last=0) == []
        assert len(await contents(store, last=10**30)) == 50


async def test_a_retry_is_a_no_op(backend: Backend) -> None:
    """An id that the session has keeps its first content and place."""
    first, second, third = said("one", "two", "three")
    async with backend.open() as store:
        await store.add_messages("s", [first, second])
        again = ChatMessage(role="user", content="other", id=first.id)
        await store.add_messages("s", [again, third])
        await store.add_messages("s", [first, second, third])
        assert await contents(store) == ["one", "two", "three"]


async def test_a_removed_id_may_be_added_again(backend: Backend) -> None:
    """Trim, delete and clear make room for the same id."""
    message = said("x")[0]
    async with backend.open() as store:
        for remove in (
            lambda: store.trim("s", keep_last=0),
            lambda: store.delete_messages("s", [message.id]),
            lambda: store.clear("s"),
        ):
            await store.add_messages("s", [message])
            await remove()
            assert await contents(store) == []
        await store.add_messages("s", [message])
        assert await contents(store) == ["x"]


async def test_the_same_words_twice_are_two_messages(backend: Backend) -> None:
    """Only ids make messages equal."""
    async with backend.open() as store:
        await store.add_messages("s", said("yes", "yes"))
        await store.add_messages("s", said("yes"))
        assert await contents(store) == ["yes"] * 3


async def test_one_id_twice_in_a_batch_is_refused_whole(backend: Backend) -> None:
    """Nothing of such a batch is written."""
    message = said("x")[0]
    async with backend.open() as store:
        with pytest.raises(goldfish.UnstorableError, match="same message id twice"):
            await store.add_messages("s", [*said("y"), message, message])
        assert await contents(store) == []


UNSTORABLE = [
    {1, 2},
    (1, 2),
    b"bytes",
    {1: "number as key"},
    datetime(2020, 1, 1, tzinfo=UTC),
    object(),
    10**5000,
]


@pytest.mark.parametrize("value", UNSTORABLE, ids=lambda value: type(value).__name__)
async def test_what_cannot_be_kept_is_refused_before_anything_is_written(
    backend: Backend, value: object
) -> None:
    """The whole batch is refused with the place of the value, and the store goes on."""
    bad = ChatMessage(role="user", content="bad", metadata={"deep": [{"here": value}]})
    async with backend.open() as store:
        with pytest.raises(goldfish.UnstorableError, match=r"metadata\.deep\[0\]\.here"):
            await store.add_messages("s", [*said("good"), bad])
        assert await contents(store) == []
        await store.add_messages("other", said("fine"))
        assert await contents(store, "other") == ["fine"]


async def test_a_bottomless_value_is_refused(backend: Backend) -> None:
    """A value that contains itself is an error, not a crash."""
    loop: dict[str, Any] = {}
    loop["self"] = loop
    async with backend.open() as store:
        with pytest.raises(goldfish.UnstorableError, match="deeper"):
            await store.add_messages("s", [ChatMessage(role="u", content="x", metadata=loop)])


async def test_nobody_edits_the_history_through_a_reference(backend: Backend) -> None:
    """What was passed in and what came back are copies, nested values too."""
    message = ChatMessage(role="user", content="x", metadata={"a": [1]}, tool_calls=[{"id": "1"}])
    batch = [message]
    async with backend.open() as store:
        await store.add_messages("s", batch)
        batch.clear()
        message.metadata["a"].append(2)
        message.tool_calls[0]["id"] = "2"
        first = await store.get_history("s")
        first[0].metadata["a"].append(3)
        first.clear()
        (back,) = await store.get_history("s")
    assert (back.metadata, back.tool_calls) == ({"a": [1]}, [{"id": "1"}])


async def test_trim_keeps_the_newest_and_says_how_many_went(backend: Backend) -> None:
    """To a number, beyond the end, to nothing, and again."""
    async with backend.open() as store:
        await store.add_messages("s", said(*"abcdef"))
        await store.add_messages("t", said("neighbour"))
        assert await store.trim("s", keep_last=10) == 0
        assert await store.trim("s", keep_last=2) == 4
        assert await contents(store) == ["e", "f"]
        await store.add_messages("s", said("g"))
        assert await contents(store) == ["e", "f", "g"]
        assert await store.trim("s", keep_last=0) == 3
        assert await store.trim("s", keep_last=0) == 0
        assert await store.trim("unknown", keep_last=0) == 0
        assert await contents(store) == []
        assert await contents(store, "t") == ["neighbour"]


async def test_trim_by_policy_on_every_backend(backend: Backend) -> None:
    """Pairs stay together, the system message stays, a budget is kept."""
    history = [
        ChatMessage(role="system", content="be kind"),
        ChatMessage(role="user", content="weather?"),
        ChatMessage(role="assistant", content="", tool_calls=[{"id": "w"}]),
        ChatMessage(role="tool", content="sunny", tool_call_id="w"),
        ChatMessage(role="assistant", content="It is sunny."),
    ]
    async with backend.open() as store:
        await store.add_messages("s", history)
        assert await store.trim("s", keep_last=2, keep_pairs=True, keep_system=True) == 3
        assert await contents(store) == ["be kind", "It is sunny."]
        count = lambda message: len(message.content)  # noqa: E731 - a counting function
        assert await store.trim("s", max_tokens=12, count=count) == 1
        assert await contents(store) == ["It is sunny."]


async def test_delete_removes_exactly_those(backend: Backend) -> None:
    """The order of the rest stays; unknown ids and another session's are no-ops."""
    async with backend.open() as store:
        batch = said(*"abcdef")
        await store.add_messages("s", batch)
        await store.add_messages("t", said("x"))
        doomed = [batch[4].id, batch[1].id, "unknown", batch[1].id]
        assert await store.delete_messages("s", doomed) == 2
        assert await store.delete_messages("t", [batch[0].id]) == 0
        assert await store.delete_messages("s", []) == 0
        assert await contents(store) == ["a", "c", "d", "f"]
        await store.add_messages("s", said("g"))
        assert await store.trim("s", keep_last=2) == 3
        assert await contents(store) == ["f", "g"]


async def test_clear_is_idempotent_and_leaves_neighbours(backend: Backend) -> None:
    """Clearing empties one session; adding afterwards begins anew."""
    async with backend.open() as store:
        await store.clear("never there")
        await store.add_messages("s", said("old"))
        await store.add_messages("s2", said("neighbour"))
        await store.clear("s")
        await store.clear("s")
        assert await contents(store) == []
        await store.add_messages("s", said("new"))
        assert await contents(store) == ["new"]
        assert await contents(store, "s2") == ["neighbour"]
        await store.clear_all()
        assert await store.list_sessions() == []


async def test_a_batch_of_none_of_one_and_of_a_thousand(backend: Backend) -> None:
    """Batches of any size are kept in order; an empty one makes no session."""
    async with backend.open() as store:
        await store.add_messages("s", [])
        assert await store.list_sessions() == []
        await store.add_messages("s", said("one"))
        await store.add_messages("s", said(*(str(n) for n in range(1000))))
        assert await contents(store) == ["one", *(str(n) for n in range(1000))]


async def test_a_deadline_belongs_to_one_session_and_expiry_clears(backend: Backend) -> None:
    """After its time the session is empty and unlisted, its neighbour is not."""
    async with backend.open() as store:
        await store.add_messages("s", said("short"))
        await store.add_messages("t", said("long"))
        assert await store.get_ttl("s") is None
        await store.set_ttl("s", 0.15)
        left = await store.get_ttl("s")
        assert left is not None
        assert 0 < left <= 0.15
        assert await store.get_ttl("t") is None
        await asyncio.sleep(0.2)
        assert await contents(store) == []
        assert await store.list_sessions() == ["t"]
        assert await store.get_ttl("s") is None
        await store.add_messages("s", said("new"))
        assert await contents(store) == ["new"]
        assert await store.get_ttl("s") is None


async def test_writes_trims_and_reads_leave_a_set_deadline_alone(backend: Backend) -> None:
    """set_ttl sets one deadline; even trimming to nothing keeps it; None removes it."""
    async with backend.open() as store:
        batch = said(*"abc")
        await store.add_messages("s", batch)
        await store.set_ttl("s", 50)
        await store.add_messages("s", said("d"))
        await store.trim("s", keep_last=3)
        await store.delete_messages("s", [batch[1].id])
        await contents(store)
        await store.trim("s", keep_last=0)
        assert 40 < (await store.get_ttl("s") or 0) <= 50
        await store.add_messages("s", said("e"))
        assert 40 < (await store.get_ttl("s") or 0) <= 50
        await store.set_ttl("s", None)
        assert await store.get_ttl("s") is None
        await store.set_ttl("s", 0)
        assert await contents(store) == []


async def test_a_deadline_needs_messages(backend: Backend) -> None:
    """For an empty session setting a deadline is a no-op, and clear removes it."""
    async with backend.open() as store:
        await store.set_ttl("s", 50)
        await store.add_messages("s", said("x"))
        assert await store.get_ttl("s") is None
        await store.set_ttl("s", 50)
        await store.clear("s")
        await store.add_messages("s", said("x"))
        assert await store.get_ttl("s") is None


async def test_a_store_wide_ttl_is_renewed_by_each_write(backend: Backend) -> None:
    """Writing renews, reading does not, and the deadline comes with the write itself."""
    async with backend.open(ttl=1.0) as store:
        for session in map(str, range(5)):  # a busy machine may sleep for longer than it was told
            begin = time.monotonic()
            await store.add_messages(session, said("a"))
            left = await store.get_ttl(session) or 0
            await asyncio.sleep(0.6)
            renewed = time.monotonic()
            await store.add_messages(session, said("b"))
            await asyncio.sleep(0.6)
            found = await contents(store, session)
            if max(renewed - begin, time.monotonic() - renewed) < 0.9:
                assert (found, 0 < left <= 1.0) == (["a", "b"], True)
                break
        else:
            pytest.skip("this machine is too busy to tell")
        await asyncio.sleep(0.6)
        assert await contents(store, session) == []


async def test_two_stores_on_one_storage_see_each_other_at_once(backend: Backend) -> None:
    """A write that returned is visible to the next read of any other store."""
    async with backend.open() as one, backend.open() as other:
        for n in range(20):
            writer, reader = (one, other) if n % 2 else (other, one)
            await writer.add_messages("s", said(str(n)))
            assert (await contents(reader))[-1] == str(n)


async def test_reopening_finds_everything(backend: Backend) -> None:
    """What was acknowledged is there after closing and opening again."""
    if backend.name == "memory":
        pytest.skip("InMemoryStore does not outlive its closing, and says so")
    async with backend.open() as store:
        await store.add_messages("s", said("a", "b"))
        await store.set_ttl("s", 50)
    async with backend.open() as store:
        assert await contents(store) == ["a", "b"]
        assert (await store.get_ttl("s") or 0) > 40


async def test_many_tasks_on_one_session_lose_nothing(backend: Backend) -> None:
    """Each writer's own order holds, batches stay together, readers never see half of one."""
    async with backend.open() as store:

        async def write(writer: int) -> None:
            for n in range(10):
                await store.add_messages("s", said(f"{writer} {n} q", f"{writer} {n} a"))

        async def read() -> None:
            for _ in range(20):
                assert len(await contents(store)) % 2 == 0

        await asyncio.gather(*(write(w) for w in range(8)), read())
        found = await contents(store)
    assert len(found) == 160
    assert [text[:-1] for text in found[::2]] == [text[:-1] for text in found[1::2]]
    for writer in range(8):
        own = [text for text in found if text.startswith(f"{writer} ")]
        assert own == [f"{writer} {n} {x}" for n in range(10) for x in "qa"]


async def test_cancelling_calls_leaves_the_store_usable(backend: Backend) -> None:
    """A cancelled call may or may not have happened; the next ones work and nothing is mixed up."""
    async with backend.open() as store:
        for n in range(40):
            task = asyncio.create_task(store.add_messages("s", said(f"{n}")))
            for _ in range(n % 5):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await store.add_messages("t", said(f"{n}"))
            assert (await contents(store, "t", last=1)) == [f"{n}"]
        assert len(await contents(store, "t")) == 40


async def test_a_closed_store_says_so(backend: Backend) -> None:
    """Every call after aclose is an error that names the cure; closing again is a no-op."""
    store = backend.open()
    await store.add_messages("s", said("x"))
    await store.aclose()
    await store.aclose()
    with pytest.raises(goldfish.MemoryStoreClosedError, match="open a new one"):
        await store.get_history("s")
    with pytest.raises(goldfish.MemoryStoreClosedError):
        await store.add_messages("s", said("y"))


async def test_closing_while_calls_are_under_way_leaves_nobody_waiting(backend: Backend) -> None:
    """Each call either happened or says that the store is closed."""
    if backend.name == "redis-decoded":
        pytest.skip("a client that was given is closed by the caller, when nobody uses it")
    store = backend.open()
    await store.add_messages("s", said("first"))
    calls = [asyncio.create_task(store.add_messages("s", said(str(n)))) for n in range(20)]
    calls += [asyncio.create_task(store.clear(f"t{n}")) for n in range(5)]
    await asyncio.sleep(0)
    await store.aclose()
    done, waiting = await asyncio.wait(calls, timeout=20)
    assert not waiting
    for call in done:
        error = call.exception()
        assert error is None or isinstance(error, goldfish.MemoryStoreError), repr(error)


async def test_wrong_arguments_are_refused_before_anything_happens(backend: Backend) -> None:
    """Each is a TypeError or a ValueError that says what is wrong."""
    async with backend.open() as store:
        anything: Any = store
        await store.add_messages("s", said("x"))
        with pytest.raises(ValueError, match="last must not be negative"):
            await store.get_history("s", last=-1)
        with pytest.raises(ValueError, match="keep_last must not be negative"):
            await store.trim("s", keep_last=-1)
        with pytest.raises(TypeError, match="session_id must be a string"):
            await anything.get_history(5)
        with pytest.raises(TypeError, match="each message must be a ChatMessage"):
            await anything.add_messages("s", [*said("y"), {"role": "user"}])
        with pytest.raises(TypeError, match="list of ChatMessage"):
            await anything.add_messages("s", said("y")[0])
        with pytest.raises(TypeError, match="last must be an integer"):
            await anything.get_history("s", last="5")
        with pytest.raises(TypeError, match="needs a limit"):
            await anything.trim("s")
        with pytest.raises(ValueError, match="seconds must be"):
            await store.set_ttl("s", -1)
        with pytest.raises(ValueError, match="seconds must be"):
            await store.set_ttl("s", float("nan"))
        assert await contents(store) == ["x"]


@pytest.mark.parametrize("ttl", [0, -1, float("inf")])
def test_a_senseless_ttl_is_refused(backend: Backend, ttl: float) -> None:
    """A store that would forget at once is not opened."""
    with pytest.raises(ValueError, match="ttl must be"):
        backend.open(ttl=ttl)


# The sockets of a loop that ended without closing the store are closed by the collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_store_serves_several_event_loops(backend: Backend) -> None:
    """A store may be used by one asyncio.run after another."""
    if backend.name in {"redis-decoded", "fakeredis"}:
        pytest.skip("a client that was given belongs to the loop it was made in")
    store = backend.open()
    for n in range(3):
        asyncio.run(store.add_messages("s", said(str(n))))
    assert [m.content for m in asyncio.run(store.get_history("s"))] == ["0", "1", "2"]
    asyncio.run(store.aclose())
    gc.collect()
