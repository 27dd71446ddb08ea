"""Stores that keep twice what was said once, or once what was said twice."""

from collections.abc import Sequence
from typing import Any

from goldfish.encoding import decode_messages
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.reference import Reference


class Recognising(Reference):
    """A correct store, but for the messages that it takes for ones that it has.

    The ids in its table are not unique; what it recognises, it does not add.
    """

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return message.id in {each.id for each in self.there(session_id)}

    def there(self, session_id: str) -> list[ChatMessage]:
        return decode_messages(self.bodies(session_id))

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        for name, body in rows:
            if not self.knows(session_id, decode_messages([body])[0]):
                (number,) = self.db.execute("SELECT COUNT(*) FROM messages").fetchone()
                self.add_row(session_id, name, body, number)

    def add_row(self, session_id: str, name: str, body: str, number: int) -> None:
        taken = "SELECT 1 FROM messages WHERE session = ? AND id = ?"
        keys = (self.key(session_id), self.key(name))
        unique = keys[1] if not self.db.execute(taken, keys).fetchone() else f"{name}#{number}"
        self.db.execute(
            "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)", (keys[0], unique, body)
        )


@specimen("appends-again", caught_by="DUP01", finding="duplicated", explains=("CLR", "TRM", "CON"))
class AppendsAgain(Recognising):
    """A retried message is appended again."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return False


@specimen("knows-the-latest", caught_by="DUP01", finding="duplicated", explains=("CLR", "CON"))
class KnowsTheLatest(Recognising):
    """Only a retry of the latest message is recognised."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return message.id in {each.id for each in self.there(session_id)[-1:]}


@specimen("knows-a-hundred", caught_by="DUP01", finding="duplicated", explains=("CLR", "CON"))
class KnowsAHundred(Recognising):
    """A retry is recognised among the hundred newest messages."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return message.id in {each.id for each in self.there(session_id)[-100:]}


@specimen(
    "knows-in-this-process",
    caught_by="DUP01",
    finding="duplicated",
    explains=("CLR", "CON", "DUR", "FLT", "TRM", "TTL"),
)
class KnowsInThisProcess(Recognising):
    """The ids that make a retry a no-op are forgotten when the store is closed."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.seen: set[tuple[str, str]] = set()

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        known = (session_id, message.id) in self.seen and super().knows(session_id, message)
        self.seen.add((session_id, message.id))
        return known


@specimen("first-of-batch", caught_by="DUP01", finding="lost", explains=("CON", "CLR"))
class FirstOfBatch(Reference):
    """A batch whose first message is known is taken for known as a whole."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT 1 FROM messages WHERE session = ? AND id = ?"
        names = (self.key(session_id), self.key(rows[0][0]))
        if not self.db.execute(query, names).fetchone():
            super().insert(session_id, rows)


@specimen("retry-refused", caught_by="DUP01", finding="refused", explains=("CON", "FLT"))
class RetryRefused(Reference):
    """A message that the session has is an error of the database."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)",
            [(self.key(session_id), self.key(name), body) for name, body in rows],
        )


@specimen("retry-moves", caught_by="DUP01", finding="reordered", explains=("CON",))
class RetryMoves(Reference):
    """A retried message moves to the end, as by INSERT OR REPLACE."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT OR REPLACE INTO messages (session, id, body) VALUES (?, ?, ?)",
            [(self.key(session_id), self.key(name), body) for name, body in rows],
        )


@specimen("retry-rewrites", caught_by="DUP02", finding="corrupted", explains=("CON",))
class RetryRewrites(Reference):
    """A message whose id comes back is overwritten."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET body = excluded.body",
            [(self.key(session_id), self.key(name), body) for name, body in rows],
        )


@specimen("same-id-other-words", caught_by="DUP02", finding="duplicated", explains=("CON", "CLR"))
class SameIdOtherWords(Recognising):
    """An id that comes back with other words is a new message."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        said = [(each.id, each.content) for each in self.there(session_id)]
        return (message.id, message.content) in said


@specimen("same-words-same-message", caught_by="DUP03", finding="lost", explains=("ORD", "FID"))
class SameWordsSameMessage(Recognising):
    """Words that were said before in the session are not kept again."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        said = [each.content for each in self.there(session_id)]
        return message.content in said or super().knows(session_id, message)


@specimen("echo-dropped", caught_by="DUP03", finding="lost", explains=("ORD", "FID"))
class EchoDropped(Recognising):
    """A message that repeats the one before it is dropped."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        said = [each.content for each in self.there(session_id)[-1:]]
        return message.content in said or super().knows(session_id, message)


@specimen("ids-without-case", caught_by="DUP04", finding="lost", explains=("ORD",))
class IdsWithoutCase(Recognising):
    """Message ids that differ by case are one message."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return message.id.lower() in {each.id.lower() for each in self.there(session_id)}


@specimen("ids-cut", caught_by="DUP04", finding="lost", explains=("FID", "CLR"))
class IdsCut(Recognising):
    """Message ids are compared by their first 36 characters, the length of a UUID."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return message.id[:36] in {each.id[:36] for each in self.there(session_id)}


@specimen("message-ids-as-numbers", caught_by="DUP04", finding="lost", explains=("ORD",))
class MessageIdsAsNumbers(Recognising):
    """Message ids that are the same number are one message."""

    def knows(self, session_id: str, message: ChatMessage) -> bool:
        return self.number(message) in {self.number(each) for each in self.there(session_id)}

    def number(self, message: ChatMessage) -> str:
        return message.id.lstrip("+0") if len(message.id) < 10 else message.id
