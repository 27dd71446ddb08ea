"""What a Redis store does in a process that was forked."""

import asyncio
import gc
import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable

import pytest
import redis
import redis.asyncio

from goldfish import ChatMessage, MemoryStoreError, RedisMemoryStore
from goldfish.services import RedisServer, shared_redis

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


def in_child(work: Callable[[], None]) -> None:
    """Fork, let the child do the work, and fail if it fails or takes too long."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from 3.12 on, about threads that a child does not have
        pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
            os._exit(1)
        os._exit(0)
    give_up = time.monotonic() + 20
    while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > give_up:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            pytest.fail("the child did not end")
        time.sleep(0.01)
    assert ended[1] == 0, "the child failed"


async def add_and_close(store: RedisMemoryStore, text: str) -> None:
    async with store:
        await store.add_messages("s", said(text))


async def contents(url: str) -> list[object]:
    async with RedisMemoryStore(url) as store:
        return [message.content for message in await store.get_history("s")]


def test_a_store_that_was_made_before_a_fork_works_in_child_and_parent() -> None:
    """Nothing is connected before the first call."""
    url = shared_redis().database()
    store = RedisMemoryStore(url)
    in_child(lambda: asyncio.run(add_and_close(store, "child")))
    asyncio.run(add_and_close(store, "parent"))
    assert asyncio.run(contents(url)) == ["child", "parent"]


def test_a_store_that_was_used_before_a_fork_works_on_in_both() -> None:
    """The child makes connections of its own, and does not disturb those of the parent."""
    with (
        RedisServer() as server,
        asyncio.Runner() as runner,
        redis.Redis.from_url(server.url) as admin,
    ):
        store = RedisMemoryStore(server.url)
        runner.run(store.add_messages("s", said("before")))
        mine = {each["id"] for each in admin.client_list()}

        def work() -> None:
            asyncio.run(add_and_close(store, "child"))
            gc.collect()
            assert mine <= {each["id"] for each in redis.Redis.from_url(server.url).client_list()}

        in_child(work)
        runner.run(store.add_messages("s", said("parent")))
        assert mine == {each["id"] for each in admin.client_list()}
        runner.run(store.aclose())
        assert runner.run(contents(server.url)) == ["before", "child", "parent"]


async def test_a_fork_while_a_call_is_under_way_leaves_that_to_the_parent() -> None:
    """The child can use and close the store; the parent's call ends as if nothing had happened."""
    with RedisServer() as server:
        async with RedisMemoryStore(server.url, timeout=60) as store:
            await store.add_messages("s", said("before"))
            paused = server.pid
            server.pause()
            calls = [asyncio.create_task(store.add_messages("s", said("parent"))) for _ in "ab"]
            await asyncio.sleep(0.05)

            def work() -> None:
                os.kill(paused, signal.SIGCONT)
                asyncio.run(add_and_close(store, "child"))  # which waits for no call of the parent

            in_child(work)
            await asyncio.gather(*calls)
        found = await contents(server.url)
    assert sorted(map(str, found)) == ["before", "child", "parent", "parent"]


async def test_a_client_that_was_connected_before_a_fork_is_refused_in_the_child() -> None:
    """Two processes on one connection would get each other's answers."""
    url = shared_redis().database()
    async with redis.asyncio.Redis.from_url(url) as client:
        store = RedisMemoryStore(redis_client=client)
        fresh = RedisMemoryStore(redis_client=redis.asyncio.Redis.from_url(url))
        await store.add_messages("s", said("before"))

        def work() -> None:
            with pytest.raises(MemoryStoreError, match="make a client and a store in the child"):
                asyncio.run(store.add_messages("s", said("never")))
            asyncio.run(fresh.add_messages("s", said("child")))

        in_child(work)
        await store.add_messages("s", said("parent"))
    assert await contents(url) == ["before", "child", "parent"]
