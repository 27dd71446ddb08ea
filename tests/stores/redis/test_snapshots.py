"""What snapshots cost in Redis, counted in commands and keys, and what they leave behind."""

import asyncio
from typing import Any

import pytest
import redis.asyncio
from redis.asyncio.cluster import RedisCluster

from goldfish import ChatMessage, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis
from tests.stores.redis.cluster import three_nodes


def said(count: int) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=f"{n} ".ljust(200, "x")) for n in range(count)]


async def history(store: RedisMemoryStore, session: str = "s") -> list[ChatMessage]:
    return await store.get_history(session)


async def commands_of_saving(server: RedisServer, count: int, ttl: float | None) -> int:
    """How many commands the script of one save calls, itself included."""
    async with RedisMemoryStore(server.url, ttl=ttl) as store:
        await store.clear_all()
        await store.add_messages("s", said(count))
        await store.save_snapshot("s")
        before = await called(store.redis_client)
        await store.save_snapshot("s")
        return await called(store.redis_client) - before


async def called(client: Any) -> int:
    found = await client.info("commandstats")
    return sum(each["calls"] for name, each in found.items() if name != "cmdstat_info")


@pytest.mark.parametrize("ttl", [None, 1000.0])
async def test_saving_does_as_much_for_a_long_history_as_for_a_short_one(
    ttl: float | None,
) -> None:
    """A thousand times the messages, the same commands, none of which walks a list."""
    with RedisServer() as server:
        short = await commands_of_saving(server, 3, ttl)
        long = await commands_of_saving(server, 3000, ttl)
    assert 0 < long == short


async def test_messages_are_stored_once_and_removed_with_the_last_snapshot() -> None:
    """Snapshots share them; what none shows any more is gone; clearing leaves no key."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as store:
        client = store.redis_client
        await store.add_messages("s", said(10))
        one = [await store.save_snapshot("s") for _ in range(5)]
        await store.trim("s", keep_last=4)
        two = await store.save_snapshot("s")
        await store.clear("s")
        assert await client.hlen("goldfish:{ss}:gone") == 10
        for snapshot in one:
            await store.delete_snapshot("s", snapshot)
        assert await client.hlen("goldfish:{ss}:gone") == 4
        await store.rollback_to_snapshot("s", two)
        assert await client.hlen("goldfish:{ss}:gone") == 0
        await store.delete_snapshot("s", two)
        assert sorted(await client.keys("goldfish:{*")) == [
            b"goldfish:{ss}:ids",
            b"goldfish:{ss}:log",
        ]
        for everywhere in (False, True):
            await store.set_ttl("s", 1000)
            await store.save_snapshot("s")
            await store.trim("s", keep_last=1)
            await store.save_snapshot("s")
            await (store.clear_all() if everywhere else store.clear("s", snapshots=True))
            assert await client.keys("*") == [b"goldfish:layout"]
            await store.add_messages("s", said(3))


async def test_what_only_a_deleted_newer_snapshot_showed_is_removed() -> None:
    """Messages that were added after the older one are not kept on its account."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as store:
        await store.add_messages("s", said(3))
        older = await store.save_snapshot("s")
        await store.add_messages("s", said(2))
        newer = await store.save_snapshot("s")
        await store.clear("s")
        await store.delete_snapshot("s", newer)
        assert await store.redis_client.hlen("goldfish:{ss}:gone") == 3
        assert await store.redis_client.hlen("goldfish:{ss}:refs") == 3
        await store.rollback_to_snapshot("s", older)
        assert len(await history(store)) == 3


async def test_what_expired_while_nobody_looked_is_set_aside_by_the_next_write() -> None:
    """The hidden messages are not lost, and not shown."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as store:
        batch = said(3)
        await store.add_messages("s", batch)
        snapshot = await store.save_snapshot("s")
        await store.set_ttl("s", 0.01)
        await asyncio.sleep(0.03)
        assert await history(store) == []
        later = said(1)
        await store.add_messages("s", later)
        assert await history(store) == later
        assert await store.redis_client.hlen("goldfish:{ss}:gone") == 3
        await store.rollback_to_snapshot("s", snapshot)
        assert await history(store) == batch


async def test_the_first_snapshot_keeps_an_older_goldfish_out() -> None:
    """Without one the layout stays as it was; with one it says that snapshots must be regarded."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as store, redis.asyncio.Redis.from_url(url) as client:
        await store.add_messages("s", said(1))
        assert await client.get("goldfish:layout") == b"1"
        await store.save_snapshot("s")
        assert await client.get("goldfish:layout") == b"5"


async def test_a_store_that_knows_of_no_snapshots_regards_them_all_the_same() -> None:
    """Another store saved: the writes of this one keep what the snapshot shows."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as one, RedisMemoryStore(url) as other:
        batch = said(4)
        await one.add_messages("s", batch)
        snapshot = await other.save_snapshot("s")
        assert await one.trim("s", keep_last=1) == 3
        await other.rollback_to_snapshot("s", snapshot)
        assert await history(one) == batch


async def test_a_kill_of_the_server_loses_no_snapshot() -> None:
    """With an append-only file that is always synced, all is there after a restart."""
    with RedisServer(persistence="always") as server:
        async with RedisMemoryStore(server.url, timeout=2) as store:
            batch = said(3)
            await store.add_messages("s", batch)
            await store.set_ttl("s", 1000)
            snapshot = await store.save_snapshot("s")
            await store.trim("s", keep_last=1)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            assert await history(store) == batch[2:]
            await store.rollback_to_snapshot("s", snapshot)
            assert await history(store) == batch


@pytest.mark.parametrize("deadline", [None, 1000.0])
async def test_snapshots_work_on_a_cluster(deadline: float | None) -> None:
    """Also a fork between sessions that live on different nodes."""
    with three_nodes() as cluster:
        client = RedisCluster(host="127.0.0.1", port=cluster.port)
        store = RedisMemoryStore(redis_client=client, ttl=deadline)
        batch = said(3)
        await store.add_messages("s", batch)
        snapshot = await store.save_snapshot("s")
        await store.trim("s", keep_last=1)
        await store.rollback_to_snapshot("s", snapshot)
        assert await history(store) == batch
        for n in range(6):
            await store.fork("s", snapshot, f"fork {n}")
            assert await history(store, f"fork {n}") == batch
        await store.clear_all()
        assert await store.list_snapshots("s") == []
        await client.aclose()


@pytest.mark.parametrize("snapshots", [False, True])
async def test_removing_many_messages_takes_few_commands(snapshots: bool) -> None:
    """By tokens or by id, neighbours or not, also after they came back: none is moved alone."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            batch = said(3000)
            counts = []
            for ids in ([m.id for m in batch[:2990]], [m.id for m in batch[::2]]):
                await store.clear_all()
                await store.add_messages("s", batch)
                for _ in range(2 if snapshots else 1):
                    saved = await store.save_snapshot("s") if snapshots else None
                    before = await called(store.redis_client)
                    assert await store.delete_messages("s", ids) == len(ids)
                    counts.append(await called(store.redis_client) - before)
                    assert await history(store) == [m for m in batch if m.id not in set(ids)]
                    if saved is not None:
                        await store.rollback_to_snapshot("s", saved)
                        assert await history(store) == batch
    assert max(counts) < 100
