"""Stores that work as long as one call comes after the other.

Each of them waits a moment where its bug is, so that a race that a busy service loses once a day is
lost within a few calls.
"""

import asyncio
import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.references.asynchronous import AsyncReference
from goldfish.specimens.references.guarded import (
    MOMENT,
    Copying,
    Locking,
    Sweeping,
    locked_by_hash,
)
from goldfish.specimens.references.keys import Rows, decoded
from goldfish.specimens.references.sqlite import Reference

LEASE = 0.015

# Who is killed, stopped or cut off is one of several at work at once.
ELSEWHERE = "DUR FLT LIV"


def rows_of(store: Reference, session_id: str) -> list[tuple[str, str]]:
    """Return the (id, body) of each message of a session that has not expired."""
    if store.expired(session_id):
        return []
    query = "SELECT id, body FROM messages WHERE session = ? ORDER BY n"
    found = store.db.execute(query, (store.key(session_id),))
    return [(decoded(name), body) for name, body in found]


def numbers_of(store: Reference, session_id: str) -> list[int]:
    """Return the number of each message of a session, oldest first."""
    return numbers_without(store, session_id, set())


def numbers_without(store: Reference, session_id: str, doomed: set[str]) -> list[int]:
    """Return the number of each message of a session whose id is not doomed."""
    query = "SELECT n, id FROM messages WHERE session = ? ORDER BY n"
    found = store.db.execute(query, (store.key(session_id),)).fetchall()
    return [number for number, name in found if decoded(name) not in doomed]


def keep_only(store: Reference, session_id: str, numbers: Iterable[int]) -> int:
    """Remove all messages of a session but these; return how many there were."""
    return store.db.execute(
        "DELETE FROM messages WHERE session = ? AND n NOT IN (SELECT value FROM json_each(?))",
        (store.key(session_id), json.dumps(list(numbers))),
    ).rowcount


VERSION = "CREATE TABLE version (number INTEGER)"


def has_version(store: Reference) -> bool:
    """Return True if the table of the version has been created."""
    return bool(store.column("SELECT 1 FROM sqlite_master WHERE name = 'version'"))


class Overwriting(Reference):
    """A store that writes a session as it was ``seen``, with the new messages at the end."""

    seen: Sequence[tuple[str, str]] = ()

    def insert(self, session_id: str, rows: Rows) -> None:
        self.drop_messages(session_id)
        super().insert(session_id, [*self.seen, *rows])


@specimen("saves-its-own-copy", "CON01", "lost", explains=ELSEWHERE)
class SavesItsOwnCopy(Overwriting):
    bug = "A writer reads the session, then saves what it read with its own messages at the end."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.seen = rows_of(self, session_id)
        time.sleep(MOMENT)
        super().add_messages(session_id, messages)


@specimen("locked-by-hash", "CON32", "lost", explains=ELSEWHERE)
class LockedByHash(Overwriting):
    bug = "A writer is alone behind a lock that hash() chose, which other programs do not take."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        with locked_by_hash(self.path, session_id):
            self.seen = rows_of(self, session_id)
            time.sleep(MOMENT)
            super().add_messages(session_id, messages)


@specimen("numbered-by-counting", "CON01", "lost", explains=ELSEWHERE)
class NumberedByCounting(Reference):
    bug = "A message gets the number after the highest, and replaces the one that has it."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        (self.free,) = self.column("SELECT COALESCE(MAX(n), 0) + 1 FROM messages")
        time.sleep(MOMENT)
        super().add_messages(session_id, messages)

    def insert(self, session_id: str, rows: Rows) -> None:
        there = {name for name, _ in rows_of(self, session_id)}
        new = [row for row in rows if row[0] not in there]
        self.db.executemany(
            "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?)",
            [
                (self.free + at, self.key(session_id), self.key(name), body)
                for at, (name, body) in enumerate(new)
            ],
        )


