"""A plain, correct store of named values on Redis, in a hash for each owner."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.encoding import refuse_unstorable
from goldfish.specimens.references.keys import encoded
from goldfish.specimens.references.redis import connect


class StateOnRedis:
    """A correct store of named values on a server, in a hash for each owner."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        self.redis = connect(sandbox.redis_url)

    def place(self, session_id: str, user_id: str | None) -> bytes:
        """Return the key of the values of an owner."""
        kind, name = (b"s", session_id) if user_id is None else (b"u", user_id)
        return b"state:" + kind + encoded(name)

    def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        refuse_unstorable(dict(values), "values")
        if values:
            kept = {json.dumps(name): json.dumps(value) for name, value in values.items()}
            self.send(self.place(session_id, user_id), kept)

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        found = self.fetch(self.place(session_id, user_id))
        return {json.loads(name): json.loads(value) for name, value in found.items()}

    def send(self, place: bytes, kept: Mapping[str, str]) -> None:
        self.redis.hset(place, mapping=kept)

    def fetch(self, place: bytes) -> dict[str, str]:
        return {name.decode(): text.decode() for name, text in self.redis.hgetall(place).items()}

    def close(self) -> None:
        self.redis.close()
