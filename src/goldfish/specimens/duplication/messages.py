"""Stores that keep twice what was said once, or once what was said twice."""

import os
from collections.abc import Iterable, Sequence

from goldfish.encoding import decode_messages
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.sqlite import Reference

# Retries happen wherever a call may have been lost, and removed ids may be added again.
ELSEWHERE = "CLR TRM TTL CON DUR FLT SNP FID LIV"


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


variant("appends-again", Recognising, "DUP01", "duplicated", explains=ELSEWHERE)(
    bug="A retried message is appended again.", remembered=lambda self, there: []
)
variant("knows-the-latest", Recognising, "DUP01", "duplicated", explains=ELSEWHERE)(
    bug="Only a retry of the latest message is recognised.",
    remembered=lambda self, there: there[-1:],
)
variant("knows-a-hundred", Recognising, "DUP01", "duplicated", explains=ELSEWHERE)(
    bug="A retry is recognised among the hundred newest messages.",
    remembered=lambda self, there: there[-100:],
)


@specimen("knows-in-this-process", "DUP01", "duplicated", explains=ELSEWHERE)
class KnowsInThisProcess(Recognising):
    bug = "The ids that make a retry a no-op are forgotten when the store is closed."

    def set_up(self) -> None:
        self.seen: set[object] = set()

    def remembered(self, there: list[object]) -> Iterable[object]:
        return self.seen.intersection(there)

    def append(self, session_id: str, name: str, body: str) -> None:
        self.seen.add(name)
        super().append(session_id, name, body)


@specimen("first-of-batch", "DUP01", "lost", explains=ELSEWHERE)
class FirstOfBatch(Reference):
    bug = "A batch whose first message is known is taken for known as a whole."

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT 1 FROM messages WHERE session = ? AND id = ?"
        names = (self.key(session_id), self.key(rows[0][0]))
        if not self.db.execute(query, names).fetchone():
            super().insert(session_id, rows)


variant("retry-refused", Reference, "DUP01", "refused", explains=ELSEWHERE)(
    bug="A message that the session has is an error of the database.",
    insert=lambda self, session_id, rows: self.db.executemany(
        "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)",
        [(self.key(session_id), self.key(name), body) for name, body in rows],
    ),
)
variant("retry-moves", Reference, "DUP01", "reordered", explains=ELSEWHERE)(
    bug="A retried message moves to the end, as by INSERT OR REPLACE.",
    insert=lambda self, session_id, rows: self.db.executemany(
        "INSERT OR REPLACE INTO messages (session, id, body) VALUES (?, ?, ?)",
        [(self.key(session_id), self.key(name), body) for name, body in rows],
    ),
)
variant("retry-rewrites", Reference, "DUP02", "corrupted", explains=ELSEWHERE)(
    bug="A message whose id comes back is overwritten.",
    insert=lambda self, session_id, rows: self.db.executemany(
        "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"
        " ON CONFLICT DO UPDATE SET body = excluded.body",
        [(self.key(session_id), self.key(name), body) for name, body in rows],
    ),
)
variant("same-id-other-words", Recognising, "DUP02", "duplicated", explains=ELSEWHERE)(
    bug="An id that comes back with other words is a new message.",
    trace=lambda self, message: (message.id, repr(message.content)),
)
variant("same-words-same-message", Recognising, "DUP03", "lost", explains="ORD FID")(
    bug="Words that were said before in the session are not kept again.",
    trace=lambda self, message: repr(message.content),
)


@specimen("echo-dropped", "DUP03", "lost", explains="ORD FID")
class EchoDropped(Reference):
    bug = "A message that repeats the one before it is dropped."

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        said = [repr(each.content) for each in decode_messages(self.bodies(session_id)[-1:])]
        for row in rows:
            (message,) = decode_messages([row[1]])
            if repr(message.content) not in said[-1:]:
                super().insert(session_id, [row])
            said.append(repr(message.content))


variant("ids-without-case", Recognising, "DUP04", "lost", explains="ORD")(
    bug="Message ids that differ by case are one message.",
    trace=lambda self, message: message.id.lower(),
)
variant("ids-cut", Recognising, "DUP04", "lost", explains=ELSEWHERE)(
    bug="Message ids are compared by their first 36 characters, the length of a UUID.",
    trace=lambda self, message: message.id[:36],
)
variant("message-ids-as-numbers", Recognising, "DUP04", "lost", explains="ORD")(
    bug="Message ids that are the same number are one message.",
    trace=lambda self, message: message.id.lstrip("+0") if len(message.id) < 10 else message.id,
)
