"""Stores that give back another order than that of the writes, or count ``last`` wrongly."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference

# A store that mixes up ordinary histories fails wherever several messages are read.
ANYWHERE = "ISO DUP DUR FID TRM CLR TTL LIV CON SNP FLT"
# One that mixes up unusual ones fails where a check happens to use such messages.
SOMETIMES = "DUP FID TRM CLR TTL SNP"
# Checks of every family may read by ``last``, to see whether it agrees with the rest.
READERS = "ISO FID TRM CLR TTL DUR LIV SNP"


class Sorted(Reference):
    """A correct store, except for the order in which it returns messages."""

    def rank(self, message: ChatMessage) -> Any:
        """Return the value by which messages are sorted."""
        return 0

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        """Return the messages in the order in which they are read."""
        return sorted(messages, key=self.rank)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is not None and last < 0:
            raise ValueError("last must not be negative")
        messages = self.in_order(self.decode(self.bodies(session_id)))
        return messages if last is None else messages[max(0, len(messages) - last) :]


class Placed(Reference):
    """A correct store, except for the place that it gives to a new message."""

    order = "place, n"

    def set_up(self) -> None:
        with suppress(sqlite3.OperationalError):  # an earlier opening has added it
            self.db.execute("ALTER TABLE messages ADD COLUMN place INTEGER")

    def places(self, session_id: str, count: int) -> range:
        """Return the numbers of that many new messages."""
        raise NotImplementedError

    def insert(self, session_id: str, rows: Rows) -> None:
        new = "UPDATE messages SET place = ? WHERE n = last_insert_rowid() AND place IS NULL"
        for row, place in zip(rows, self.places(session_id, len(rows)), strict=True):
            super().insert(session_id, [row])
            self.db.execute(new, (place,))


variant("batch-reversed", Reference, "ORD01", "reordered", explains=ANYWHERE)(
    bug="The messages of a batch are stored last first, as LPUSH stores them.",
    insert=lambda self, session_id, rows: Reference.insert(self, session_id, rows[::-1]),
)
variant("batch-as-set", Reference, "ORD01", "reordered", explains=ANYWHERE)(
    bug="A batch goes through a set to remove duplicates, and loses its order.",
    insert=lambda self, session_id, rows: Reference.insert(
        self, session_id, sorted(set(rows), key=lambda row: row[0][::-1])
    ),
)
variant("newest-first", Sorted, "ORD02", "reordered", explains=ANYWHERE)(
    bug="The history begins with the newest message.",
    in_order=lambda self, messages: messages[::-1],
)


@specimen("new-batch-first", "ORD02", "reordered", explains=ANYWHERE)
class NewBatchFirst(Placed):
    bug = "A new batch is placed before the earlier ones."

    def places(self, session_id: str, count: int) -> range:
        query = "SELECT MIN(place) FROM messages WHERE session = ?"
        first = self.db.execute(query, (self.key(session_id),)).fetchone()[0] or 0
        return range(first - count, first)


variant("ties-reversed", Sorted, "ORD03", "reordered", explains=SOMETIMES)(
    bug="Of messages with the same time, the newest comes first.",
    in_order=lambda self, messages: [
        message
        for _, group in groupby(messages, lambda each: each.created_at)
        for message in reversed(list(group))
    ],
)
variant("ties-by-id", Sorted, "ORD03", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by time, and by id where the time is the same.",
    rank=lambda self, message: (message.created_at, message.id[::-1]),
)
variant("by-time", Sorted, "ORD04", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by the time that they carry.",
    rank=lambda self, message: message.created_at,
)
variant("ancient-first", Sorted, "ORD04", "reordered", explains=SOMETIMES)(
    bug="Messages from before this century come first.",
    rank=lambda self, message: message.created_at.year >= 2001,
)
variant("by-local-time", Sorted, "ORD05", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by local time, without regard to the zone.",
    rank=lambda self, message: message.created_at.replace(tzinfo=None),
)
variant("by-day-of-zone", Sorted, "ORD05", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by the date in their own time zone.",
    rank=lambda self, message: message.created_at.date(),
)
variant("by-id", Sorted, "ORD06", "reordered", explains=ANYWHERE)(
    bug="Messages are sorted by id.", rank=lambda self, message: message.id
)
variant("by-number", Sorted, "ORD06", "reordered", explains=SOMETIMES)(
    bug="Messages whose ids are numbers are sorted by them.",
    rank=lambda self, message: int(message.id) if re.fullmatch("[0-9]{1,9}", message.id) else 0,
)
variant("by-content", Sorted, "ORD07", "reordered", explains=ANYWHERE)(
    bug="Messages of the same second are sorted by content, as in a sorted set.",
    rank=lambda self, message: (int(message.created_at.timestamp()), str(message.content)),
)


@specimen("repeats-gathered", "ORD07", "reordered", explains=SOMETIMES)
class RepeatsGathered(Sorted):
    bug = "A message that repeats an earlier one is placed beside it."

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        words = [repr(each.content) for each in messages]
        return sorted(messages, key=lambda each: words.index(repr(each.content)))


@specimen("three-digits", "ORD08", "reordered", explains="FID LIV TRM DUR")
class ThreeDigits(Sorted):
    bug = "Messages are numbered with three digits and sorted as text, which fails after 999."

    digits = 3

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        numbered = {f"{at:0{self.digits}d}": each for at, each in enumerate(messages, 1)}
        return [numbered[number] for number in sorted(numbered)]


variant("numbered-as-text", ThreeDigits, "ORD08", "reordered", explains=ANYWHERE)(
    bug="Messages are numbered, and the numbers are sorted as text: 1, 10, 2.", digits=1
)
variant("one-page", Reference, "ORD08", "lost", explains="FID LIV TRM DUR")(
    bug="A history ends after a page of a thousand messages.",
    bodies=lambda self, session_id: Reference.bodies(self, session_id)[:1000],
)


@specimen("entries-capped", "ORD08", "lost", explains="LIV DUR CON")
class EntriesCapped(Reference):
    bug = "A session keeps the newest three hundred entries, one for each call."
    tables = (
        "CREATE TABLE IF NOT EXISTS entries (n INTEGER PRIMARY KEY, session BLOB, first INTEGER)"
    )

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        super().add_messages(session_id, messages)
        for message in messages[:1]:
            self.db.execute(
                "INSERT INTO entries (session, first) "
                "SELECT session, n FROM messages WHERE session = ? AND id = ?",
                (self.key(session_id), self.message_key(message.id)),
            )

    def bodies(self, session_id: str) -> list[str]:
        left_out = self.column(
            "SELECT count(*) FROM messages WHERE session = ?1 AND n < (SELECT first FROM entries "
            "WHERE session = ?1 ORDER BY n DESC LIMIT 1 OFFSET 299)",
            self.key(session_id),
        )
        return super().bodies(session_id)[left_out[0] :]


variant("system-first", Sorted, "ORD09", "reordered", explains=SOMETIMES)(
    bug="System messages come first.", rank=lambda self, message: message.role != "system"
)
variant("by-role", Sorted, "ORD09", "reordered", explains=SOMETIMES)(
    bug="Messages are grouped by role.", rank=lambda self, message: message.role
)


@specimen("user-before-assistant", "ORD09", "reordered", explains=SOMETIMES)
class UserBeforeAssistant(Sorted):
    bug = "Messages are paired as question and answer, the user's first."

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        pairs = [messages[at : at + 2] for at in range(0, len(messages), 2)]
        turned = ["assistant", "user"]
        return [
            each
            for pair in pairs
            for each in (pair[::-1] if [one.role for one in pair] == turned else pair)
        ]


variant("results-by-call", Sorted, "ORD10", "reordered", explains=SOMETIMES)(
    bug="The results of several tools are sorted by the id of the call.",
    in_order=lambda self, messages: [
        message
        for _, run in groupby(messages, lambda each: each.role == "tool")
        for message in sorted(run, key=lambda each: each.tool_call_id or "")
    ],
)
variant("results-at-the-end", Sorted, "ORD10", "reordered", explains=SOMETIMES)(
    bug="Tool results are kept in a table of their own, and read last.",
    rank=lambda self, message: message.role == "tool",
)


class Limited(Reference):
    """A correct store, except for what it returns for ``last``."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        """Return the last few bodies."""
        return bodies[max(0, len(bodies) - last) :]

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 0:
            return super().get_history(session_id, last=last)
        return self.decode(self.newest(self.bodies(session_id), last))


variant("last-is-first", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` returns the oldest messages.", newest=lambda self, bodies, last: bodies[:last]
)
variant("last-reversed", Limited, "ORD11", "reordered", explains=READERS)(
    bug="``last`` returns the newest message first.",
    newest=lambda self, bodies, last: bodies[::-1][:last],
)
variant("last-and-one", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` returns one more than asked for, like LRANGE with -n - 1.",
    newest=lambda self, bodies, last: bodies[-last - 1 :] if last else [],
)
variant("last-but-one", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` leaves out the newest message.",
    newest=lambda self, bodies, last: bodies[-last - 1 : -1] if last else [],
)
variant("last-ignored", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` is accepted and ignored.",
    newest=lambda self, bodies, last: bodies if last else [],
)
variant("last-in-pairs", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` counts turns of two messages.",
    newest=lambda self, bodies, last: Limited.newest(self, bodies, last * 2),
)
variant("last-wraps-around", Limited, "ORD12", "wrong", explains=READERS)(
    bug="A ``last`` beyond the beginning becomes a negative index.",
    newest=lambda self, bodies, last: bodies[len(bodies) - last :],
)
variant("last-in-range", Limited, "ORD12", "refused", explains=READERS)(
    bug="A ``last`` beyond the beginning raises an IndexError.",
    newest=lambda self, bodies, last: [
        bodies[len(bodies) - number] for number in range(last, 0, -1) if bodies[-number]
    ],
)


@specimen("last-at-most-100", "ORD12", "refused", explains=READERS)
class LastAtMost100(Limited):
    bug = "A ``last`` above a hundred is refused, as a provider's API refuses it."

    def newest(self, bodies: list[str], last: int) -> list[str]:
        if last > 100:
            raise ValueError("limit must be between 0 and 100")
        return super().newest(bodies, last)


variant("last-zero-is-all", Limited, "ORD13", "wrong", explains=READERS)(
    bug="``last=0`` returns everything: bodies[-0:].",
    newest=lambda self, bodies, last: bodies[-last:],
)
variant("last-zero-is-one", Limited, "ORD13", "wrong", explains=READERS)(
    bug="``last=0`` returns one message, because the limit is checked after each.",
    newest=lambda self, bodies, last: Limited.newest(self, bodies, max(1, last)),
)


@specimen("last-zero-refused", "ORD13", "refused", explains=READERS)
class LastZeroRefused(Limited):
    bug = "``last=0`` raises an error."

    def newest(self, bodies: list[str], last: int) -> list[str]:
        if last == 0:
            raise ValueError("limit must be positive")
        return super().newest(bodies, last)


variant("negative-last-is-all", Reference, "ORD14", "wrong", explains=READERS)(
    bug="A negative ``last`` returns everything, like a negative LIMIT in SQLite.",
    get_history=lambda self, session_id, *, last=None: Reference.get_history(
        self, session_id, last=None if last is not None and last < 0 else last
    ),
)


@specimen("negative-last-slices", "ORD14", "wrong", explains=READERS)
class NegativeLastSlices(Reference):
    bug = "A negative ``last`` leaves out the oldest: bodies[-last:]."

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is not None and last < 0:
            return super().get_history(session_id)[-last:]
        return super().get_history(session_id, last=last)


@specimen("last-cached", "ORD15", "stale", explains=READERS)
class LastCached(Limited):
    bug = "A read with ``last`` returns what the same read returned before."

    def set_up(self) -> None:
        self.cache: dict[tuple[str, int], list[Any]] = {}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 1 or not self.bodies(session_id):
            return super().get_history(session_id, last=last)
        if (session_id, last) not in self.cache:
            self.cache[session_id, last] = super().get_history(session_id, last=last)
        return list(self.cache[session_id, last])


@specimen("counter-of-the-process", "ORD16", "reordered", explains=ANYWHERE)
class CounterOfTheProcess(Placed):
    bug = "Messages are numbered by a counter that restarts with each opening."

    count = 0

    def places(self, session_id: str, count: int) -> range:
        self.count += count
        return range(self.count - count, self.count)


@specimen("old-after-new", "ORD16", "reordered", explains=ANYWHERE)
class OldAfterNew(Reference):
    bug = "Messages that were there at the opening are read after those added since."

    def set_up(self) -> None:
        (newest,) = self.column("SELECT COALESCE(MAX(n), 0) FROM messages")
        self.order = f"n <= {newest}, n"


@specimen("readers-differ", "ORD17", "reordered", explains=ANYWHERE)
class ReadersDiffer(Sorted):
    bug = "An opening that has not written reads the newest message first."

    wrote = False

    def insert(self, session_id: str, rows: Rows) -> None:
        self.wrote = True
        super().insert(session_id, rows)

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return messages if self.wrote else messages[::-1]


@specimen("reader-cache", "ORD17", "stale", explains=ANYWHERE)
class ReaderCache(Reference):
    bug = "An opening reads sessions that it has not written from its cache."

    def set_up(self) -> None:
        self.cache: dict[str, list[str]] = {}
        self.own: set[str] = set()

    def insert(self, session_id: str, rows: Rows) -> None:
        self.own.add(session_id)
        super().insert(session_id, rows)

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        if session_id in self.own or not found:
            return found
        return self.cache.setdefault(session_id, found)


@specimen("counter-of-the-session", "ORD18", "reordered", explains=ANYWHERE)
class CounterOfTheSession(Placed):
    bug = "Messages are numbered by a counter that restarts when another session is written."

    session, count = "", 0

    def places(self, session_id: str, count: int) -> range:
        begin = self.count if session_id == self.session else 0
        self.session, self.count = session_id, begin + count
        return range(begin, self.count)
