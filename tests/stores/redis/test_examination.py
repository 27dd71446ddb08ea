"""What an examination of a Redis store sees of the server's settings and of damaged keys."""

import pytest
import redis.asyncio

from goldfish import ChatMessage, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis
from goldfish.stores.observation import Observation
from goldfish.testing import HashEmbedder

SECRET = "the secret of Bonn"


def opened(url: str) -> RedisMemoryStore:
    return RedisMemoryStore(url, embedder=HashEmbedder(8))


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(id=f"id of {text} \ud800", role="user", content=text) for text in texts]


async def examined(store: RedisMemoryStore, *, repair: bool = False) -> dict[str, Observation]:
    """The observations by subject; nothing that is stored is in them."""
    seen = await store.examine(repair=repair)
    assert SECRET not in str(seen)
    return {each.subject: each for each in seen}


async def fill(store: RedisMemoryStore) -> None:
    """Two sessions and two users, of whom one each has more than the other."""
    for name in ("s", "rich"):
        await store.add_messages(name, said("one", SECRET, "three"))
        await store.set_ttl(name, 1000)
    await store.save_snapshot("rich")
    await store.set_state("rich", {"a": SECRET})
    for user in ("u", "rich"):
        await store.remember(user, SECRET, key="k")
        await store.remember(user, "likes tea", ttl=1000)
    await store.set_state("s", {"a": 1}, user_id="u")


async def test_a_sound_store_has_no_damage() -> None:
    """Sessions and users are counted, and a repair changes nothing."""
    url = shared_redis().database()
    async with opened(url) as store, redis.asyncio.Redis.from_url(url) as client:
        await fill(store)
        before = {key: await client.dump(key) for key in await client.keys("*")}
        seen = await examined(store, repair=True)
        assert not [each for each in seen.values() if each.level == "damage"]
        assert seen["sessions"].detail == "the keys of 2 sessions agree"
        assert seen["facts"].detail == "the keys of 2 users agree"
        assert seen["layout"].level == seen["server"].level == seen["role"].level == "ok"
        assert before == {key: await client.dump(key) for key in await client.keys("*")}


async def test_lost_ids_are_made_again_from_the_messages() -> None:
    """Then the session is as it was: a retry is known, and the right message is deleted."""
    url = shared_redis().database()
    async with opened(url) as store, redis.asyncio.Redis.from_url(url) as client:
        await fill(store)
        await client.delete("goldfish:{ss}:ids")
        found = (await examined(store))["message ids"]
        assert (found.level, found.repairable, found.repaired) == ("damage", True, False)
        assert found.detail.startswith("1 of 2 sessions")
        assert (await examined(store, repair=True))["message ids"].repaired
        assert "message ids" not in await examined(store)
        await store.add_messages("s", said("one", SECRET, "three"))
        assert await store.delete_messages("s", [said("one")[0].id]) == 1
        assert [each.content for each in await store.get_history("s")] == [SECRET, "three"]
        ends = [await client.pexpiretime(f"goldfish:{{ss}}:{name}") for name in ("log", "ids")]
        assert ends[0] == ends[1] > 0


async def test_lost_messages_are_damage_that_no_repair_hides() -> None:
    """Whether there are fewer than ids, or others than the ids say."""
    url = shared_redis().database()
    async with opened(url) as store, redis.asyncio.Redis.from_url(url) as client:
        await fill(store)
        second = await client.lindex("goldfish:{ss}:log", 1)
        await client.execute_command("LSET", "goldfish:{ss}:log", 0, second)
        await client.delete("goldfish:{srich}:kept")
        for repair in (True, False):
            found = (await examined(store, repair=repair))["sessions"]
            assert (found.level, found.repairable) == ("damage", False)
            assert found.detail == "2 of 2 sessions have lost keys"


