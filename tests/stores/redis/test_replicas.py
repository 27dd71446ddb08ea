"""How the Redis store reads from replicas, and follows the primary that sentinels name."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import pytest
import redis

import goldfish
from goldfish import ChatMessage, MemoryStoreBackendError, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis
from goldfish.world.faults.network import Proxy
from tests.stores.redis.replicas import NAME, primary_and_replica, watched


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def contents(store: goldfish.MemoryStore, session: str = "s") -> list[object]:
    return [message.content for message in await store.get_history(session)]


async def test_a_store_on_a_read_only_replica_reads_all_and_refuses_writes_with_a_sentence() -> (
    None
):
    """No read tries to write, not even the first; a write says what it has met."""
    with primary_and_replica() as pair:
        async with RedisMemoryStore(pair.primary.url) as writer:
            await writer.add_messages("s", said("a"))
            await writer.add_messages("snapped", said("a"))
            await writer.save_snapshot("snapped", label="l")
            await writer.set_ttl("snapped", 60)
            await writer.set_state("s", {"a": 1})
            await writer.set_state("s", {"b": 2}, user_id="u")
            fact = await writer.remember("u", "the cat is black")
        pair.wait_until_equal()
        with redis.Redis(port=pair.replica.port) as client:
            client.script_flush()
        async with RedisMemoryStore(pair.replica.url) as store:
            assert await contents(store) == ["a"]
            assert await contents(store, "snapped") == ["a"]
            assert await store.list_sessions() == ["s", "snapped"]
            assert await store.get_ttl("s") is None
            assert await store.get_ttl("snapped") is not None
            assert [each.label for each in await store.list_snapshots("snapped")] == ["l"]
            assert await store.get_state("s") == {"a": 1}
            assert await store.get_state("s", user_id="u") == {"b": 2}
            assert [each.id for each in await store.list_facts("u")] == [fact.id]
            assert [each.fact.id for each in await store.recall("u", "cat")] == [fact.id]
            writes: list[Callable[[], Awaitable[object]]] = [
                lambda: store.add_messages("s", said("b")),
                lambda: store.clear("s"),
                lambda: store.set_state("s", {"b": 2}, user_id="u"),
                lambda: store.save_snapshot("s"),
                lambda: store.remember("u", "the dog is white"),
                lambda: store.clear_all(),
            ]
            for write in writes:
                with pytest.raises(MemoryStoreBackendError, match="is a read-only replica"):
                    await write()
            assert await contents(store) == ["a"]


async def test_an_empty_replica_is_an_empty_memory_that_nothing_was_written_to() -> None:
    """A first read of an empty server leaves no key behind."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as store:
        assert await contents(store) == []
        assert await store.list_sessions() == []
        assert await store.redis_client.keys("*") == []


async def test_with_read_url_reads_come_from_the_replica_and_writes_go_to_the_primary() -> None:
    """Reads go on while the primary is away; what decides over data is asked of the primary."""
    with primary_and_replica() as pair:
        read = pair.replica.url
        async with RedisMemoryStore(pair.primary.url, read_url=read, timeout=2) as store:
            await store.add_messages("s", said("a", "b", "c"))
            snapshot = await store.save_snapshot("s")
            pair.wait_until_equal()
            assert await contents(store) == ["a", "b", "c"]
            pair.replica.pause()  # the replica is behind, and silent
            await store.add_messages("s", said("d"))
            assert await store.trim("s", keep_last=2, keep_pairs=True) == 2
            await store.fork("s", snapshot, "t")
            with pytest.raises(MemoryStoreBackendError, match=f":{pair.replica.port}"):
                await store.get_history("s")
            pair.replica.resume()
            pair.wait_until_equal()
            pair.primary.kill()
            assert await contents(store) == ["c", "d"]
            assert await contents(store, "t") == ["a", "b", "c"]
            assert await store.list_sessions() == ["s", "t"]
            with pytest.raises(MemoryStoreBackendError, match=f":{pair.primary.port}"):
                await store.add_messages("s", said("e"))