@specimen("commits-the-first-alone", "CON02", "torn", explains=ELSEWHERE)
class CommitsTheFirstAlone(Reference):
    bug = "The first message of a batch is committed alone, so others come in between."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.encode(messages)
        super().add_messages(session_id, messages[:1])
        time.sleep(MOMENT)
        super().add_messages(session_id, messages[1:])


class Naming(Reference):
    """A store with one place in the database that names the session at work."""

    tables = "CREATE TABLE IF NOT EXISTS named (one INTEGER PRIMARY KEY, session BLOB)"

    def name(self, session_id: str) -> None:
        """Name the session at work, and lose a moment."""
        self.db.execute("INSERT OR REPLACE INTO named VALUES (1, ?)", (self.key(session_id),))
        time.sleep(MOMENT)

    def named(self) -> str:
        """Return the session that was named last, by whomever."""
        return decoded(self.column("SELECT session FROM named")[0])


@specimen("last-named-session", "CON03", "leaked", explains=ELSEWHERE)
class LastNamedSession(Naming):
    bug = "A writer names its session in the database, and writes to the one named there."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.name(session_id)
        super().add_messages(session_id, messages)

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(self.named(), rows)


@specimen("last-asked-session", "CON03", "leaked", explains=ELSEWHERE)
class LastAskedSession(Naming):
    bug = "A reader names its session in the database, and reads the one named there."

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        self.name(session_id)
        return super().get_history(self.named(), last=last)


@specimen("loads-and-saves", "CON04", "lost", explains=ELSEWHERE)
class LoadsAndSaves(AsyncReference):
    bug = "A call loads the session, waits for something, and saves all of it."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.store: Overwriting = Overwriting(sandbox, ttl=ttl)

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        seen = rows_of(self.store, session_id)
        await asyncio.sleep(MOMENT)
        self.store.seen = seen
        self.store.add_messages(session_id, messages)


@specimen("awaits-after-the-first", "CON05", "torn", explains=ELSEWHERE)
class AwaitsAfterTheFirst(AsyncReference):
    bug = "The first message of a batch is written, then the rest; other calls come in between."

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.store.encode(messages)
        self.store.add_messages(session_id, messages[:1])
        await asyncio.sleep(MOMENT)
        self.store.add_messages(session_id, messages[1:])


@specimen("current-session", "CON06", "leaked", explains=f"{ELSEWHERE} ISO")
class CurrentSession(AsyncReference):
    bug = "The session being read is kept in the store, where the next call overwrites it."

    session = ""

    async def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        self.session = session_id
        await asyncio.sleep(MOMENT)
        return self.store.get_history(self.session, last=last)


@specimen("session-of-the-next", "CON06", "leaked", explains=f"{ELSEWHERE} ISO")
class SessionOfTheNext(AsyncReference):
    bug = "The session being written is kept in the store, where the next call overwrites it."

    session = ""

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.session = session_id
        await asyncio.sleep(MOMENT)
        self.store.add_messages(self.session, messages)


@specimen("creates-what-was-not-there", "CON07", "refused", explains=ELSEWHERE)
class CreatesWhatWasNotThere(Reference):
    bug = "An opening checks for a table, then creates it although another just did."

    def set_up(self) -> None:
        if not has_version(self):
            time.sleep(MOMENT)
            self.db.execute(VERSION)


@specimen("created-by-the-first-write", "CON07", "refused", explains=ELSEWHERE)
class CreatedByTheFirstWrite(Reference):
    bug = "The first write checks for a table, then creates it although another just did."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if not has_version(self):
            time.sleep(MOMENT)
            self.db.execute(VERSION)
        super().add_messages(session_id, messages)


@specimen("set-up-by-the-first-call", "CON08", "refused", explains=f"{ELSEWHERE} ISO")
class SetUpByTheFirstCall(AsyncReference):
    bug = "The first write sets the store up, and so does every write that comes meanwhile."

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if not has_version(self.store):
            await asyncio.sleep(MOMENT)
            self.store.db.execute(VERSION)
        await super().add_messages(session_id, messages)


