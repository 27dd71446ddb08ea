"""Stores that work as long as the disk does."""

import contextlib
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from goldfish.encoding import decode_messages, encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.sqlite import Reference

Pairs = list[list[str]]  # the id and the text of each message of a session


class Document:
    """A correct store in one JSON file, which is replaced as a whole under a lock."""

    def __init__(self, sandbox: Any) -> None:
        self.path = sandbox.path / "memory.json"
        self.lock = sandbox.path / "memory.lock"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep others out, in this process and in any other."""
        with self.lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def load(self) -> dict[str, Pairs]:
        """Return all sessions."""
        if not self.path.exists():
            return {}
        found: dict[str, Pairs] = json.loads(self.path.read_text("ascii"))
        return found

    def save(self, sessions: dict[str, Pairs]) -> None:
        """Put a new file in the place of the old one."""
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="ascii") as file:
            json.dump(sessions, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)

    @contextlib.contextmanager
    def changed(self, session_id: str) -> Iterator[Pairs]:
        """Yield the messages of a session, and save them as the block leaves them."""
        with self.locked():
            sessions = self.load()
            pairs = sessions.setdefault(session_id, [])
            yield pairs
            self.save(sessions)

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = encode_batch(messages)
        with self.changed(session_id) as pairs:
            known = {name for name, _ in pairs}
            pairs += [[name, body] for name, body in rows if name not in known]

    def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        if last is not None and last < 0:
            raise ValueError("last must not be negative")
        bodies = [body for _, body in self.load().get(session_id, [])]
        return decode_messages(bodies if last is None else bodies[max(0, len(bodies) - last) :])

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        with self.changed(session_id) as pairs:
            excess = max(0, len(pairs) - keep_last)
            del pairs[:excess]
        return excess

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        doomed = set(ids)
        with self.changed(session_id) as pairs:
            before = len(pairs)
            pairs[:] = [pair for pair in pairs if pair[0] not in doomed]
            return before - len(pairs)

    def clear(self, session_id: str) -> None:
        with self.changed(session_id) as pairs:
            pairs.clear()


@specimen("full-is-fine", "FLT24", "swallowed")
class FullIsFine(Document):
    bug = "A file that cannot be saved is left for the next save."

    def save(self, sessions: dict[str, Pairs]) -> None:
        with contextlib.suppress(OSError):
            super().save(sessions)


variant("emptied-before-it-is-full", Document, "FLT24", "wedged", explains="CON DUR")(
    bug="The file is emptied before it is written again.",
    save=lambda self, sessions: self.path.write_text(json.dumps(sessions), "ascii"),
)


class Lines(Document):
    """A correct store that appends to a file of lines, each a whole session."""

    def load(self) -> dict[str, Pairs]:
        sessions: dict[str, Pairs] = {}
        if self.path.exists():
            for line in self.path.read_bytes().splitlines(keepends=True):
                sessions.update(self.parsed(line))
        return sessions

    def parsed(self, line: bytes) -> dict[str, Pairs]:
        """Return what a line says about its session."""
        found: dict[str, Pairs] = json.loads(line)
        return found

    def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        with self.locked():  # a line may be half-written otherwise
            return super().get_history(session_id, last=last)

    @contextlib.contextmanager
    def changed(self, session_id: str) -> Iterator[Pairs]:
        with self.locked():
            pairs = self.load().get(session_id, [])
            yield pairs
            self.append(json.dumps({session_id: pairs}).encode("ascii") + b"\n")

    def append(self, line: bytes) -> None:
        """Write a line as a whole, or leave the file as it was."""
        with self.path.open("ab", buffering=0) as file:
            before = file.seek(0, os.SEEK_END)
            try:
                if file.write(line) < len(line):
                    raise OSError("the disk is full")
            except OSError:
                file.truncate(before)
                raise
            os.fsync(file.fileno())


@specimen("half-a-file-is-mended", "FLT27", "swallowed")
class HalfAFileIsMended(Document):
    bug = "A file that ends too early is mended, and what is left is taken for all there was."

    def load(self) -> dict[str, Pairs]:
        try:
            return super().load()
        except ValueError:
            text = self.path.read_text("ascii")
            found: dict[str, Pairs] = json.loads(text[: text.rfind("], [")] + "]]}")
            return found


@specimen("half-a-line-stays", "FLT34", "wedged", explains="DUR")
class HalfALineStays(Lines):
    bug = "A line that did not fit stays in part, and the next one is written right behind it."

    def append(self, line: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


@specimen("writes-behind-half-a-line", "FLT27", "refused", explains="DUR")
class WritesBehindHalfALine(Lines):
    bug = "Half a line of a killed writer is skipped, but the next one is written right behind it."

    def parsed(self, line: bytes) -> dict[str, Pairs]:
        return super().parsed(line) if line.endswith(b"\n") else {}


@specimen("nonsense-is-new", "FLT28", "swallowed")
class NonsenseIsNew(Document):
    bug = "A file that cannot be read is taken for a new one."

    def load(self) -> dict[str, Pairs]:
        with contextlib.suppress(ValueError):
            return super().load()
        return {}


@specimen("not-allowed-is-fine", "FLT25", "swallowed")
class NotAllowedIsFine(Document):
    bug = "A write that the system does not permit is skipped."

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        with contextlib.suppress(PermissionError):
            super().add_messages(session_id, messages)


@specimen("locked-is-fine", "FLT26", "swallowed", explains="CON DUR LIV")
class LockedIsFine(Reference):
    bug = "A write to a file that another process has locked is given up silently."

    def set_up(self) -> None:
        self.db.execute("PRAGMA busy_timeout = 100")

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        try:
            super().add_messages(session_id, messages)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
