"""Stores that keep twice what was said once, or once what was said twice."""

import os
from collections.abc import Iterable

from goldfish.encoding import decode_messages
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference

# Retries happen wherever a call may have been lost, and removed ids may be added again.
ELSEWHERE = "CLR TRM TTL CON DUR FLT SNP FID LIV"
INSERT = "INSERT INTO messages (session, id, body) VALUES (?, ?, ?)"


class Recognising(Reference):
    """A correct store, except for the messages that it takes for ones that it has."""

    def trace(self, message: ChatMessage) -> object:
        """Return what a message is recognised by."""
        return message.id

    def remembered(self, there: list[object]) -> Iterable[object]:
        """Return the traces that it looks at, of those that are there."""
        return there

    def insert(self, session_id: str, rows: Rows) -> None:
        there = [self.trace(each) for each in decode_messages(self.bodies(session_id))]
        known = set(self.remembered(there))
        for name, body in rows:
            trace = self.trace(decode_messages([body])[0])
            if trace not in known:
                self.append(session_id, name, body)
                known.add(trace)

    def append(self, session_id: str, name: str, body: str) -> None:
        """Add a row, whether or not its id is there."""
        key, own = self.key(session_id), self.key(name)
        taken = self.column("SELECT 1 FROM messages WHERE session = ? AND id = ?", key, own)
        self.db.execute(INSERT, (key, os.urandom(8) if taken else own, body))


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

    def insert(self, session_id: str, rows: Rows) -> None:
        known = "SELECT 1 FROM messages WHERE session = ? AND id = ?"
        if not self.column(known, self.key(session_id), self.key(rows[0][0])):
            super().insert(session_id, rows)


variant("retry-refused", Reference, "DUP01", "refused", explains=ELSEWHERE)(
    bug="Adding a message that the session has raises a database error.", statement=INSERT
)
variant("retry-moves", Reference, "DUP01", "reordered", explains=ELSEWHERE)(
    bug="A retried message moves to the end, as with INSERT OR REPLACE.",
    statement=INSERT.replace("INSERT", "INSERT OR REPLACE"),
)
variant("retry-rewrites", Reference, "DUP02", "corrupted", explains=ELSEWHERE)(
    bug="A retried message overwrites the one with the same id.",
    statement=f"{INSERT} ON CONFLICT DO UPDATE SET body = excluded.body",
)
variant("same-id-other-words", Recognising, "DUP02", "duplicated", explains=ELSEWHERE)(
    bug="A known id with another content is stored as a new message.",
    trace=lambda self, message: (message.id, repr(message.content)),
)
variant("same-words-same-message", Recognising, "DUP03", "lost", explains="ORD FID")(
    bug="A message that repeats an earlier content of the session is not stored.",
    trace=lambda self, message: repr(message.content),
)


@specimen("echo-dropped", "DUP03", "lost", explains="ORD FID")
class EchoDropped(Reference):
    bug = "A message that repeats the one before it is not stored."

    def insert(self, session_id: str, rows: Rows) -> None:
        said = [repr(each.content) for each in decode_messages(self.bodies(session_id)[-1:])]
        for row in rows:
            (message,) = decode_messages([row[1]])
            if repr(message.content) not in said[-1:]:
                super().insert(session_id, [row])
            said.append(repr(message.content))


variant("ids-without-case", Recognising, "DUP04", "lost", explains="ORD")(
    bug="Message ids that differ only by case are one message.",
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


@specimen("drops-a-turn-like-the-last", "DUP20", "lost", explains="DUP")
class DropsATurnLikeTheLast(Reference):
    bug = "A batch that says what the last messages say is taken for a retry and dropped."

    def insert(self, session_id: str, rows: Rows) -> None:
        new = [_say(each) for each in decode_messages([body for _, body in rows])]
        there = [_say(each) for each in decode_messages(self.bodies(session_id))]
        if len(new) < 2 or there[-len(new) :] != new:
            super().insert(session_id, rows)


def _say(message: ChatMessage) -> tuple[str, object]:
    return message.role, message.content