@specimen("ready-before-it-is", "CON08", "lost", explains=f"{ELSEWHERE} ISO")
class ReadyBeforeItIs(AsyncReference):
    bug = "Messages that arrive while the first write sets the store up are dropped."

    ready = False
    begun = False

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if self.begun and not self.ready:
            return
        self.begun = True
        await asyncio.sleep(MOMENT)
        self.ready = True
        await super().add_messages(session_id, messages)


@specimen("readers-need-no-lock", "CON09", "torn", explains=ELSEWHERE)
class ReadersNeedNoLock(Locking):
    bug = "Writers take a lock but readers do not, so they see half of a batch."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.encode(messages)
        with self.locked():
            super().add_messages(session_id, messages[:1])
            time.sleep(MOMENT)
            super().add_messages(session_id, messages[1:])


@specimen("pages-by-offset", "CON09", "duplicated", explains=ELSEWHERE)
class PagesByOffset(Reference):
    bug = "A history is read in pages from the newest, which shift when a message arrives."

    PAGE = 5

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        found = self.page(session_id, 0, self.PAGE)
        if len(found) == self.PAGE:
            time.sleep(MOMENT)
            found += self.page(session_id, self.PAGE, -1)
        return found[::-1]

    def page(self, session_id: str, offset: int, limit: int) -> list[str]:
        """So many bodies, the newest first, after so many that are newer."""
        query = "SELECT body FROM messages WHERE session = ? ORDER BY n DESC LIMIT ? OFFSET ?"
        found = self.db.execute(query, (self.key(session_id), limit, offset))
        return [body for (body,) in found]


@specimen("renewed-for-the-next", "CON10", "stale", explains=ELSEWHERE)
class RenewedForTheNext(Copying):
    bug = "A session that another process wrote is read from a copy, renewed for the next reader."

    tables = "CREATE TABLE IF NOT EXISTS writers (session BLOB PRIMARY KEY, process INTEGER)"

    def bodies(self, session_id: str) -> list[str]:
        fresh = super().bodies(session_id)
        copy = self.exchange(session_id, fresh)
        writers = self.column("SELECT process FROM writers WHERE session = ?", self.key(session_id))
        return copy if copy is not None and fresh and [os.getpid()] != writers else fresh

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        entry = self.key(session_id), os.getpid()
        self.db.execute("INSERT OR REPLACE INTO writers VALUES (?, ?)", entry)


@specimen("clears-once-more", "CON11", "lost", explains=ELSEWHERE)
class ClearsOnceMore(Sweeping):
    bug = "A clear is repeated a little later, and removes what other openings have added since."

    def clear(self, session_id: str) -> None:
        self.settle()
        super().clear(session_id)
        self.sweep_later("DELETE FROM messages WHERE session = ?", self.key(session_id))


@specimen("clears-without-the-lock", "CON11", "resurrected", explains=ELSEWHERE)
class ClearsWithoutTheLock(Overwriting, Locking):
    bug = "Writers take turns to save what they read, but a clear does not wait for its turn."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        with self.locked():
            self.seen = rows_of(self, session_id)
            time.sleep(MOMENT)
            super().add_messages(session_id, messages)


@specimen("keeps-what-it-chose", "CON12", "lost", explains=ELSEWHERE)
class KeepsWhatItChose(Reference):
    bug = "A trim chooses the messages to keep, and a moment later removes all others."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        numbers = numbers_of(self, session_id)
        time.sleep(MOMENT)
        return keep_only(self, session_id, numbers[max(0, len(numbers) - keep_last) :])


