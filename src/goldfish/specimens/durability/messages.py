"""Stores that forget when they close, or that live in one process."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Database, Reference


class Buffered(Reference):
    """A store that acknowledges first and writes later; its children say when."""

    def set_up(self) -> None:
        self.pending: list[tuple[str, Sequence[ChatMessage]]] = []

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        bodies = [body for _, body in self.encode(messages)]
        self.pending.append((session_id, self.decode(bodies)))
        if len(self.pending) > 40:
            self.flush()

    def flush(self) -> None:
        """Write what is pending."""
        pending = self.pending[:]
        self.pending.clear()
        for session_id, messages in pending:
            super().add_messages(session_id, messages)


@specimen("filed-by-hash", "DUR44", "lost")
class FiledByHash(Reference):
    bug = "Messages are kept in a file that is named by hash(), which differs in every run."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.ttl = ttl
        Database.__init__(self, sandbox.path / f"{hash('messages')}.db")


@specimen("written-when-read", "DUR01", "lost", explains="ORD TTL LIV")
class WrittenWhenRead(Buffered):
    bug = "Acknowledged messages are written only when this opening reads or closes."

    def bodies(self, session_id: str) -> list[str]:
        if not self.db.in_transaction:
            self.flush()
        return super().bodies(session_id)

    def trim(self, session_id: str, *, keep_last: int) -> int:
        self.flush()
        return super().trim(session_id, keep_last=keep_last)

    def delete_messages(self, session_id: str, ids: Any) -> int:
        self.flush()
        return super().delete_messages(session_id, ids)

    def clear(self, session_id: str) -> None:
        self.flush()
        super().clear(session_id)

    def clear_all(self) -> None:
        self.flush()
        super().clear_all()

    def list_sessions(self) -> list[str]:
        self.flush()
        return super().list_sessions()

    def get_ttl(self, session_id: str) -> float | None:
        self.flush()
        return super().get_ttl(session_id)

    def close(self) -> None:
        self.flush()
        super().close()


variant("wiped-on-open", Reference, "DUR02", "lost", explains="CLR TRM ORD TTL FID LIV")(
    bug="Every opening begins with an empty table, a leftover from the tests.",
    set_up=lambda self: self.db.execute("DELETE FROM messages"),
)


@specimen("closing-drops-the-newest", "DUR02", "lost", explains="CLR TRM ORD TTL FID LIV DUP ISO")
class ClosingDropsTheNewest(Reference):
    bug = "Closing does not wait for the last write, which is rolled back."

    def close(self) -> None:
        self.db.execute("DELETE FROM messages WHERE n = (SELECT MAX(n) FROM messages)")
        super().close()


@specimen("in-this-process", "DUR03", "lost")
class InThisProcess(Reference):
    bug = "Each process has a file of its own, so another one sees nothing."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        own = sandbox.path / str(os.getpid())
        own.mkdir(exist_ok=True)
        super().__init__(SimpleNamespace(path=own), ttl=ttl)


@specimen("ends-a-second-process", "DUR03", "crashed", explains="CON FLT LIV TTL SEQ")
class EndsASecondProcess(Reference):
    bug = "A process that reads what another one began ends at once, as faulty native code does."

    def set_up(self) -> None:
        with self.path.with_suffix(".owner").open("a+") as owner:
            if owner.tell() == 0:
                owner.write(str(os.getpid()))
            owner.seek(0)
            self.is_owner = owner.read() == str(os.getpid())

    def bodies(self, session_id: str) -> list[str]:
        if not self.is_owner:
            os._exit(139)
        return super().bodies(session_id)


class Cached(Reference):
    """A store that keeps what it has read, until its mark of the session changes."""

    def set_up(self) -> None:
        self.cache: dict[str, tuple[Any, list[str]]] = {}

    def bodies(self, session_id: str) -> list[str]:
        mark = self.mark(session_id)
        if session_id not in self.cache or self.cache[session_id][0] != mark:
            self.cache[session_id] = mark, super().bodies(session_id)
        return [] if self.expired(session_id) else self.cache[session_id][1]

    def mark(self, session_id: str) -> Any:
        """Return what changes when the session does, as this store sees it."""
        query = "SELECT MAX(n), COUNT(*) FROM messages WHERE session = ?"
        return self.db.execute(query, [self.key(session_id)]).fetchone()

    def refresh(self, session_id: str) -> None:
        """Read it anew the next time."""
        self.cache.pop(session_id, None)

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        self.refresh(session_id)

    def trim(self, session_id: str, *, keep_last: int) -> int:
        self.refresh(session_id)
        return super().trim(session_id, keep_last=keep_last)

    def delete_messages(self, session_id: str, ids: Any) -> int:
        self.refresh(session_id)
        return super().delete_messages(session_id, ids)

    def remove_session(self, session_id: str) -> None:
        super().remove_session(session_id)
        self.refresh(session_id)

    def clear_all(self) -> None:
        super().clear_all()
        self.cache.clear()


@specimen("caches-what-it-read", "DUR04", "stale", explains="CLR ORD LIV")
class CachesWhatItRead(Cached):
    bug = "A session is read once, and again only after this opening has changed it."

    def mark(self, session_id: str) -> None:
        """Return nothing that changes."""


@specimen("notices-only-more", "DUR05", "stale", explains="CLR")
class NoticesOnlyMore(Cached):
    bug = "What was read is cached until there is a message with a higher number."

    def set_up(self) -> None:
        super().set_up()
        self.highest: dict[str, int] = {}

    def mark(self, session_id: str) -> Any:
        newest, _ = super().mark(session_id)
        self.highest[session_id] = max(newest or 0, self.highest.get(session_id, 0))
        return self.highest[session_id]


variant("notices-only-the-newest", Cached, "DUR06", "stale")(
    bug="What was read is cached as long as the newest message is the same.",
    mark=lambda self, session_id: Cached.mark(self, session_id)[0],
)


@specimen("recovers-what-is-not-broken", "DUR07", "lost", explains="ORD LIV")
class RecoversWhatIsNotBroken(Reference):
    bug = "An opening that finds another takes it for a crash, and drops the newest message."

    def set_up(self) -> None:
        self.open_mark = self.path.with_suffix(".open")
        if self.open_mark.exists():
            self.recover()
        self.open_mark.touch()

    def recover(self) -> None:
        """Treat an opening that was not closed as a crash."""
        self.db.execute("DELETE FROM messages WHERE n = (SELECT MAX(n) FROM messages)")

    def close(self) -> None:
        self.open_mark.unlink(missing_ok=True)
        super().close()


@specimen("one-opening-at-a-time", "DUR07", "refused", explains="CLR ORD TTL LIV")
class OneOpeningAtATime(RecoversWhatIsNotBroken):
    bug = "The storage can be opened by only one at a time, which is not documented."

    def recover(self) -> None:
        raise RuntimeError("the storage is already accessed by another instance")


@specimen("metadata-in-memory", "DUR08", "corrupted", explains="FID")
class MetadataInMemory(Reference):
    bug = "Metadata is kept in memory by the opening that wrote it."

    def set_up(self) -> None:
        self.mine: set[str] = set()

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        rows = super().encode(messages)
        self.mine.update(body for _, body in rows)
        return rows

    def decode(self, bodies: list[str]) -> list[Any]:
        found = zip(bodies, super().decode(bodies), strict=True)
        return [
            message if body in self.mine else message.model_copy(update={"metadata": {}})
            for body, message in found
        ]


@specimen("keeps-a-thousand", "DUR09", "lost")
class KeepsAThousand(Reference):
    bug = "Opening the store cuts every session to its newest thousand messages."

    def set_up(self) -> None:
        for session_id in self.list_sessions():
            self.trim(session_id, keep_last=1_000)


@specimen("keeps-twenty-sessions", "DUR09", "lost")
class KeepsTwentySessions(Reference):
    bug = "Opening the store drops all but the twenty sessions that began last."

    def set_up(self) -> None:
        newest = "SELECT session FROM messages GROUP BY session ORDER BY MIN(n) DESC LIMIT 20"
        self.db.execute(f"DELETE FROM messages WHERE session NOT IN ({newest})")


@specimen("counts-from-one-again", "DUR10", "reordered", explains="CLR ORD")
class CountsFromOneAgain(Reference):
    bug = "Every opening numbers its messages from one, and the history is sorted by number."

    def set_up(self) -> None:
        self.written = 0

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, [])
        for name, body in rows:
            self.written += 1
            self.db.execute(
                "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)",
                (self.free(), self.key(session_id), self.key(name), body),
            )

    def free(self) -> int:
        """Return a number near the count that is not taken."""
        number = self.written * 1_000
        while self.db.execute("SELECT 1 FROM messages WHERE n = ?", [number]).fetchone():
            number += 1
        return number


@specimen("one-owner", "DUR11", "lost", explains="LIV")
class OneOwner(Reference):
    bug = "A process that finds another one's storage begins with an empty one."

    def set_up(self) -> None:
        owner = self.path.with_suffix(".owner")
        if owner.exists() and owner.read_text() != str(os.getpid()):
            self.db.execute("DELETE FROM messages")
        owner.write_text(str(os.getpid()))


_pending: dict[Path, list[tuple[str, Sequence[ChatMessage]]]] = {}


@specimen("written-in-good-time", "DUR12", "lost", explains="TTL")
class WrittenInGoodTime(WrittenWhenRead):
    bug = "Acknowledged messages wait in the process, where all its openings see them."

    def set_up(self) -> None:
        super().set_up()
        self.pending = _pending.setdefault(self.path, [])


@specimen("locked-by-the-dead", "DUR12", "refused")
class LockedByTheDead(Reference):
    bug = "A process that writes leaves a lock, which stays if the process is killed."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        lock, me = self.path.with_suffix(".lock"), str(os.getpid())
        if lock.exists() and lock.read_text() != me:
            raise RuntimeError(f"the storage is locked by process {lock.read_text()}")
        lock.write_text(me)
        super().add_messages(session_id, messages)

    def close(self) -> None:
        lock = self.path.with_suffix(".lock")
        if lock.exists() and lock.read_text() == str(os.getpid()):
            lock.unlink()
        super().close()


_counts: dict[Path, int] = {}


@specimen("counted-by-process", "DUR13", "reordered")
class CountedByProcess(CountsFromOneAgain):
    bug = "Every process numbers its messages from one, and the history is sorted by number."

    def insert(self, session_id: str, rows: Rows) -> None:
        self.written = _counts.get(self.path, 0)
        super().insert(session_id, rows)
        _counts[self.path] = self.written


_caches: dict[Path, dict[str, tuple[Any, list[str]]]] = {}


@specimen("cached-by-process", "DUR14", "stale")
class CachedByProcess(CachesWhatItRead):
    bug = "A session is read once, and again only after this process has changed it."

    def set_up(self) -> None:
        super().set_up()
        self.cache = _caches.setdefault(self.path, {})


@specimen("cached-by-process-until-more", "DUR15", "stale")
class CachedByProcessUntilMore(NoticesOnlyMore):
    bug = "What a process has read is cached until there is a message with a higher number."

    def set_up(self) -> None:
        super().set_up()
        self.cache = _caches.setdefault(self.path, {})


@specimen("as-many-is-the-same", "DUR05", "stale", explains="SNP CLR TRM TTL CON")
class AsManyIsTheSame(Reference):
    bug = "What was read is kept, and read anew only if the number of messages has changed."

    def set_up(self) -> None:
        self.seen: dict[str, list[str]] = {}

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        if len(self.seen.get(session_id, [])) != len(found):
            self.seen[session_id] = found
        return self.seen.get(session_id, [])


@specimen("a-replica-lags", "DUR01", "stale", explains="ISO ORD CON CLR TRM TTL FLT SNP DUP LIV")
class AReplicaLags(Reference):
    bug = "What another opening wrote shows after a tenth of a second, as from a replica."
    tables = "CREATE TABLE IF NOT EXISTS seen (n INTEGER PRIMARY KEY, at REAL, writer TEXT)"

    def set_up(self) -> None:
        self.name = os.urandom(8).hex()

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        self.db.execute(
            "INSERT OR IGNORE INTO seen SELECT n, ?, ? FROM messages "
            "WHERE n > (SELECT coalesce(max(n), 0) FROM seen)",
            (time.time() + 0.1, self.name),
        )

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        query = (
            "SELECT body FROM messages JOIN seen USING (n) "
            "WHERE session = ? AND (at <= ? OR writer = ?) ORDER BY n"
        )
        return self.column(query, self.key(session_id), time.time(), self.name)
