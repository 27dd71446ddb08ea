"""What the way to a Redis server writes to the log."""

import asyncio
import logging

import pytest
import redis

from goldfish import ChatMessage, MemoryStoreBackendError, RedisMemoryStore
from goldfish.errors import mask
from goldfish.services import RedisServer
from goldfish.world.faults.network import Proxy
from tests.stores.proxies import through

LOGGER = "goldfish.stores.redis"


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(each.levelname, each.getMessage()) for each in caplog.records if each.name == LOGGER]


async def test_an_outage_is_logged_once_when_it_begins_and_once_when_it_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not with each call, and without contents, keys or credentials."""
    caplog.set_level(logging.INFO, LOGGER)
    with RedisServer(settings={"requirepass": "hunter2"}) as server:
        async with RedisMemoryStore(server.url, timeout=0.3) as store:
            await store.add_messages("private", said("secret"))
            server.pause()
            calls = [store.add_messages("private", said("secret")) for _ in range(50)]
            raised = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(each, MemoryStoreBackendError) for each in raised)
            with pytest.raises(MemoryStoreBackendError):
                await store.get_history("private")
            server.resume()
            await store.add_messages("private", said("secret"))
        address = f"redis://***@127.0.0.1:{server.port}/0"
    (lost, losing), (back, returning) = logged(caplog)
    assert (lost, back) == ("WARNING", "INFO")
    assert losing == f"{address} cannot be reached (TimeoutError): calls fail until it can"
    assert returning.startswith(f"{address} answers again after ")
    assert returning.endswith("; 49 writes that waited meanwhile were dropped")
    assert not any(each in caplog.text for each in ("secret", "private", "hunter2"))


async def test_a_slow_call_is_logged_with_the_command_s_name(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A fast one is not."""
    with RedisServer() as server, Proxy("127.0.0.1", server.port) as proxy:
        url = through(proxy, server)
        async with RedisMemoryStore(url, timeout=2) as store:  # slow is more than 1 s
            await store.add_messages("private", said("secret"))
            await store.get_history("private")
            assert logged(caplog) == []
            with proxy.delay(0.6):
                await store.get_history("private")
    ((level, text),) = logged(caplog)
    assert level == "WARNING"
    assert text.startswith(f"redis://***@127.0.0.1:{proxy.port}/0 took 1.")
    assert text.endswith(" s for LRANGE")


async def test_a_connection_that_the_server_closed_is_logged_and_disturbs_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is news for those who look for it, and no reason to warn."""
    caplog.set_level(logging.INFO, LOGGER)
    with RedisServer() as server:
        async with RedisMemoryStore(server.url) as store:
            await store.add_messages("s", said("a"))
            with redis.Redis.from_url(server.url) as other:
                other.client_kill_filter(_type="normal", skipme=True)
            await store.add_messages("s", said("b"))
        expected = f"{mask(server.url)} had closed a connection: connected again"
    assert logged(caplog) == [("INFO", expected)]