@specimen("trusts-its-lease", "CON13", "lost", explains=ELSEWHERE)
class TrustsItsLease(Overwriting):
    bug = "A writer saves what it read under a lease, even if the lease has run out."

    def set_up(self) -> None:
        self.me = os.urandom(8)
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS leases (session BLOB PRIMARY KEY, owner BLOB, until REAL)"
        )

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        while not self.leased(session_id):
            time.sleep(MOMENT / 4)
        self.seen = rows_of(self, session_id)
        time.sleep(MOMENT)
        super().add_messages(session_id, messages)
        self.db.execute("DELETE FROM leases WHERE owner = ?", (self.me,))

    def leased(self, session_id: str) -> bool:
        """Return True if the session is ours for a while: it was free, or its lease is over."""
        now = time.monotonic()
        taken = self.db.execute(
            "INSERT INTO leases VALUES (?, ?, ?) ON CONFLICT (session) DO UPDATE "
            "SET owner = excluded.owner, until = excluded.until WHERE until < ?",
            (self.key(session_id), self.me, now + LEASE, now),
        )
        return taken.rowcount == 1


@specimen("writes-back-the-rest", "CON14", "lost", explains=ELSEWHERE)
class WritesBackTheRest(AsyncReference):
    bug = "Deleting messages reads the session, waits, and keeps the rest of what it read."

    async def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        left = numbers_without(self.store, session_id, set(ids))
        await asyncio.sleep(MOMENT)
        return keep_only(self.store, session_id, left)


@specimen("rewrites-the-rest", "CON15", "lost", explains=ELSEWHERE)
class RewritesTheRest(Reference):
    bug = "Deleting messages reads the session, and keeps the rest of what it read."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        left = numbers_without(self, session_id, set(ids))
        time.sleep(2 * MOMENT)
        return keep_only(self, session_id, left)


@specimen("looks-before-it-writes", "CON16", "duplicated", explains=ELSEWHERE)
class LooksBeforeItWrites(Reference):
    bug = "Only a look before the write keeps an id from being stored twice."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        with contextlib.closing(sqlite3.connect(sandbox.path / "reference.db", timeout=30)) as db:
            db.execute(
                "CREATE TABLE IF NOT EXISTS messages "
                "(n INTEGER PRIMARY KEY AUTOINCREMENT, session BLOB, id BLOB, body TEXT)"
            )
        super().__init__(sandbox, ttl=ttl)

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.there = {name for name, _ in rows_of(self, session_id)}
        time.sleep(MOMENT)
        super().add_messages(session_id, messages)

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, [row for row in rows if row[0] not in self.there])


@specimen("trims-what-it-saw", "CON17", "lost", explains=ELSEWHERE)
class TrimsWhatItSaw(AsyncReference):
    bug = "A trim keeps the end of what it read a moment ago; only other removals wait for it."

    def set_up(self) -> None:
        self.removing = asyncio.Lock()
        # All but the trim is to be quick, so that calls which follow each other can be told apart.
        self.store.db.execute("PRAGMA synchronous = OFF")

    async def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        async with self.removing:
            numbers = numbers_of(self.store, session_id)
            await asyncio.sleep(5 * MOMENT)
            return keep_only(self.store, session_id, numbers[max(0, len(numbers) - keep_last) :])

    async def clear(self, session_id: str) -> None:
        async with self.removing:
            await super().clear(session_id)


@specimen("brings-back-the-cleared", "CON22", "resurrected")
class BringsBackTheCleared(AsyncReference):
    bug = "A write restores what it read at its start if the session was cleared meanwhile."

    def set_up(self) -> None:
        self.adding = asyncio.Lock()
        # To wait is to be the longest part of a write, so that a clear mostly falls into it.
        self.store.db.execute("PRAGMA synchronous = OFF")

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        async with self.adding:
            seen = rows_of(self.store, session_id)
            await asyncio.sleep(5 * MOMENT)
            if seen and not rows_of(self.store, session_id):
                self.store.insert(session_id, seen)
            self.store.add_messages(session_id, messages)
