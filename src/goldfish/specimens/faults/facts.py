"""Memories for facts that hide what is wrong with their world, or never get over it.

Those on a server keep the facts of a user in a hash of Redis, by what makes them one.
"""

import json
import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens import specimen
from goldfish.specimens.references.fact_search import FactFinder, Row
from goldfish.specimens.references.facts import FactsReference


class FactsOnRedis(FactFinder):
    """A correct memory for facts on a server."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        patience = {"socket_timeout": 2, "socket_connect_timeout": 2}
        never = Retry(NoBackoff(), 0)  # to send anything twice
        self.redis: Any = Redis.from_url(sandbox.redis_url, retry=never, **patience)

    def close(self) -> None:
        self.redis.close()

    def place(self, user_id: str) -> bytes:
        """Where the facts of a user are."""
        return b"facts:" + self.key(user_id)

    def rows(self, user_id: str) -> list[Row]:
        found = map(json.loads, self.redis.hvals(self.place(user_id)))
        return [self.made(user_id, each) for each in sorted(found, key=lambda each: each["n"])]

    def made(self, user_id: str, stored: Mapping[str, Any]) -> Row:
        """What was stored, as a row."""
        return self.key(user_id), stored["id"], self.key(stored["text"]), stored["metadata"], 1

    def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        words = {"text": text, "metadata": self.encode(metadata)}
        body = json.dumps({"n": self.redis.incr("n"), "id": uuid.uuid4().hex, **words})
        place = self.place(user_id), self.key(self.same(text))
        self.redis.hsetnx(*place, body)
        return self.fact(self.made(user_id, json.loads(self.redis.hget(*place))))

    def forget(self, user_id: str, fact_id: str) -> None:
        for name, body in self.redis.hgetall(self.place(user_id)).items():
            if json.loads(body)["id"] == fact_id:
                self.redis.hdel(self.place(user_id), name)


@specimen("empties-facts-after-a-restart", "DUR28", "lost", explains="FLT")
class EmptiesFactsAfterARestart(FactsOnRedis):
    bug = "An opening takes what an earlier run of the server left for rubbish, and removes it."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        run = self.redis.info("server")["run_id"].encode()
        if self.redis.set("run", run, get=True) not in (None, run):
            for key in list(self.redis.scan_iter(b"facts:*")):
                self.redis.delete(key)


@specimen("knows-nothing-when-cut-off", "FLT29", "swallowed")
class KnowsNothingWhenCutOff(FactsOnRedis):
    bug = "What the server does not answer is taken for nothing."

    def rows(self, user_id: str) -> list[Row]:
        from redis import RedisError

        try:
            return super().rows(user_id)
        except RedisError:
            return []


@specimen("fails-for-ever", "FLT30", "wedged")
class FailsForEver(FactsOnRedis):
    bug = "After one error the store gives the same one for ever."

    failed: Exception | None = None

    def rows(self, user_id: str) -> list[Row]:
        if self.failed is not None:
            raise self.failed
        try:
            return super().rows(user_id)
        except Exception as error:
            self.failed = error
            raise


@specimen("acknowledges-on-a-full-disk", "FLT31", "lost")
class AcknowledgesOnAFullDisk(FactsReference):
    bug = "A fact that cannot be written is acknowledged all the same."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        try:
            return super().keep(user_id, text, metadata, ttl)
        except sqlite3.OperationalError:
            return Fact(id="unwritten", user_id=user_id, text=text)
