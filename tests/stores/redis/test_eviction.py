"""A Redis that evicts keys: what is left of a session or a user is an error, never an answer."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis.asyncio

import goldfish
from goldfish import ChatMessage, MemoryStoreBackendError, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis
from goldfish.testing import HashEmbedder

EVICTED = "<an error>"
SAID = [ChatMessage(id=f"m{n}", role="user", content=f"said {n}") for n in range(6)]
LATER = [ChatMessage(id=f"later {n}", role="user", content=f"said later {n}") for n in range(2)]


class Opened(RedisMemoryStore):
    """A store that knows its URL, so that another can be opened beside it."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(url, **{"embedder": HashEmbedder(8)} | options)
        self.url = url


Call = Callable[[Opened], Awaitable[Any]]
Calls = dict[str, Call]
Look = Callable[[Opened], Awaitable[dict[str, Any]]]


def opened(url: str, **options: Any) -> Opened:
    return Opened(url, **options)


def searching(url: str) -> Opened:
    return opened(url, search=True, keep_trimmed=True)


async def contents(store: Opened, session: str = "s") -> list[Any]:
    return [message.content for message in await store.get_history(session)]


async def shape_plain(store: Opened) -> None:
    await store.add_messages("s", SAID)


async def shape_with_deadline(store: Opened) -> None:
    await store.add_messages("s", SAID)
    await store.set_ttl("s", 1000)


async def shape_emptied(store: Opened) -> None:
    await shape_with_deadline(store)
    await store.trim("s", keep_last=0)


async def shape_with_snapshots(store: Opened) -> None:
    """Messages that went, stayed and came back, and named values."""
    await store.add_messages("s", SAID[:4])
    await store.set_state("s", {"a": 1})
    await store.save_snapshot("s", key="one")
    await store.trim("s", keep_last=2)
    two = await store.save_snapshot("s", key="two")
    await store.set_state("s", {"b": 2})
    await store.clear("s")
    await store.rollback_to_snapshot("s", two)
    await store.add_messages("s", SAID[4:])
    await store.delete_messages("s", ["m2"])
    await store.set_state("s", {"c": 3})


async def shape_hidden(store: Opened) -> None:
    await shape_with_snapshots(store)
    await store.set_ttl("s", 1000)


async def shape_forked(store: Opened) -> None:
    await store.add_messages("origin", SAID)
    snapshot = await store.save_snapshot("origin", key="one")
    await store.fork("origin", snapshot, "s", key="fork")


async def shape_forked_from_nothing(store: Opened) -> None:
    snapshot = await store.save_snapshot("origin", key="one")
    await store.fork("origin", snapshot, "s", key="fork")


async def shape_searched(store: Opened) -> None:
    """Also what was trimmed is to be found, and the session ends."""
    async with searching(store.url) as other:
        await other.add_messages("s", SAID)
        await other.trim("s", keep_last=3)
        await other.set_ttl("s", 1000)


SHAPES = [
    shape_plain,
    shape_with_deadline,
    shape_emptied,
    shape_with_snapshots,
    shape_hidden,
    shape_forked,
    shape_forked_from_nothing,
    shape_searched,
]


def token(key: str, *scope: str) -> str:
    from goldfish.stores import arguments

    return arguments.hash_key(key, *scope) or ""


ONE = token("one", "snapshot", "s")


async def search(store: Opened) -> list[Any]:
    async with searching(store.url) as other:
        return sorted(hit.message.id for hit in await other.search_history(["s"], "said"))


