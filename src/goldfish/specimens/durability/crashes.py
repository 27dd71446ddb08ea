"""Stores that work until a process or a server is killed."""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.concurrency.messages import ReadersNeedNoLock
from goldfish.specimens.references.guarded import MOMENT, Copying
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.redis import RedisReference, is_restarted
from goldfish.specimens.references.sqlite import SCHEMA, Reference

PATIENCE = 0.15


@specimen("committed-a-little-later", "DUR16", "lost", explains="FLT")
class CommittedALittleLater(Reference):
    bug = "A write is acknowledged before it is committed; all wait for it, except a kill."

    def set_up(self) -> None:
        self.db.close()
        self.db = sqlite3.connect(
            self.path, timeout=30, isolation_level=None, check_same_thread=False
        )
        self.mutex = threading.Lock()
        self.timer = threading.Timer(0, self.settle)

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if rows := self.encode(messages):
            self.timer.cancel()
            self.settle()
            with self.mutex:
                self.write(session_id, rows)
            self.timer = threading.Timer(10 * MOMENT, self.settle)
            self.timer.start()

    def write(self, session_id: str, rows: Rows) -> None:
        """Begin a transaction that keeps all others out."""
        self.db.execute("BEGIN EXCLUSIVE")
        self.bury(session_id)
        self.insert(session_id, rows)
        if self.ttl is not None:
            self.put_deadline(session_id, time.time() + self.ttl)

    def settle(self) -> None:
        """Commit what is not committed yet."""
        with self.mutex, contextlib.suppress(sqlite3.ProgrammingError):  # it may be closed by now
            if self.db.in_transaction:
                self.db.execute("COMMIT")

    def close(self) -> None:
        self.settle()
        super().close()


@specimen("half-a-batch-under-a-lock", "DUR17", "torn", explains="CON FLT")
class HalfABatchUnderALock(ReadersNeedNoLock):
    bug = "Readers wait while a batch is written in two transactions; a killed writer leaves one."

    def bodies(self, session_id: str) -> list[str]:
        with self.locked():
            return super().bodies(session_id)


@specimen("lock-file-of-the-dead", "DUR18", "refused", explains="CON FLT LIV")
class LockFileOfTheDead(Reference):
    bug = "A lock file guards each write, and stays for ever if its writer is killed."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        with self.locked():
            super().add_messages(session_id, messages)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others out with a file that only one can create."""
        lock, give_up = self.path.with_suffix(".lock"), time.monotonic() + PATIENCE
        while True:
            try:
                lock.touch(exist_ok=False)
                break
            except FileExistsError:
                if time.monotonic() > give_up:
                    raise TimeoutError(f"{lock.name} is there: another process writes") from None
                time.sleep(MOMENT / 4)
        try:
            yield
        finally:
            lock.unlink()


@specimen("undoes-what-the-dead-removed", "DUR19", "resurrected")
class UndoesWhatTheDeadRemoved(Reference):
    bug = "Removed messages come back if a process that removed some ended without closing."

    def set_up(self) -> None:
        self.db.execute("CREATE TABLE IF NOT EXISTS bin (process, n, session, id, body)")
        removers = self.db.execute("SELECT DISTINCT process FROM bin").fetchall()
        if not all(Path("/proc", str(process)).exists() for (process,) in removers):
            with self.transaction():
                self.db.execute(
                    "INSERT OR IGNORE INTO messages SELECT n, session, id, body FROM bin"
                )
                self.db.execute("DELETE FROM bin")

    def trim(self, session_id: str, *, keep_last: int) -> int:
        with self.transaction():
            self.throw_away(session_id, keep_last)
            return super().trim(session_id, keep_last=keep_last)

    def clear(self, session_id: str) -> None:
        with self.transaction():
            self.throw_away(session_id, 0)
            super().clear(session_id)

    def throw_away(self, session_id: str, keep_last: int) -> None:
        """Put into the bin what is about to be removed."""
        self.db.execute(
            "INSERT INTO bin SELECT ?, * FROM "
            "(SELECT * FROM messages WHERE session = ? ORDER BY n DESC LIMIT -1 OFFSET ?)",
            (os.getpid(), self.key(session_id), keep_last),
        )

    def close(self) -> None:
        self.db.execute("DELETE FROM bin WHERE process = ?", (os.getpid(),))
        super().close()


_known: dict[Path, set[str]] = {}


@specimen("begins-with-what-was-kept", "DUR20", "stale", explains="CON FLT")
class BeginsWithWhatWasKept(Copying):
    bug = "A process answers its first read of a session with what another process read last."

    def set_up(self) -> None:
        self.known = _known.setdefault(self.path, set())

    def bodies(self, session_id: str) -> list[str]:
        fresh = super().bodies(session_id)
        kept = self.exchange(session_id, fresh)
        first = session_id not in self.known
        self.known.add(session_id)
        return kept if kept and first and fresh else fresh

    def close(self) -> None:
        self.forget_copies()
        super().close()


@specimen("a-file-is-complete", "DUR21", "refused", explains="CON")
class AFileIsComplete(Reference):
    bug = "A file that exists counts as complete, even if its maker was killed before the tables."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        self.ttl = ttl
        self.path = sandbox.path / "reference.db"
        new = not self.path.exists()
        self.path.touch()
        self.db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        if new:
            time.sleep(10 * MOMENT)  # as long as a killer waits
            self.db.executescript(SCHEMA)


@specimen("empties-a-restarted-server", "DUR22", "lost", explains="FLT LIV")
class EmptiesARestartedServer(RedisReference):
    bug = "An opening takes what an earlier run of the server left for rubbish, and removes it."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        if is_restarted(self.redis):
            for key in list(self.redis.scan_iter(b"*:*")):
                self.redis.delete(key)
