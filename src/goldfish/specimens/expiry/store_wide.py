"""Stores in which a later, a killed or a cut-off write ends a store-wide expiry."""

import time
from collections.abc import Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.expiry.sessions import Noting
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.redis import RedisReference
from goldfish.specimens.references.sqlite import Reference


@specimen("a-second-write-ends-a-store-wide-expiry", "TTL26", "stale")
class ASecondWriteEndsAStoreWideExpiry(Reference):
    bug = "The first write sets the deadline; each later one replaces the session without one."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        known = self.bodies(session_id) != []
        super().add_messages(session_id, messages)
        if known and self.ttl is not None:
            self.drop_deadline(session_id)


variant("deadlines-in-whole-seconds", Reference, "TTL27", "lost")(
    bug="set_ttl cuts its seconds with int().",
    set_ttl=lambda self, session_id, seconds: Reference.set_ttl(
        self, session_id, None if seconds is None else int(seconds)
    ),
)
variant("store-wide-expiry-in-whole-seconds", Reference, "TTL28", "lost")(
    bug="The ttl of the store is cut with int().",
    __init__=lambda self, sandbox, *, ttl=None: Reference.__init__(
        self, sandbox, ttl=None if ttl is None else int(ttl)
    ),
)


@specimen("a-list-renews-deadlines", "TTL29", "stale")
class AListRenewsDeadlines(Noting):
    bug = "Listing the sessions touches each of them, which starts its time again."

    def list_sessions(self) -> list[str]:
        names = super().list_sessions()
        for name in names:
            self.renew(name)
        return names


@specimen("a-look-renews-a-store-wide-expiry", "TTL30", "stale")
class ALookRenewsAStoreWideExpiry(Reference):
    bug = "In a store with a ttl of its own, get_ttl starts the time again."

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        if left is not None and self.ttl is not None:
            self.put_deadline(session_id, time.time() + self.ttl)
        return left


@specimen("the-deadline-follows-the-write", "TTL31", "stale")
class TheDeadlineFollowsTheWrite(Reference):
    bug = "The messages are committed first, and their deadline in a second transaction."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = self.encode(messages)
        with self.transaction():
            self.bury(session_id)
            self.insert(session_id, rows)
        if rows and self.ttl is not None:
            self.put_deadline(session_id, time.time() + self.ttl)


class RedisExpiring(RedisReference):
    """A store on Redis with a store-wide expiry, which is set after the write."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox)
        self.ttl = ttl

    def write(self, session_id: str, rows: Rows) -> None:
        super().write(session_id, rows)
        self.expire(self.redis, session_id)

    def expire(self, redis: Any, session_id: str) -> None:
        """Set the deadline of both keys, if there is one to set."""
        if self.ttl is not None:
            for key in self.keys(session_id):
                redis.pexpire(key, int(self.ttl * 1000))


variant("expire-is-a-call-of-its-own", RedisExpiring, "TTL32", "stale")(
    bug="EXPIRE is sent when the reply to the write has arrived.",
)