@pytest.mark.parametrize("key", ["ids", "keys", "log"])
async def test_lists_that_lead_to_facts_are_made_again(key: str) -> None:
    """Facts that are there are found again by everybody, and told again they count."""
    url = shared_redis().database()
    async with opened(url) as store, opened(url) as knowing:
        client = store.redis_client
        await fill(store)
        facts = await knowing.list_facts("u")
        await client.delete(f"goldfish:{{uu}}:{key}")
        assert (await examined(store))["lists of facts"].repairable
        assert (await examined(store, repair=True))["lists of facts"].repaired
        assert "lists of facts" not in await examined(store)
        for each in (store, knowing):
            assert await each.list_facts("u") == facts
        assert (await store.remember("u", SECRET, key="k")).times_seen == 1
        assert (await store.remember("u", "likes tea")).times_seen == 2
        await store.forget("u", facts[0].id)
        assert [fact.text for fact in await knowing.list_facts("u")] == ["likes tea"]


async def test_lost_facts_and_values_are_damage() -> None:
    """Facts stay lost; a user whose values are lost may begin anew after a repair."""
    url = shared_redis().database()
    async with opened(url) as store:
        await fill(store)
        await store.redis_client.delete("goldfish:{uu}:rows", "goldfish:{uu}:state")
        seen = await examined(store, repair=True)
        assert seen["facts"].detail == "1 of 2 users have lost facts"
        assert seen["user state"].repaired
        seen = await examined(store)
        assert seen["facts"].level == "damage"
        assert "user state" not in seen
        await store.set_state("s", {"b": 2}, user_id="u")
        assert await store.get_state("s", user_id="u") == {"b": 2}


async def test_messages_of_an_expired_session_are_removed_by_a_repair() -> None:
    """What a snapshot shows stays; what came later is not kept for ever."""
    url = shared_redis().database()
    async with opened(url) as store:
        client = store.redis_client
        await store.add_messages("s", said("one"))
        snapshot = await store.save_snapshot("s")
        await store.add_messages("s", said(SECRET))
        await store.set_ttl("s", 0.001)
        while await store.list_sessions():
            pass
        assert (await examined(store))["expired"].repairable
        assert (await examined(store, repair=True))["expired"].repaired
        assert await client.exists("goldfish:{ss}:kept") == 0
        assert await client.hlen("goldfish:{ss}:gone") == 1
        await store.rollback_to_snapshot("s", snapshot)
        assert [each.content for each in await store.get_history("s")] == ["one"]


@pytest.mark.parametrize(
    ("settings", "persistence", "words"),
    [
        ({}, "none", "everything is lost"),
        ({"save": "60 1"}, "none", "a crash loses what came since"),
        ({"appendfsync": "everysec"}, "always", "the last second"),
        ({"appendfsync": "no"}, "always", "has not flushed"),
        ({}, "always", "appendfsync always"),
    ],
)
async def test_what_a_crash_loses_is_said(
    settings: dict[str, str], persistence: str, words: str
) -> None:
    """Persistence is ok only where an acknowledged write is on the disk."""
    policy = {"maxmemory-policy": "allkeys-lru"}
    with RedisServer(persistence=persistence, settings=settings | policy) as server:  # type: ignore[arg-type]
        async with opened(server.url) as store:
            seen = await examined(store)
            assert words in seen["persistence"].detail
            assert (seen["persistence"].level == "ok") == ("always" in words)
            assert seen["eviction policy"].level == "warning"
            assert "allkeys-lru" in seen["eviction policy"].detail


async def test_a_replica_says_what_it_is() -> None:
    """Its keys can be examined all the same."""
    with RedisServer() as primary, RedisServer() as server:
        async with opened(server.url) as store:
            await store.add_messages("s", said("one"))
            await store.redis_client.execute_command("REPLICAOF", "127.0.0.1", primary.port)
            seen = await examined(store)
            assert (seen["role"].level, "replica" in seen["role"].detail) == ("warning", True)
            assert seen["sessions"].level == "ok"
