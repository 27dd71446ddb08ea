"""Stores that keep named values in the process, all of them or for too long."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.encoding import refuse_unstorable
from goldfish.specimens import specimen
from goldfish.specimens.references.keys import encoded
from goldfish.specimens.references.state import StateReference


@specimen("state-in-the-process", "DUR40", "lost", explains="SNP CLR CON")
class StateInTheProcess(StateReference):
    bug = "Values are in a dict of this opening, and nowhere else."

    def set_up(self) -> None:
        self.held: dict[bytes, dict[bytes, str]] = {}

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        self.held.setdefault(owner, {}).update(kept)

    def read(self, owner: bytes) -> dict[bytes, str]:
        return dict(self.held.get(owner, {}))

    def remove_state(self, owner: bytes) -> None:
        self.held.pop(owner, None)


@specimen("state-read-once", "DUR41", "stale", explains="SNP CON")
class StateReadOnce(StateReference):
    bug = "What was read once is not read again; only what is set here changes it."

    def set_up(self) -> None:
        self.known: dict[bytes, dict[bytes, str]] = {}

    def read(self, owner: bytes) -> dict[bytes, str]:
        if owner not in self.known:
            self.known[owner] = super().read(owner)
        return self.known[owner]

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        super().write(owner, kept)
        self.read(owner).update(kept)

    def remove_state(self, owner: bytes) -> None:
        super().remove_state(owner)
        self.known.pop(owner, None)


@specimen("state-written-at-the-end", "DUR42", "lost", explains="SNP CON")
class StateWrittenAtTheEnd(StateReference):
    bug = "Values are written when the store is closed."

    def set_up(self) -> None:
        self.unwritten: dict[bytes, dict[bytes, str]] = {}

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        self.unwritten.setdefault(owner, {}).update(kept)

    def read(self, owner: bytes) -> dict[bytes, str]:
        return super().read(owner) | self.unwritten.get(owner, {})

    def remove_state(self, owner: bytes) -> None:
        super().remove_state(owner)
        self.unwritten.pop(owner, None)

    def close(self) -> None:
        for owner, kept in self.unwritten.items():
            super().write(owner, kept)
        super().close()


class StateOnRedis:
    """A correct store of named values on a server, in a hash for each owner."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        patience = {"socket_timeout": 2, "socket_connect_timeout": 2}
        never = Retry(NoBackoff(), 0)  # to send anything twice
        self.redis: Any = Redis.from_url(sandbox.redis_url, retry=never, **patience)

    def place(self, session_id: str, user_id: str | None) -> bytes:
        """Where the values of an owner are."""
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


@specimen("state-before-the-server", "DUR43", "lost")
class StateBeforeTheServer(StateOnRedis):
    bug = "Values are collected, and sent to the server when the store is closed."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.unsent: dict[bytes, dict[str, str]] = {}

    def send(self, place: bytes, kept: Mapping[str, str]) -> None:
        self.unsent.setdefault(place, {}).update(kept)

    def fetch(self, place: bytes) -> dict[str, str]:
        return super().fetch(place) | self.unsent.get(place, {})

    def close(self) -> None:
        for place, kept in self.unsent.items():
            super().send(place, kept)
        super().close()