POWERS: Calls = {
    "get_history": lambda store: contents(store),
    "get the last": lambda store: store.get_history("s", last=1),
    "add": lambda store: store.add_messages("s", LATER),
    "add again": lambda store: store.add_messages("s", SAID),
    "trim": lambda store: store.trim("s", keep_last=1),
    "trim all": lambda store: store.trim("s", keep_last=0),
    "trim tokens": lambda store: store.trim("s", max_tokens=20, count=lambda message: 10),
    "delete": lambda store: store.delete_messages("s", ["m4"]),
    "clear": lambda store: store.clear("s"),
    "clear with snapshots": lambda store: store.clear("s", snapshots=True),
    "clear_all": lambda store: store.clear_all(),
    "list_sessions": lambda store: store.list_sessions(),
    "set_ttl": lambda store: store.set_ttl("s", 1000),
    "unset_ttl": lambda store: store.set_ttl("s", None),
    "get_ttl": lambda store: deadline(store),
    "save_snapshot": lambda store: store.save_snapshot("s", key="three"),
    "save_snapshot again": lambda store: store.save_snapshot("s", key="one"),
    "rollback": lambda store: unless_unknown(store.rollback_to_snapshot("s", ONE)),
    "list_snapshots": lambda store: snapshots(store),
    "delete_snapshot": lambda store: store.delete_snapshot("s", ONE),
    "fork": lambda store: unless_unknown(store.fork("s", ONE, "new")),
    "fork again": lambda store: unless_unknown(
        store.fork("origin", token("one", "snapshot", "origin"), "s", key="fork")
    ),
    "set_state": lambda store: store.set_state("s", {"d": 4}),
    "get_state": lambda store: store.get_state("s"),
    "search": search,
}


async def deadline(store: Opened) -> bool:
    return await store.get_ttl("s") is not None


async def snapshots(store: Opened) -> list[tuple[str, int]]:
    return [(each.id, each.message_count) for each in await store.list_snapshots("s")]


async def unless_unknown(call: Awaitable[Any]) -> Any:
    """The answer; that there is no such snapshot, or a session in the way, is one, too."""
    try:
        return await call
    except MemoryStoreBackendError:
        raise
    except goldfish.MemoryStoreError as error:
        return str(error)


async def answer_of(call: Awaitable[Any]) -> Any:
    try:
        return await call
    except MemoryStoreBackendError as error:
        return EVICTED if "noeviction" in str(error) else str(error)


async def view(store: Opened) -> dict[str, Any]:
    """All that can be read of the session, last of all what each snapshot shows."""
    names = ["get_history", "get_ttl", "get_state", "list_sessions", "list_snapshots", "search"]
    seen = {name: await answer_of(POWERS[name](store)) for name in names}
    for key in ("one", "two", "three"):
        new, snapshot = f"fork of {key}", token(key, "snapshot", "s")
        forked = await answer_of(unless_unknown(store.fork("s", snapshot, new)))
        seen[new] = forked, await contents(store, new), await store.get_state(new)
    return seen


@asynccontextmanager
async def database() -> AsyncIterator[tuple[str, Any]]:
    url = shared_redis().database()
    client = redis.asyncio.Redis.from_url(url)
    async with client:
        yield url, client
        await client.flushdb()


async def dumped(client: Any) -> dict[bytes, tuple[int, bytes]]:
    keys = await client.keys("*")
    return {key: (max(0, await client.pttl(key)), await client.dump(key)) for key in keys}


async def restore(client: Any, dump: dict[bytes, tuple[int, bytes]], without: bytes) -> None:
    pipeline = client.pipeline(transaction=False)
    pipeline.flushdb()
    for key, (left, value) in dump.items():
        if key != without:
            pipeline.restore(key, left, value)
    await pipeline.execute()


async def do(url: str, call: Call, look: Look) -> tuple[Any, dict[str, Any]]:
    """What a store that knows nothing yet answers, and what is to be read afterwards."""
    async with opened(url) as store:
        answer = await answer_of(call(store))
    if answer == EVICTED:
        return answer, {}
    async with opened(url) as store:
        return answer, await look(store)


def differs(found: Any, expected: Any) -> bool:
    """Whether an answer is neither an error nor right."""
    if isinstance(found, tuple):  # a fork, and what it made
        return bool(found[0] != EVICTED and found != expected)
    return bool(found != EVICTED and found != expected)


async def wrong_answers(url: str, client: Any, tag: bytes, calls: Calls, look: Look) -> list[str]:
    """What is neither right nor an error after any one key with this tag was removed."""
    dump = await dumped(client)
    keys = [key for key in dump if key.startswith(tag)]
    assert keys
    wrong = []
    for name, call in calls.items():
        await restore(client, dump, b"")
        expected, afterwards = await do(url, call, look)
        assert expected != EVICTED
        assert EVICTED not in afterwards.values()
        for key in keys:
            await restore(client, dump, key)
            answer, seen = await do(url, call, look)
            if differs(answer, expected):
                wrong.append(f"{name} without {key!r}: {answer}, not {expected}")
            wrong += [
                f"{what} after {name} without {key!r}: {value}, not {afterwards[what]}"
                for what, value in seen.items()
                if differs(value, afterwards[what])
            ]
    return wrong