async def test_a_url_of_sentinels_leads_to_the_primary_also_after_a_failover() -> None:
    """A sentinel that is silent is passed over, and a write goes to the new primary by itself."""
    with (
        primary_and_replica() as pair,
        watched(pair) as sentinel,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        hosts = f"127.0.0.1:{silent.getsockname()[1]},127.0.0.1:{sentinel.port}"
        url = f"redis+sentinel://{hosts}/{quote(NAME)}/0"
        async with goldfish.open_store(url, timeout=2) as store:
            await store.add_messages("s", said("a"))
            with redis.Redis(port=pair.primary.port) as client:
                assert client.llen("goldfish:{ss}:log") == 1
            pair.wait_until_equal()
            pair.primary.kill()
            message = said("b")
            async with asyncio.timeout(60):
                while not await is_added(store, message):
                    await asyncio.sleep(0.1)
            assert await contents(store) == ["a", "b"]
        with redis.Redis(port=pair.replica.port) as client:
            assert client.info("replication")["role"] == "master"
            assert client.llen("goldfish:{ss}:log") == 2


async def is_added(store: goldfish.MemoryStore, messages: list[ChatMessage]) -> bool:
    try:
        await store.add_messages("s", messages)
    except MemoryStoreBackendError:
        return False
    return True


async def test_a_primary_that_became_a_replica_is_connected_to_anew() -> None:
    """After a refusal the next write connects again: to what is the primary then."""
    with primary_and_replica() as pair, Proxy("127.0.0.1", pair.primary.port) as proxy:
        async with RedisMemoryStore(f"redis://127.0.0.1:{proxy.port}") as store:
            await store.add_messages("s", said("a"))
            with redis.Redis(port=pair.primary.port) as client:
                client.replicaof("127.0.0.1", pair.replica.port)
                before = proxy.connections
                with pytest.raises(MemoryStoreBackendError, match="read-only replica"):
                    await store.add_messages("s", said("b"))
                client.replicaof("NO", "ONE")
            await store.add_messages("s", said("c"))
            assert proxy.connections == before + 1
            assert (await contents(store))[-1] == "c"


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("redis+sentinel://h:1", "name of the primary is missing"),
        ("redis+sentinel:///name", "has no host"),
        ("redis+sentinel://h:1,/name", "has no host"),
        ("redis+sentinel://u:hunter2@h:x/name", "is not a Redis URL"),
    ],
)
def test_a_url_of_sentinels_that_makes_no_sense_is_refused(url: str, complaint: str) -> None:
    """With the form that would make sense, and without the password."""
    with pytest.raises(ValueError, match=complaint) as caught:
        RedisMemoryStore(url)
    assert "hunter2" not in str(caught.value)


async def test_sentinels_have_credentials_of_their_own_that_no_error_shows() -> None:
    """User and password are the primary's; those of the sentinels are in the query."""
    with primary_and_replica() as pair, watched(pair) as sentinel:
        with redis.Redis(port=sentinel.port) as client:
            client.acl_setuser(
                "guard", enabled=True, passwords="+hunter3", channels="*", commands=["+@all"]
            )
            client.acl_setuser("default", enabled=True, reset_passwords=True, passwords="+no")
        with redis.Redis(port=pair.primary.port) as client:
            client.acl_setuser(
                "bob", enabled=True, passwords="+hunter2", keys="*", commands=["+@all"]
            )
        base = f"redis+sentinel://bob:hunter2@127.0.0.1:{sentinel.port}/{quote(NAME)}/3"
        right = f"{base}?sentinel_username=guard&sentinel_password=hunter3"
        async with RedisMemoryStore(right) as store:
            await store.add_messages("s", said("a"))
        with redis.Redis(port=pair.primary.port, db=3) as client:
            assert client.llen("goldfish:{ss}:log") == 1
        async with RedisMemoryStore(f"{base}?sentinel_password=hunter4", timeout=1) as store:
            with pytest.raises(MemoryStoreBackendError) as caught:
                await store.add_messages("s", said("b"))
        assert "hunter" not in str(caught.value)


def test_a_replica_to_read_from_belongs_to_a_url() -> None:
    """A client of the caller's has its own ways to do that."""
    with RedisServer() as server:
        client = redis.asyncio.Redis.from_url(server.url)
        with pytest.raises(TypeError, match="read_url= needs url="):
            RedisMemoryStore(redis_client=client, read_url=server.url)
