"""Correct stores with a lock, a copy, or a sweep that comes later, for bugs of several families."""

import contextlib
import fcntl
import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens.references.sqlite import Reference

MOMENT = 0.002  # what a race needs to be lost within a few calls


class Locking(Reference):
    """A store with a lock for whoever asks for it, which the kernel takes back from the dead."""

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others out, in this process and in any other."""
        with self.path.with_suffix(".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


@contextlib.contextmanager
def locked_by_hash(path: Path, name: str) -> Iterator[None]:
    """Keep out whoever hashes the name alike, which processes of another program do not."""
    with path.with_suffix(f".{hash(name) % 2**32}").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Copying(Reference):
    """A store that can keep a copy of what was read, until messages are removed."""

    tables = "CREATE TABLE IF NOT EXISTS copied (session BLOB PRIMARY KEY, bodies TEXT)"

    def exchange(self, session_id: str, bodies: list[str]) -> list[str] | None:
        """Keep a copy, and return the one that was kept before."""
        key = self.key(session_id)
        before = self.column("SELECT bodies FROM copied WHERE session = ?", key)
        self.db.execute("INSERT OR REPLACE INTO copied VALUES (?, ?)", (key, json.dumps(bodies)))
        return json.loads(before[0]) if before else None

    def forget_copies(self) -> None:
        """Remove all copies."""
        self.db.execute("DELETE FROM copied")

    def trim(self, session_id: str, *, keep_last: int) -> int:
        self.forget_copies()
        return super().trim(session_id, keep_last=keep_last)

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        self.forget_copies()
        return super().delete_messages(session_id, ids)

    def remove_session(self, session_id: str) -> None:
        self.forget_copies()
        super().remove_session(session_id)


class Sweeping(Reference):
    """A store that can run a statement a moment after a call has returned."""

    sweep: threading.Thread | None = None

    def sweep_later(self, statement: str, *values: Any) -> None:
        """Run a statement on a connection of its own, when some time has passed."""

        def run() -> None:
            time.sleep(3 * MOMENT)
            with contextlib.closing(sqlite3.connect(self.path, timeout=30)) as db, db:
                db.execute(statement, values)

        self.sweep = threading.Thread(target=run)
        self.sweep.start()

    def settle(self) -> None:
        """Wait until the statement has run."""
        if self.sweep is not None:
            self.sweep.join()

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.settle()
        super().add_messages(session_id, messages)

    def close(self) -> None:
        self.settle()
        super().close()
