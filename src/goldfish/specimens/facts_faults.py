"""Memories for facts that hide what is wrong with their world, or never get over it.

Those on a server keep the facts of a user in a hash of Redis, by what makes them one.
"""

import json
import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen
from goldfish.specimens.facts_reference import FactsReference
from goldfish.specimens.redis_reference import encoded


class FactsOnRedis:
    """A correct memory for facts on a server."""

    def __init__(self, sandbox: Any) -> None:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        patience = {"socket_timeout": 2, "socket_connect_timeout": 2}
        never = Retry(NoBackoff(), 0)  # to send anything twice
        self.redis: Any = Redis.from_url(sandbox.redis_url, retry=never, **patience)

    def close(self) -> None:
        self.redis.close()

    def key(self, user_id: str) -> bytes:
        """Where the facts of a user are."""
        return b"facts:" + encoded(user_id)

    def remember(self, user_id: str, text: str) -> Fact:
        name = " ".join(text.casefold().split()).removesuffix(".")
        body = json.dumps({"id": uuid.uuid4().hex, "text": text})
        self.redis.hsetnx(self.key(user_id), encoded(name), body)
        return self.fact(user_id, self.redis.hget(self.key(user_id), encoded(name)))

    def fact(self, user_id: str, body: bytes) -> Fact:
        """What was stored, as a caller sees it."""
        return Fact(user_id=user_id, **json.loads(body))

    def list_facts(self, user_id: str) -> list[Fact]:
        return [self.fact(user_id, body) for body in self.redis.hvals(self.key(user_id))]

    def recall(self, user_id: str, query: str, *, limit: int = 5) -> list[Recollection]:
        asked = set(query.casefold().split())
        shared = [
            (len(asked & set(f.text.casefold().split())), f) for f in self.list_facts(user_id)
        ]
        best = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
        return [Recollection(fact=fact, score=score) for score, fact in best[:limit]]

    def forget(self, user_id: str, fact_id: str) -> None:
        for name, body in self.redis.hgetall(self.key(user_id)).items():
            if json.loads(body)["id"] == fact_id:
                self.redis.hdel(self.key(user_id), name)


@specimen(
    "empties-facts-after-a-restart",
    caught_by="DUR28",
    finding="lost",
    explains=("FLT",),
    services=("redis",),
)
class EmptiesFactsAfterARestart(FactsOnRedis):
    """An opening takes what an earlier run of the server left for rubbish, and removes it."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        run = self.redis.info("server")["run_id"].encode()
        if self.redis.set("run", run, get=True) not in (None, run):
            for key in list(self.redis.scan_iter(b"facts:*")):
                self.redis.delete(key)


@specimen("knows-nothing-when-cut-off", caught_by="FLT29", finding="swallowed", services=("redis",))
class KnowsNothingWhenCutOff(FactsOnRedis):
    """A recall that the server does not answer gives nothing."""

    def recall(self, user_id: str, query: str, *, limit: int = 5) -> list[Recollection]:
        from redis import RedisError

        try:
            return super().recall(user_id, query, limit=limit)
        except RedisError:
            return []

    def list_facts(self, user_id: str) -> list[Fact]:
        from redis import RedisError

        try:
            return super().list_facts(user_id)
        except RedisError:
            return []


@specimen("fails-for-ever", caught_by="FLT30", finding="wedged", services=("redis",))
class FailsForEver(FactsOnRedis):
    """After one error the store gives the same one for ever."""

    failed: Exception | None = None

    def list_facts(self, user_id: str) -> list[Fact]:
        if self.failed is not None:
            raise self.failed
        try:
            return super().list_facts(user_id)
        except Exception as error:
            self.failed = error
            raise


@specimen("acknowledges-on-a-full-disk", caught_by="FLT31", finding="lost")
class AcknowledgesOnAFullDisk(FactsReference):
    """A fact that cannot be written is acknowledged all the same."""

    def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
    ) -> Fact:
        try:
            return super().remember(user_id, text, metadata=metadata, ttl=ttl)
        except sqlite3.OperationalError:
            return Fact(id="unwritten", user_id=user_id, text=text)
