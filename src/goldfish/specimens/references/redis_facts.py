"""A plain, correct memory for facts on Redis, in a hash for each user."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens.references.fact_search import FactFinder, Row
from goldfish.specimens.references.redis import connect


class FactsOnRedis(FactFinder):
    """A correct memory for facts on a server."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        self.redis = connect(sandbox.redis_url)

    def close(self) -> None:
        self.redis.close()

    def place(self, user_id: str) -> bytes:
        """Return the key of the facts of a user."""
        return b"facts:" + self.key(user_id)

    def rows(self, user_id: str) -> list[Row]:
        found = map(json.loads, self.redis.hvals(self.place(user_id)))
        return [self.made(user_id, each) for each in sorted(found, key=lambda each: each["n"])]

    def made(self, user_id: str, stored: Mapping[str, Any]) -> Row:
        """Return what was stored, as a row."""
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
