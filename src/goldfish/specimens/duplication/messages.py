"""Stores that keep twice what was said once, or once what was said twice."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.encoding import decode_messages
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.references.sqlite import Reference

# Retries happen wherever a call may have been lost, and removed ids may be added again.
ELSEWHERE = ("CLR", "TRM", "TTL", "CON", "DUR", "FLT", "SNP", "FID", "LIV")


class Recognising(Reference):
    """A correct store, but for the messages that it takes for ones that it has."""

    def trace(self, message: ChatMessage) -> object:
        """That by which a message is recognised."""
        return message.id

    def remembered(self, there: list[object]) -> Iterable[object]:
        """The traces that it looks at, of those that are there."""
        return there

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        there = [self.trace(each) for each in decode_messages(self.bodies(session_id))]
        known = set(self.remembered(there))
        for name, body in rows:
            trace = self.trace(decode_messages([body])[0])
            if trace not in known:
                self.append(session_id, name, body)
                known.add(trace)

    def append(self, session_id: str, name: str, body: str) -> None:
        """Add a row, whether or not its id is there."""
        query = "SELECT COUNT(*) FROM messages WHERE session = ? AND id = ?"
        ids = (self.key(session_id), self.key(name))
        unique = ids[1] if self.db.execute(query, ids).fetchone() == (0,) else os.urandom(8)
        self.db.execute(
            "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)", (ids[0], unique, body)
        )


@specimen("appends-again", caught_by="DUP01", finding="duplicated", explains=ELSEWHERE)
class AppendsAgain(Recognising):
    """A retried message is appended again."""

    def remembered(self, there: list[object]) -> Iterable[object]:
        return []


@specimen("knows-the-latest", caught_by="DUP01", finding="duplicated", explains=ELSEWHERE)
class KnowsTheLatest(Recognising):
    """Only a retry of the latest message is recognised."""

    def remembered(self, there: list[object]) -> Iterable[object]:
        return there[-1:]


@specimen("knows-a-hundred", caught_by="DUP01", finding="duplicated", explains=ELSEWHERE)
class KnowsAHundred(Recognising):
    """A retry is recognised among the hundred newest messages."""

    def remembered(self, there: list[object]) -> Iterable[object]:
        return there[-100:]


@specimen("knows-in-this-process", caught_by="DUP01", finding="duplicated", explains=ELSEWHERE)
class KnowsInThisProcess(Recognising):
    """The ids that make a retry a no-op are forgotten when the store is closed."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.seen: set[object] = set()

    def remembered(self, there: list[object]) -> Iterable[object]:
        return self.seen.intersection(there)

    def append(self, session_id: str, name: str, body: str) -> None:
        self.seen.add(name)
        super().append(session_id, name, body)


@specimen("first-of-batch", caught_by="DUP01", finding="lost", explains=ELSEWHERE)
class FirstOfBatch(Reference):
    """A batch whose first message is known is taken for known as a whole."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT 1 FROM messages WHERE session = ? AND id = ?"
        names = (self.key(session_id), self.key(rows[0][0]))
        if not self.db.execute(query, names).fetchone():
            super().insert(session_id, rows)


@specimen("retry-refused", caught_by="DUP01", finding="refused", explains=ELSEWHERE)
class RetryRefused(Reference):
    """A message that the session has is an error of the database."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)",
            [(self.key(session_id), self.key(name), body) for name, body in rows],
        )


@specimen("retry-moves", caught_by="DUP01", finding="reordered", explains=ELSEWHERE)
class RetryMoves(Reference):
    """A retried message moves to the end, as by INSERT OR REPLACE."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT OR REPLACE INTO messages (session, id, body) VALUES (?, ?, ?)",
            [(self.key(session_id), self.key(name), body) for name, body in rows],
        )


@specimen("retry-rewrites", caught_by="DUP02", finding="corrupted", explains=ELSEWHERE)
class RetryRewrites(Reference):
    """A message whose id comes back is overwritten."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET body = excluded.body",
            [(self.key(session_id), self.key(name), body) for name, body in rows],
        )


@specimen("same-id-other-words", caught_by="DUP02", finding="duplicated", explains=ELSEWHERE)
class SameIdOtherWords(Recognising):
    """An id that comes back with other words is a new message."""

    def trace(self, message: ChatMessage) -> object:
        return message.id, repr(message.content)


@specimen("same-words-same-message", caught_by="DUP03", finding="lost", explains=("ORD", "FID"))
class SameWordsSameMessage(Recognising):
    """Words that were said before in the session are not kept again."""

    def trace(self, message: ChatMessage) -> object:
        return repr(message.content)


@specimen("echo-dropped", caught_by="DUP03", finding="lost", explains=("ORD", "FID"))
class EchoDropped(Reference):
    """A message that repeats the one before it is dropped."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        said = [repr(each.content) for each in decode_messages(self.bodies(session_id)[-1:])]
        for row in rows:
            (message,) = decode_messages([row[1]])
            if repr(message.content) not in said[-1:]:
                super().insert(session_id, [row])
            said.append(repr(message.content))


@specimen("ids-without-case", caught_by="DUP04", finding="lost", explains=("ORD",))
class IdsWithoutCase(Recognising):
    """Message ids that differ by case are one message."""

    def trace(self, message: ChatMessage) -> object:
        return message.id.lower()


@specimen("ids-cut", caught_by="DUP04", finding="lost", explains=ELSEWHERE)
class IdsCut(Recognising):
    """Message ids are compared by their first 36 characters, the length of a UUID."""

    def trace(self, message: ChatMessage) -> object:
        return message.id[:36]


@specimen("message-ids-as-numbers", caught_by="DUP04", finding="lost", explains=("ORD",))
class MessageIdsAsNumbers(Recognising):
    """Message ids that are the same number are one message."""

    def trace(self, message: ChatMessage) -> object:
        return message.id.lstrip("+0") if len(message.id) < 10 else message.id
