"""What the Redis store promises beyond the others: its keys, clients, confirmations, clusters."""

import asyncio

import pytest
import redis
import redis.asyncio
from redis.asyncio.cluster import RedisCluster

import goldfish
from goldfish import ChatMessage, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis
from tests.stores.redis.cluster import three_nodes


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def contents(store: RedisMemoryStore, session: str = "s") -> list[object]:
    return [message.content for message in await store.get_history(session)]


async def test_clear_all_touches_only_goldfish_s_own_keys() -> None:
    """Neither strangers' keys nor those under another prefix are removed."""
    url = shared_redis().database()
    async with (
        RedisMemoryStore(url) as store,
        RedisMemoryStore(url, prefix="gold*") as starry,
        RedisMemoryStore(url, prefix="goldfish:x") as longer,
    ):
        await store.redis_client.set("goldfish:mine", "1")
        await store.redis_client.set("other", "1")
        for each in (store, starry, longer):
            await each.add_messages("s", said("x"))
        await starry.clear_all()
        await store.clear_all()
        assert await store.list_sessions() == []
        assert await longer.list_sessions() == ["s"]
        assert await store.redis_client.exists("goldfish:mine", "other") == 2


async def test_keys_of_a_session_share_a_hash_tag_and_vanish_with_it() -> None:
    """Nothing of a cleared or expired session stays behind."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as store:
        for session in ("", "}", "a{b}", "plain"):
            await store.add_messages(session, said("x"))
            await store.set_ttl(session, 60)
            await store.trim(session, keep_last=0)
            await store.add_messages(session, said("x"))
            await store.clear(session)
        keys = await store.redis_client.keys("*")
    assert keys == [b"goldfish:layout"]


async def test_a_given_client_stays_open_and_reachable() -> None:
    """The store uses the caller's client and leaves it to the caller."""
    client = redis.asyncio.Redis.from_url(shared_redis().database())
    store = RedisMemoryStore(redis_client=client)
    assert store.redis_client is client
    await store.add_messages("s", said("x"))
    await store.aclose()
    assert await client.ping()
    await client.aclose()


def test_either_a_url_or_a_client() -> None:
    """Both or none is a mistake that the constructor names."""
    with pytest.raises(TypeError, match="either url= or redis_client="):
        RedisMemoryStore()
    with pytest.raises(TypeError, match=r"redis\.asyncio\.Redis"):
        RedisMemoryStore(redis_client=redis.Redis())  # type: ignore[arg-type]  # the mistake
    with pytest.raises(ValueError, match="is not a Redis URL"):
        RedisMemoryStore("http://bob:hunter2@example.org")
    with pytest.raises(ValueError, match="without braces"):
        RedisMemoryStore("redis://localhost", prefix="a{b}")


async def test_scripts_are_loaded_again_after_the_server_forgot_them() -> None:
    """SCRIPT FLUSH, as a restart or failover does, goes unnoticed."""
    async with RedisMemoryStore(shared_redis().database()) as store:
        await store.add_messages("s", said("a"))
        await store.redis_client.script_flush()
        await store.add_messages("s", said("b"))
        assert await contents(store) == ["a", "b"]


async def fill(store: RedisMemoryStore) -> None:
    for _ in range(50):
        await store.add_messages("s", said("x" * 100_000, "y" * 100_000))


async def test_a_full_server_refuses_the_whole_batch() -> None:
    """Out of memory without eviction is an error, nothing is half-written, and it recovers."""
    with RedisServer(settings={"maxmemory-policy": "noeviction"}) as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("s", said("before"))
            await store.redis_client.config_set("maxmemory", "1mb")
            with pytest.raises(goldfish.MemoryStoreBackendError, match="maxmemory"):
                await fill(store)
            found = await contents(store)
            assert len(found) % 2 == 1
            await store.redis_client.config_set("maxmemory", "0")
            await store.add_messages("s", said("after"))
            assert await contents(store) == [*found, "after"]


async def test_a_read_only_replica_refuses_writes_and_serves_reads() -> None:
    """Nothing is pretended on a replica."""
    with RedisServer() as primary, RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("s", said("x"))
            await store.redis_client.execute_command("REPLICAOF", "127.0.0.1", primary.port)
            with pytest.raises(goldfish.MemoryStoreBackendError):
                await store.add_messages("s", said("y"))


