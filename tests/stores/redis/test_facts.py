"""What the Redis store promises about facts beyond the others: its keys, also on a cluster."""

import asyncio
import itertools
from collections.abc import Iterator

import pytest
import redis
from redis.asyncio.cluster import RedisCluster
from redis.crc import key_slot

import goldfish
from goldfish.services import shared_redis
from goldfish.testing import HashEmbedder
from tests.stores.redis.cluster import three_nodes


@pytest.fixture
def url() -> str:
    return shared_redis().database()


def opened(url: str) -> goldfish.RedisMemoryStore:
    return goldfish.RedisMemoryStore(url, embedder=HashEmbedder(16))


def keys(url: str) -> list[bytes]:
    with redis.Redis.from_url(url) as client:
        found: Iterator[bytes] = client.scan_iter("goldfish:{*")
        return sorted(found)


async def test_all_keys_of_a_user_share_a_slot(url: str) -> None:
    """So a script may touch them together on a cluster, whatever the user is called."""
    async with opened(url) as store:
        for user in ("", "ann", "a}b", "{", "%7B", "\ud800", "用户"):
            fact = await store.remember(user, "likes tea", ttl=60)
            await store.revise(user, fact.id, "likes milk")
    by_tag = itertools.groupby(keys(url), lambda key: key.rpartition(b":")[0])
    users = {tag: list(group) for tag, group in by_tag}
    assert len(users) == 7
    assert {len(group) for group in users.values()} == {8}
    assert all(len({key_slot(key) for key in group}) == 1 for group in users.values())


async def test_nothing_is_left_of_a_user_without_facts(url: str) -> None:
    """Forgotten one by one, all at once, or expired without anybody looking."""
    async with opened(url) as store:
        for user in ("a", "b"):
            fact = await store.remember(user, "likes tea")
            await store.revise(user, fact.id, "likes milk")
        await store.forget("a", (await store.list_facts("a"))[0].id)
        await store.forget_all("b")
        await store.remember("c", "parked here", ttl=0.02)
        await store.remember("c", "parked there", ttl=0.03)
        await asyncio.sleep(0.05)
    assert keys(url) == []


async def test_a_lasting_fact_keeps_the_keys(url: str) -> None:
    """What expires beside it takes nothing of it away."""
    async with opened(url) as store:
        await store.remember("u", "parked here", ttl=0.01)
        await store.remember("u", "likes tea")
        await store.remember("u", "parked there", ttl=0.01)
        await asyncio.sleep(0.03)
        assert [fact.text for fact in await store.list_facts("u")] == ["likes tea"]


async def test_facts_work_on_a_cluster() -> None:
    """Users on different nodes, one store; each call goes where the user is."""
    with three_nodes() as cluster:
        client = RedisCluster(host="127.0.0.1", port=cluster.port)
        async with client:
            small = goldfish.RedisMemoryStore(redis_client=client, embedder=HashEmbedder(16))
            for number in range(12):
                fact = await small.remember(f"user {number}", f"likes tea {number}")
                await small.remember(f"user {number}", f"Likes tea {number}.")
                await small.revise(f"user {number}", fact.id, f"likes milk {number}")
            large = goldfish.RedisMemoryStore(redis_client=client, embedder=HashEmbedder(32))
            assert await large.reembed() == 12
            for number in range(12):
                (found,) = await large.recall(f"user {number}", "milk")
                assert (found.fact.text, found.fact.times_seen) == (f"likes milk {number}", 2)
            seen = {each.subject: each.detail for each in await large.examine()}
            assert seen["cluster"] == "a cluster of 3 servers"
            assert seen["facts"] == "the keys of 12 users agree"
            await large.forget_all("user 3")
            assert await large.list_facts("user 3") == []
            assert len(await large.list_facts("user 4")) == 1