@pytest.mark.parametrize("shape", SHAPES)
async def test_without_any_one_key_of_a_session_each_call_is_right_or_an_error(
    shape: Callable[[Opened], Awaitable[None]],
) -> None:
    """Reads and writes, and everything that can be read after them."""
    async with database() as (url, client):
        async with opened(url) as store:
            await shape(store)
        wrong = await wrong_answers(url, client, b"goldfish:{ss}:", POWERS, view)
        assert not wrong, "\n".join(wrong[:20])


async def told(store: Opened) -> dict[str, str]:
    return {fact.text: fact.id for fact in await store.list_facts("u")}


async def revise(store: Opened, key: str | None = None) -> str:
    fact = await store.revise("u", (await told(store))["likes milk"], "likes water", key=key)
    return fact.text


async def remember(store: Opened, text: str, key: str | None = None) -> tuple[str, int]:
    fact = await store.remember("u", text, key=key)
    return fact.text, fact.times_seen


async def history(store: Opened) -> list[str]:
    facts = await told(store)
    return [fact.text for each in facts.values() for fact in await store.fact_history("u", each)]


async def forget(store: Opened) -> None:
    await store.forget("u", (await told(store))["likes milk"])


FACT_POWERS: Calls = {
    "list": lambda store: listed(store),
    "recall": lambda store: recalled(store),
    "remember": lambda store: remember(store, "plays chess"),
    "remember again": lambda store: remember(store, "lives in Bonn"),
    "repeat": lambda store: remember(store, "lives in Bonn", "told"),
    "revise": lambda store: revise(store),
    "repeat a revision": lambda store: revise(store, "revised"),
    "history": history,
    "forget": forget,
    "forget_all": lambda store: store.forget_all("u"),
    "set_state": lambda store: store.set_state("s", {"c": 3}, user_id="u"),
    "get_state": lambda store: store.get_state("s", user_id="u"),
    "reembed": lambda store: store.reembed(),
}


async def listed(store: Opened) -> list[tuple[str, int]]:
    return [(fact.text, fact.times_seen) for fact in await store.list_facts("u")]


async def recalled(store: Opened) -> list[str]:
    return [each.fact.text for each in await store.recall("u", "who likes milk")]


async def fact_view(store: Opened) -> dict[str, Any]:
    names = ["list", "recall", "history", "get_state"]
    return {name: await answer_of(FACT_POWERS[name](store)) for name in names}


async def test_without_any_one_key_of_a_user_each_call_is_right_or_an_error() -> None:
    """Facts, their history, deadlines and repeated calls, and named values."""
    async with database() as (url, client):
        async with opened(url) as store:
            await store.remember("u", "lives in Bonn", key="told")
            fact = await store.remember("u", "likes tea")
            await store.revise("u", fact.id, "likes milk", key="revised")
            await store.remember("u", "parks here", ttl=1000)
            await store.set_state("s", {"a": 1, "b": 2}, user_id="u")
        wrong = await wrong_answers(url, client, b"goldfish:{uu}:", FACT_POWERS, fact_view)
        assert not wrong, "\n".join(wrong[:20])


async def test_keys_of_an_older_goldfish_are_used_as_they_are() -> None:
    """They lack what was added to notice an eviction, and get it with the next write."""
    async with database() as (url, client):
        async with opened(url) as store:
            await shape_hidden(store)
            await store.remember("u", "likes tea")
            await store.set_state("s", {"a": 1}, user_id="u")
            before = await view(store), await fact_view(store)
        await client.delete("goldfish:{ss}:parts", "goldfish:{uu}:state-there")
        await client.hdel("goldfish:{uu}:meta", "parts", "due")
        await client.set("goldfish:layout", "4")
        async with opened(url) as store:
            for n in ("one", "two", "three"):
                await store.clear(f"fork of {n}")
            assert before == (await view(store), await fact_view(store))
            await store.add_messages("s", LATER)
            await store.remember("u", "likes milk")
            await store.set_state("s", {"b": 1}, user_id="u")
        keys = ["goldfish:{ss}:parts", "goldfish:{uu}:state-there"]
        assert await client.exists(*keys) == len(keys)
        assert await client.hget("goldfish:{uu}:meta", "parts")
        assert await client.get("goldfish:layout") == b"5"


