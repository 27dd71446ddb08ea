"""Stores in which sessions outlive their time, or expire before it."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.banning import Banning
from goldfish.specimens.references.keys import Rows, decoded
from goldfish.specimens.references.sqlite import Reference

variant("expiry-waits-for-a-sweep", Reference, "TTL01", "stale")(
    bug="Expired sessions wait for a sweep, which is never started.",
    expired=lambda self, session_id: False,
)


@specimen("expiry-in-minutes", "TTL01", "stale")
class ExpiryInMinutes(Reference):
    bug = "Seconds are taken for minutes, and returned as minutes too."

    def put_deadline(self, session_id: str, moment: float) -> None:
        super().put_deadline(session_id, time.time() + (moment - time.time()) * 60)

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        return None if left is None else left / 60


@specimen("last-serves-the-expired", "TTL01", "stale")
class LastServesTheExpired(Reference):
    bug = "Only a full read checks the deadline; a read with ``last`` does not."

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 0:
            return super().get_history(session_id, last=last)
        query = "SELECT body FROM messages WHERE session = ? ORDER BY n DESC LIMIT ?"
        return self.decode(self.column(query, self.key(session_id), last)[::-1])


variant("lists-the-expired", Reference, "TTL02", "stale")(
    bug="Expired sessions are listed until somebody writes to them.",
    list_sessions=lambda self: [
        decoded(name) for name in self.column("SELECT DISTINCT session FROM messages")
    ],
)
variant("deadlines-in-memory", Reference, "TTL03", "stale")(
    bug="Deadlines are kept in memory by the opening that set them.",
    tables="CREATE TEMP TABLE deadlines (session BLOB PRIMARY KEY, at REAL)",
)


@specimen("expires-on-open", "TTL03", "lost")
class ExpiresOnOpen(Reference):
    bug = "Opening the store removes every session that has a deadline, passed or not."

    def set_up(self) -> None:
        dated = "SELECT session FROM deadlines"
        self.db.execute(f"DELETE FROM messages WHERE session IN ({dated})")


variant("expiry-in-milliseconds", Reference, "TTL04", "lost")(
    bug="Seconds are taken for milliseconds.",
    put_deadline=lambda self, session_id, moment: Reference.put_deadline(
        self, session_id, time.time() + (moment - time.time()) / 1_000
    ),
)


@specimen("expiry-of-a-month-at-most", "TTL04", "lost")
class ExpiryOfAMonthAtMost(Reference):
    bug = "More than thirty days are taken for a date, as in memcached."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        super().set_ttl(session_id, seconds)
        if seconds is not None and seconds > 30 * 86_400 and self.bodies(session_id):
            self.put_deadline(session_id, seconds)


@specimen("expiry-overflows", "TTL04", "lost")
class ExpiryOverflows(Reference):
    bug = "Milliseconds are kept in 32 bits, which overflow after 25 days."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        super().set_ttl(session_id, seconds)
        if seconds is not None and self.bodies(session_id):
            short = (int(seconds * 1_000) + 2**31) % 2**32 - 2**31
            self.put_deadline(session_id, time.time() + short / 1_000)


variant("expiry-by-prefix", Reference, "TTL05", "lost")(
    bug="A deadline holds for every session whose id begins with the one that is named.",
    expired=lambda self, session_id: bool(
        self.column(
            "SELECT 1 FROM deadlines WHERE at <= ? AND substr(?, 1, length(session)) = session",
            time.time(),
            self.key(session_id),
        )
    ),
)
variant("expiry-of-everybody", Reference, "TTL05", "lost")(
    bug="When one session expires, the sweep empties the table.",
    expired=lambda self, session_id: bool(
        self.column("SELECT 1 FROM deadlines WHERE at <= ?", time.time())
    ),
)


@specimen("a-write-removes-the-deadline", "TTL06", "stale")
class AWriteRemovesTheDeadline(Reference):
    bug = "A write replaces the session and drops its deadline, like SET in Redis."

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        self.drop_deadline(session_id)


class Noting(Reference):
    """A correct store that remembers the seconds that ``set_ttl`` was given."""

    def set_up(self) -> None:
        self.given: dict[str, float] = {}

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        super().set_ttl(session_id, seconds)
        self.given.pop(session_id, None)
        if seconds is not None and self.bodies(session_id):
            self.given[session_id] = seconds

    def renew(self, session_id: str) -> None:
        """Start the time that was given again."""
        if self.ttl is None and session_id in self.given and self.deadline(session_id) is not None:
            self.put_deadline(session_id, time.time() + self.given[session_id])


@specimen("a-write-renews-the-deadline", "TTL06", "stale")
class AWriteRenewsTheDeadline(Noting):
    bug = "A write starts the time that set_ttl gave again."

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        self.renew(session_id)


@specimen("expiry-by-message", "TTL06", "stale")
class ExpiryByMessage(Reference):
    bug = "Only the messages that were there when the deadline was set expire."

    tables = "CREATE TABLE IF NOT EXISTS spared (n INTEGER)"

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        if self.ttl is None and self.deadline(session_id) is not None:
            newest = "SELECT MAX(n) FROM messages WHERE session = ?"
            self.db.execute(f"INSERT INTO spared {newest}", [self.key(session_id)])

    def bury(self, session_id: str) -> None:
        if self.expired(session_id):
            self.db.execute(
                "DELETE FROM messages WHERE session = ? AND n NOT IN (SELECT n FROM spared)",
                [self.key(session_id)],
            )
            self.set_ttl(session_id, None)

    def bodies(self, session_id: str) -> list[str]:
        if not self.expired(session_id):
            return super().bodies(session_id)
        query = "SELECT body FROM messages JOIN spared USING (n) WHERE session = ? ORDER BY n"
        return self.column(query, self.key(session_id))


@specimen("a-read-renews-the-deadline", "TTL07", "stale")
class AReadRenewsTheDeadline(Noting):
    bug = "A read starts the time that set_ttl gave again."

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        found = super().get_history(session_id, last=last)
        if found:
            self.renew(session_id)
        return found


@specimen("a-look-renews-the-deadline", "TTL07", "stale")
class ALookRenewsTheDeadline(Reference):
    bug = "get_ttl postpones the deadline."

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        if left is not None and left < 2:
            self.put_deadline(session_id, time.time() + 2)
        return left


@specimen("trim-removes-the-deadline", "TTL08", "stale")
class TrimRemovesTheDeadline(Reference):
    bug = "A trim rewrites the rest of the session without its deadline."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        if removed:
            self.drop_deadline(session_id)
        return removed


@specimen("trim-clears-the-dated", "TTL08", "lost")
class TrimClearsTheDated(Reference):
    bug = "A trim removes all messages of a session that has a deadline."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if self.ttl is None and self.deadline(session_id) is not None:
            return super().trim(session_id, keep_last=0)
        return super().trim(session_id, keep_last=keep_last)


@specimen("delete-removes-the-deadline", "TTL09", "stale")
class DeleteRemovesTheDeadline(Reference):
    bug = "Deleting rewrites the rest of the session without its deadline."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        self.drop_deadline(session_id)
        return super().delete_messages(session_id, ids)


@specimen("a-deadline-stays", "TTL10", "lost")
class ADeadlineStays(Reference):
    bug = "set_ttl(None) does nothing, so the deadline stays."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        if seconds is not None:
            super().set_ttl(session_id, seconds)

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        return left if left is not None and left > 2 else None


variant("none-expires-at-once", Reference, "TTL10", "lost")(
    bug="set_ttl(None) is taken for zero seconds.",
    set_ttl=lambda self, session_id, seconds: Reference.set_ttl(self, session_id, seconds or 0),
)


@specimen("the-first-deadline-wins", "TTL11", "stale")
class TheFirstDeadlineWins(Reference):
    bug = "A session that has a deadline accepts no other, as with EXPIRE NX."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        if seconds is None or self.deadline(session_id) is None:
            super().set_ttl(session_id, seconds)


@specimen("the-earliest-deadline-wins", "TTL11", "lost")
class TheEarliestDeadlineWins(Reference):
    bug = "A deadline can be brought forward but not postponed, as with EXPIRE LT."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        old = self.deadline(session_id)
        if seconds is None or old is None or time.time() + seconds < old:
            super().set_ttl(session_id, seconds)


@specimen("time-left-in-milliseconds", "TTL12", "wrong")
class TimeLeftInMilliseconds(Reference):
    bug = "get_ttl returns milliseconds, like PTTL."

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        return None if left is None else left * 1_000


variant("time-left-as-a-date", Reference, "TTL12", "wrong")(
    bug="get_ttl returns the moment of the expiry instead of the time left.",
    get_ttl=lambda self, session_id: (
        None if Reference.get_ttl(self, session_id) is None else self.deadline(session_id)
    ),
)


@specimen("time-left-as-given", "TTL12", "wrong")
class TimeLeftAsGiven(Noting):
    bug = "get_ttl returns the time that was given, however much of it is over."

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        return None if left is None else self.given.get(session_id, left)


@specimen("time-left-of-nobody", "TTL12", "wrong")
class TimeLeftOfNobody(Reference):
    bug = "get_ttl returns -1 if there is no deadline, and -2 if there is no session."

    def get_ttl(self, session_id: str) -> float | None:
        left = super().get_ttl(session_id)
        if left is not None:
            return left
        return -1 if self.bodies(session_id) else -2


@specimen("the-expired-come-back", "TTL13", "resurrected")
class TheExpiredComeBack(Reference):
    bug = "Expired messages are hidden but not removed, and a new one removes the deadline."

    def bury(self, session_id: str) -> None:
        if self.expired(session_id):
            self.set_ttl(session_id, None)


@specimen("an-expired-session-is-dead", "TTL13", "lost")
class AnExpiredSessionIsDead(Reference):
    bug = "The deadline of an expired session stays, so its next messages are born expired."

    def bury(self, session_id: str) -> None:
        if self.ttl is not None:
            super().bury(session_id)


@specimen("an-expired-session-refuses", "TTL13", "refused")
class AnExpiredSessionRefuses(Reference):
    bug = "An expired session accepts no more messages."

    def bury(self, session_id: str) -> None:
        if self.expired(session_id):
            raise RuntimeError(f"session {session_id} has expired")


@specimen("expired-ids-are-banned", "TTL14", "lost")
class ExpiredIdsAreBanned(Banning):
    bug = "The ids of expired messages stay known, so adding such a message again does nothing."

    def bury(self, session_id: str) -> None:
        if self.expired(session_id):
            self.ban("session = ?", self.key(session_id))
        super().bury(session_id)


@specimen("a-deadline-before-birth", "TTL15", "lost")
class ADeadlineBeforeBirth(Reference):
    bug = "A session without messages accepts a deadline, which hits its first message."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        if seconds is None:
            super().set_ttl(session_id, None)
        else:
            self.put_deadline(session_id, time.time() + seconds)


@specimen("clear-keeps-the-deadline", "TTL16", "lost")
class ClearKeepsTheDeadline(Reference):
    bug = "Clear removes the messages, but leaves the deadline for those that follow."

    def clear(self, session_id: str) -> None:
        self.drop_messages(session_id)

    def get_ttl(self, session_id: str) -> float | None:
        return super().get_ttl(session_id) if self.bodies(session_id) else None


@specimen("clear-all-keeps-deadlines", "TTL16", "lost")
class ClearAllKeepsDeadlines(Reference):
    bug = "clear_all removes the messages, but leaves the deadlines for those that follow."

    def clear_all(self) -> None:
        self.db.execute("DELETE FROM messages")


variant("store-wide-expiry-is-ignored", Reference, "TTL17", "stale")(
    bug="The store accepts a ttl and ignores it.",
    __init__=lambda self, sandbox, *, ttl=None: Reference.__init__(self, sandbox),
)


@specimen("store-wide-expiry-from-the-second", "TTL17", "stale")
class StoreWideExpiryFromTheSecond(Reference):
    bug = "The deadline is set before the write, when a new session does not exist yet."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        new = not self.bodies(session_id)
        super().add_messages(session_id, messages)
        if new and self.ttl is not None:
            self.set_ttl(session_id, None)


@specimen("store-wide-expiry-set-once", "TTL18", "lost")
class StoreWideExpirySetOnce(Reference):
    bug = "The first write sets the deadline, and later ones do not renew it."

    def put_deadline(self, session_id: str, moment: float) -> None:
        if self.ttl is None or self.deadline(session_id) is None:
            super().put_deadline(session_id, moment)


@specimen("store-wide-expiry-by-message", "TTL18", "lost")
class StoreWideExpiryByMessage(Reference):
    bug = "Each message expires by itself, so a conversation loses its beginning first."

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        if self.ttl is None:
            return found
        ages = [time.time() - message.created_at.timestamp() for message in self.decode(found)]
        return [body for body, age in zip(found, ages, strict=True) if age < self.ttl]


@specimen("a-read-renews-a-store-wide-expiry", "TTL19", "stale")
class AReadRenewsAStoreWideExpiry(AReadRenewsTheDeadline):
    bug = "In a store with a ttl of its own, every read starts the time again."

    def renew(self, session_id: str) -> None:
        if self.ttl is not None and self.deadline(session_id) is not None:
            self.put_deadline(session_id, time.time() + self.ttl)


@specimen("one-deadline-for-all", "TTL20", "stale")
class OneDeadlineForAll(Reference):
    bug = "A write renews the deadline of every session."

    def put_deadline(self, session_id: str, moment: float) -> None:
        super().put_deadline(session_id, moment)
        if self.ttl is not None:
            self.db.execute("UPDATE deadlines SET at = ?", [moment])


@specimen("trim-ends-a-store-wide-expiry", "TTL21", "stale")
class TrimEndsAStoreWideExpiry(Reference):
    bug = "In a store with a ttl of its own, a trim drops the deadline."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        if self.ttl is not None:
            self.set_ttl(session_id, None)
        return removed
