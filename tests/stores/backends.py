"""The places in which a store can be opened for a test, each fresh and empty."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fakeredis
import redis.asyncio

import goldfish
from goldfish.services import shared_postgres, shared_redis
from goldfish.stores.base import BaseStore


@dataclass
class Backend:
    """One storage that any number of stores can be opened on."""

    name: str
    open: Callable[..., BaseStore]
    url: str = ""  # for another process; empty if there is no way in


class ClosingStore(goldfish.RedisMemoryStore):
    """A store on a client of the test's own, which has to be closed as well."""

    async def _close(self) -> None:
        await self.redis_client.aclose()


@contextmanager
def memory(path: Path) -> Iterator[Backend]:
    store: list[BaseStore] = []

    def open_again(**options: Any) -> BaseStore:
        """The dict lives in the store: the second opening is the same store."""
        if not store or options:
            store[:] = [goldfish.InMemoryStore(**options)]
        return store[0]

    yield Backend("memory", open_again)


def from_url(name: str, url: str) -> Backend:
    return Backend(name, lambda **options: goldfish.open_store(url, **options), url)


@contextmanager
def sqlite(path: Path) -> Iterator[Backend]:
    yield from_url("sqlite", f"sqlite:///{path / 'memory.db'}")


@contextmanager
def redis_server(path: Path) -> Iterator[Backend]:
    yield from_url("redis", shared_redis().database())


@contextmanager
def redis_decoded(path: Path) -> Iterator[Backend]:
    url = shared_redis().database()

    def open_decoded(**options: Any) -> BaseStore:
        client = redis.asyncio.Redis.from_url(url, decode_responses=True)
        return ClosingStore(redis_client=client, **options)

    yield Backend("redis-decoded", open_decoded)


@contextmanager
def fake_redis(path: Path) -> Iterator[Backend]:
    server = fakeredis.FakeServer()

    def open_fake(**options: Any) -> BaseStore:
        client = fakeredis.aioredis.FakeRedis(server=server, decode_responses=True)
        return ClosingStore(redis_client=client, **options)

    yield Backend("fakeredis", open_fake)


@contextmanager
def postgres(path: Path) -> Iterator[Backend]:
    dsn = shared_postgres().database()
    yield from_url("postgres", dsn)
    shared_postgres().release(dsn)


BACKENDS: dict[str, Callable[[Path], AbstractContextManager[Backend]]] = {
    "memory": memory,
    "sqlite": sqlite,
    "redis": redis_server,
    "redis-decoded": redis_decoded,
    "fakeredis": fake_redis,
    "postgres": postgres,
}