async def test_waiting_for_replicas_means_that_they_have_it() -> None:
    """With a replica a write returns; without one it is an error that says a retry is safe."""
    at_once = {"repl-diskless-sync-delay": "0"}
    with RedisServer(settings=at_once) as primary, RedisServer() as replica:
        copy = redis.asyncio.Redis.from_url(replica.url)
        await copy.execute_command("REPLICAOF", "127.0.0.1", primary.port)
        while (await copy.info("replication"))["master_link_status"] != "up":
            await asyncio.sleep(0.02)
        async with RedisMemoryStore(primary.url, wait_replicas=1, timeout=2) as store:
            await store.add_messages("s", said("x"))
            assert await copy.llen("goldfish:{ss}:log") == 1
            replica.kill()
            with pytest.raises(goldfish.MemoryStoreBackendError, match="adding it again is safe"):
                await store.add_messages("s", said("y"))
            assert await contents(store) == ["x", "y"]
        await copy.aclose()


async def test_waiting_for_the_append_only_file_survives_a_kill() -> None:
    """wait_aof makes an acknowledgement mean: on this server's disk."""
    with RedisServer(persistence="always") as server:
        async with RedisMemoryStore(server.url, wait_aof=True, timeout=2) as store:
            await store.add_messages("s", said("x"))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            assert await contents(store) == ["x"]


async def test_a_newer_layout_is_refused_with_a_sentence() -> None:
    """Data of a later goldfish are not touched by an earlier one."""
    url = shared_redis().database()
    async with redis.asyncio.Redis.from_url(url) as client:
        await client.set("goldfish:layout", "99")
    async with RedisMemoryStore(url) as store:
        with pytest.raises(goldfish.SchemaTooNewError, match="pip install --upgrade goldfish"):
            await store.add_messages("s", said("x"))


async def test_a_slot_moves_through_a_real_cluster_while_a_session_is_written() -> None:
    """On three nodes nothing is lost, doubled or reordered while the slot changes hands."""
    with three_nodes() as cluster:
        client = RedisCluster(host="127.0.0.1", port=cluster.port)
        store = RedisMemoryStore(redis_client=client)
        for n in range(20):
            await store.add_messages(f"session {n}", said(f"{n}"))
        assert await store.list_sessions() == sorted(f"session {n}" for n in range(20))

        slot = cluster.slot_of(b"goldfish:{ss}:log")
        source = cluster.owner(slot)
        moving = asyncio.create_task(
            asyncio.to_thread(cluster.move, slot, source, (source + 1) % 3)
        )
        written = 0
        while not moving.done() or written < 200:
            batch = said(f"{written} q", f"{written} a")
            await add_until_acknowledged(store, batch)
            written += 1
        await moving
        expected = [f"{n} {x}" for n in range(written) for x in "qa"]
        assert await contents(store) == expected
        assert await store.trim("s", keep_last=2) == len(expected) - 2
        await store.clear_all()
        assert await store.list_sessions() == []
        await client.aclose()


async def add_until_acknowledged(store: RedisMemoryStore, batch: list[ChatMessage]) -> None:
    """Retry while the slot is between two nodes: a retry of the same ids is a no-op."""
    while True:
        try:
            return await store.add_messages("s", batch)
        except goldfish.MemoryStoreBackendError:
            await asyncio.sleep(0.005)


def test_confirmations_are_refused_for_a_cluster_client() -> None:
    """WAIT speaks of one connection, which a cluster client does not promise."""
    client = RedisCluster.__new__(RedisCluster)  # never connected
    with pytest.raises(ValueError, match="single server"):
        RedisMemoryStore(redis_client=client, wait_replicas=1)


async def test_hundreds_of_calls_at_once_wait_for_their_turn() -> None:
    """The first ones, reads and writes: none is refused because there are so many."""
    async with RedisMemoryStore(shared_redis().database()) as store:
        await asyncio.gather(*(store.add_messages(f"s{n}", said("x")) for n in range(250)))
        found = await asyncio.gather(*(store.get_history(f"s{n}") for n in range(250)))
        assert [len(history) for history in found] == [1] * 250
