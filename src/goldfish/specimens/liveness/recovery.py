"""Stores that do not come back from a fault, or from a caller that went away."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Sequence
from typing import Any

from goldfish.encoding import decode_messages, encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.faults.network import MOMENT
from goldfish.specimens.references.keys import encoded
from goldfish.specimens.references.redis import ADD, RedisReference, Rows
from goldfish.specimens.references.sqlite import Reference

PLACES = 10


@specimen("a-place-lost-with-each-error", "LIV12", "wedged", explains="FLT DUR")
class APlaceLostWithEachError(RedisReference):
    bug = "There are ten places, and a call that fails does not give back its own."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.places = threading.Semaphore(PLACES)

    def write(self, session_id: str, rows: Rows) -> None:
        if not self.places.acquire(timeout=0.1):
            raise TimeoutError("no connection is free")
        super().write(session_id, rows)
        self.places.release()


class AsyncRedisReference:
    """A correct store on redis-py's asyncio client, with the least that a store needs."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        self.redis: Any = Redis.from_url(
            sandbox.redis_url, retry=Retry(NoBackoff(), 0), socket_timeout=5
        )

    def keys(self, session_id: str) -> list[bytes]:
        """Where the ids of a session are, and where their texts."""
        return [b"ids:" + encoded(session_id), b"texts:" + encoded(session_id)]

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = encode_batch(messages)
        words = [word for name, body in rows for word in (encoded(name), body)]
        await self.redis.eval(ADD, 2, *self.keys(session_id), *words)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        ids, texts = self.keys(session_id)
        async with self.redis.pipeline(transaction=True) as both:
            order, bodies = await both.lrange(ids, 0, -1).hgetall(texts).execute()
        return decode_messages([bodies[name] for name in order])

    async def aclose(self) -> None:
        await self.redis.aclose()


@specimen("a-place-lost-with-each-cancel", "LIV13", "wedged", explains="FLT CON")
class APlaceLostWithEachCancel(AsyncRedisReference):
    bug = "There are ten places, and a call that is cancelled does not give back its own."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.places = asyncio.Semaphore(PLACES)

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        await self.places.acquire()
        try:
            await super().add_messages(session_id, messages)
        except Exception:  # to be cancelled is not among these
            self.places.release()
            raise
        self.places.release()


@specimen("waits-for-nobody", "LIV14", "refused", explains="CON DUR FLT ORD")
class WaitsForNobody(Reference):
    bug = "A file that another process is writing to is an error after a fiftieth of a second."

    def set_up(self) -> None:
        self.db.close()
        self.db = sqlite3.connect(self.path, timeout=0.02, isolation_level=None)

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, rows)
        time.sleep(MOMENT)