async def test_what_was_lost_can_be_given_up() -> None:
    """Clearing the session or forgetting the user lets both begin anew."""
    async with database() as (url, client), opened(url) as store:
        await shape_with_snapshots(store)
        await store.remember("u", "likes tea")
        await client.delete("goldfish:{ss}:log", "goldfish:{uu}:meta")
        with pytest.raises(MemoryStoreBackendError, match=r"session 's'.*clear\(session_id"):
            await store.add_messages("s", LATER)
        with pytest.raises(MemoryStoreBackendError, match=r"user 'u'.*forget_all\(user_id"):
            await store.remember("u", "likes milk")
        await store.clear("s", snapshots=True)
        await store.forget_all("u")
        await store.add_messages("s", LATER)
        await store.remember("u", "likes milk")
        assert await contents(store) == ["said later 0", "said later 1"]
        assert await listed(store) == [("likes milk", 1)]


@pytest.mark.parametrize("policy", ["volatile-lru", "allkeys-random", "noeviction"])
async def test_a_policy_that_evicts_is_warned_about_once(
    policy: str, caplog: pytest.LogCaptureFixture
) -> None:
    """When the store is first used, by one line that names the policy and says what to do."""
    with (
        RedisServer(settings={"maxmemory-policy": policy}) as server,
        caplog.at_level(logging.WARNING, "goldfish.stores.redis"),
    ):
        async with opened(server.url) as store:
            await store.get_history("s")
            await store.add_messages("s", SAID)
    found = [record.getMessage() for record in caplog.records]
    assert len(found) == (policy != "noeviction")
    assert all(policy in line and "set it to noeviction" in line for line in found)


async def answers_without(store: Opened, count: int) -> list[Any]:
    """What sessions and users say whose message or fact was acknowledged, if it is not that."""
    found = []
    for n in range(count):
        for call in (store.get_history(f"s{n}"), store.list_facts(f"u{n}")):
            answer = await answer_of(call)
            if answer == EVICTED or len(answer) != 1:
                found.append(answer)
    return found


async def test_what_a_server_evicts_that_has_a_deadline_is_an_error_as_a_whole() -> None:
    """Also where all keys of a session or of a user's facts are gone; none is said to be empty."""
    settings = {"maxmemory-policy": "volatile-lru", "maxmemory": "6mb"}
    with RedisServer(settings=settings) as server:
        async with opened(server.url, ttl=1000, embedder=None) as store:
            for n in range(200):
                large = ChatMessage(role="user", content="x" * 20_000)
                await store.add_messages(f"s{n}", [large])
                await store.remember(f"u{n}", "x" * 10_000, ttl=1000)
        async with opened(server.url, embedder=None) as store:
            lost = await answers_without(store, 200)
            assert lost
            assert {each for each in lost if each != EVICTED} == set()
            with pytest.raises(MemoryStoreBackendError, match="noeviction"):
                await store.list_sessions()


async def test_nothing_is_left_of_what_ended_on_such_a_server() -> None:
    """Though it evicts keys with a deadline: sweeps remove what told of sessions and users."""
    with RedisServer(settings={"maxmemory-policy": "volatile-ttl"}) as server:
        async with opened(server.url, embedder=None) as store:
            for n in range(20):
                await store.add_messages(f"s{n}", SAID)
                await store.set_ttl(f"s{n}", 0.001)
                await store.remember(f"u{n}", "likes tea", ttl=0.001)
            for n in range(20):
                assert await store.get_history(f"s{n}") == []
                assert await store.list_facts(f"u{n}") == []
            await store.add_messages("s0", LATER)
            assert len(await store.get_history("s0")) == len(LATER)
            await store.clear("s0")
            for _ in range(300):
                await store.get_ttl("other")
            assert await store.redis_client.keys("*") == [b"goldfish:layout"]


async def test_a_server_that_does_not_tell_its_policy_is_used_all_the_same() -> None:
    """Managed servers refuse INFO or CONFIG to some accounts."""
    async with database() as (url, client):
        await client.acl_setuser(
            "shy", enabled=True, nopass=True, keys="*", commands=["+@all", "-info"]
        )
        async with opened(url.replace("redis://", "redis://shy:x@")) as store:
            await store.add_messages("s", SAID)
            assert len(await contents(store)) == len(SAID)
        await client.acl_deluser("shy")
