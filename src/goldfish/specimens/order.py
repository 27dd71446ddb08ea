"""Stores that give back another order than that of the writes, or count ``last`` wrongly."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.sqlite import Reference

# A store that mixes up ordinary histories fails wherever several messages are read.
ANYWHERE = "ISO DUP DUR FID TRM CLR TTL LIV CON SNP FLT"
# One that mixes up unusual ones fails where a check happens to use such messages.
SOMETIMES = "DUP FID TRM CLR TTL SNP"
# Checks of every family may read by ``last``, to see whether it agrees with the rest.
READERS = "ISO FID TRM CLR TTL DUR LIV SNP"


class Sorted(Reference):
    """A correct store, but for the order in which it hands out messages."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return messages

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is not None and last < 0:
            raise ValueError("last must not be negative")
        messages = self.in_order(self.decode(self.bodies(session_id)))
        return messages if last is None else messages[max(0, len(messages) - last) :]


class Placed(Reference):
    """A correct store, but for the place that it gives to a new message."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        with suppress(sqlite3.OperationalError):  # an earlier opening has added it
            self.db.execute("ALTER TABLE messages ADD COLUMN place INTEGER")

    def places(self, session_id: str, count: int) -> range:
        """The numbers of that many new messages."""
        raise NotImplementedError

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        new = "UPDATE messages SET place = ? WHERE n = last_insert_rowid() AND place IS NULL"
        for row, place in zip(rows, self.places(session_id, len(rows)), strict=True):
            super().insert(session_id, [row])
            self.db.execute(new, (place,))

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        query = "SELECT body FROM messages WHERE session = ? ORDER BY place, n"
        return [body for (body,) in self.db.execute(query, (self.key(session_id),))]


variant("batch-reversed", Reference, "ORD01", "reordered", explains=ANYWHERE)(
    bug="The messages of a batch are stored last first, as by LPUSH.",
    insert=lambda self, session_id, rows: Reference.insert(self, session_id, rows[::-1]),
)
variant("batch-as-set", Reference, "ORD01", "reordered", explains=ANYWHERE)(
    bug="A batch is made free of duplicates by a set, which has no order.",
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
    bug = "A new batch is put before the earlier ones."

    def places(self, session_id: str, count: int) -> range:
        query = "SELECT MIN(place) FROM messages WHERE session = ?"
        first = self.db.execute(query, (self.key(session_id),)).fetchone()[0] or 0
        return range(first - count, first)


variant("ties-reversed", Sorted, "ORD03", "reordered", explains=SOMETIMES)(
    bug="Among messages with one time, the newest comes first.",
    in_order=lambda self, messages: [
        message
        for group in [list(group) for _, group in groupby(messages, lambda each: each.created_at)]
        for message in group[::-1]
    ],
)
variant("ties-by-id", Sorted, "ORD03", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by time and, if that is the same, by id.",
    in_order=lambda self, messages: sorted(
        messages, key=lambda each: (each.created_at, each.id[::-1])
    ),
)
variant("by-time", Sorted, "ORD04", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by the time that they carry.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.created_at),
)
variant("ancient-first", Sorted, "ORD04", "reordered", explains=SOMETIMES)(
    bug="Messages from before this century are moved to the beginning.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.created_at.year >= 2001),
)
variant("by-local-time", Sorted, "ORD05", "reordered", explains=SOMETIMES)(
    bug="Messages are sorted by the hands of the clock, without regard to the zone.",
    in_order=lambda self, messages: sorted(
        messages, key=lambda each: each.created_at.replace(tzinfo=None)
    ),
)
variant("by-day-of-zone", Sorted, "ORD05", "reordered", explains=SOMETIMES)(
    bug="Messages are filed by the day that it is where they were written.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.created_at.date()),
)
variant("by-id", Sorted, "ORD06", "reordered", explains=ANYWHERE)(
    bug="Messages are sorted by id.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.id),
)
variant("by-number", Sorted, "ORD06", "reordered", explains=SOMETIMES)(
    bug="Messages whose ids are numbers are sorted by them.",
    in_order=lambda self, messages: sorted(
        messages,
        key=lambda each: (
            int(each.id) if len(each.id) < 10 and each.id.isascii() and each.id.isdigit() else 0
        ),
    ),
)
variant("by-content", Sorted, "ORD07", "reordered", explains=ANYWHERE)(
    bug="Messages of one second are sorted by what they say, as in a sorted set.",
    in_order=lambda self, messages: sorted(
        messages, key=lambda each: (int(each.created_at.timestamp()), str(each.content))
    ),
)


@specimen("repeats-gathered", "ORD07", "reordered", explains=SOMETIMES)
class RepeatsGathered(Sorted):
    bug = "A message that repeats an earlier one is put beside it."

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        words = [repr(each.content) for each in messages]
        return sorted(messages, key=lambda each: words.index(repr(each.content)))


@specimen("numbered-as-text", "ORD08", "reordered", explains=ANYWHERE)
class NumberedAsText(Sorted):
    bug = "Messages are numbered, and the numbers sorted as text: 1, 10, 2."

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        numbered = {str(number): message for number, message in enumerate(messages, 1)}
        return [numbered[number] for number in sorted(numbered)]


@specimen("three-digits", "ORD08", "reordered", explains="FID LIV TRM DUR")
class ThreeDigits(Sorted):
    bug = "Messages are numbered with three digits, and sorted as text beyond them."

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        numbered = {f"{number:03d}": message for number, message in enumerate(messages)}
        return [numbered[number] for number in sorted(numbered)]


variant("one-page", Reference, "ORD08", "lost", explains="FID LIV TRM DUR")(
    bug="A history ends after a page of a thousand.",
    bodies=lambda self, session_id: Reference.bodies(self, session_id)[:1000],
)
variant("system-first", Sorted, "ORD09", "reordered", explains=SOMETIMES)(
    bug="System messages are moved to the beginning.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.role != "system"),
)
variant("by-role", Sorted, "ORD09", "reordered", explains=SOMETIMES)(
    bug="Messages are grouped by role.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.role),
)


@specimen("user-before-assistant", "ORD09", "reordered", explains=SOMETIMES)
class UserBeforeAssistant(Sorted):
    bug = "Messages are paired as question and answer, the user's first."

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        ordered = list(messages)
        for at in range(len(ordered) - 1):
            if [each.role for each in ordered[at : at + 2]] == [
                "assistant",
                "user",
            ] and at % 2 == 0:
                ordered[at : at + 2] = ordered[at : at + 2][::-1]
        return ordered


variant("results-by-call", Sorted, "ORD10", "reordered", explains=SOMETIMES)(
    bug="The results of several tools are sorted by the id of the call.",
    in_order=lambda self, messages: [
        each
        for run in [list(group) for _, group in groupby(messages, lambda each: each.role == "tool")]
        for each in sorted(run, key=lambda one: one.tool_call_id or "")
    ],
)
variant("results-at-the-end", Sorted, "ORD10", "reordered", explains=SOMETIMES)(
    bug="Tool results are kept in a table of their own, and read after the messages.",
    in_order=lambda self, messages: sorted(messages, key=lambda each: each.role == "tool"),
)


class Limited(Reference):
    """A correct store, but for what it gives for ``last``."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[max(0, len(bodies) - last) :]

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 0:
            return super().get_history(session_id, last=last)
        return self.decode(self.newest(self.bodies(session_id), last))


variant("last-is-first", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` gives the oldest messages.", newest=lambda self, bodies, last: bodies[:last]
)
variant("last-reversed", Limited, "ORD11", "reordered", explains=READERS)(
    bug="``last`` gives the newest messages, newest first.",
    newest=lambda self, bodies, last: bodies[::-1][:last],
)
variant("last-and-one", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` gives one more than asked for, as LRANGE with -n - 1 does.",
    newest=lambda self, bodies, last: bodies[-last - 1 :] if last else [],
)
variant("last-but-one", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` leaves out the newest message.",
    newest=lambda self, bodies, last: bodies[-last - 1 : -1] if last else [],
)
variant("last-ignored", Limited, "ORD11", "wrong", explains=READERS)(
    bug="``last`` is taken and not looked at.",
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
    bug="A ``last`` beyond the beginning is an error.",
    newest=lambda self, bodies, last: [
        bodies[len(bodies) - number] for number in range(last, 0, -1) if bodies[-number]
    ],
)


@specimen("last-at-most-100", "ORD12", "refused", explains=READERS)
class LastAtMost100(Limited):
    bug = "A ``last`` above a hundred is refused, as by the interface of a provider."

    def newest(self, bodies: list[str], last: int) -> list[str]:
        if last > 100:
            raise ValueError("limit must be between 0 and 100")
        return super().newest(bodies, last)


variant("last-zero-is-all", Limited, "ORD13", "wrong", explains=READERS)(
    bug="``last=0`` gives everything: bodies[-0:].",
    newest=lambda self, bodies, last: bodies[-last:],
)
variant("last-zero-is-one", Limited, "ORD13", "wrong", explains=READERS)(
    bug="``last=0`` gives one message, because the limit is looked at after each.",
    newest=lambda self, bodies, last: Limited.newest(self, bodies, max(1, last)),
)


@specimen("last-zero-refused", "ORD13", "refused", explains=READERS)
class LastZeroRefused(Limited):
    bug = "``last=0`` is an error."

    def newest(self, bodies: list[str], last: int) -> list[str]:
        if last == 0:
            raise ValueError("limit must be positive")
        return super().newest(bodies, last)


variant("negative-last-is-all", Reference, "ORD14", "wrong", explains=READERS)(
    bug="A negative ``last`` gives everything, as a negative LIMIT does in SQLite.",
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
    bug = "What ``last`` gave once, it gives again."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.cache: dict[tuple[str, int], list[Any]] = {}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 1 or not self.bodies(session_id):
            return super().get_history(session_id, last=last)
        if (session_id, last) not in self.cache:
            self.cache[session_id, last] = super().get_history(session_id, last=last)
        return list(self.cache[session_id, last])


@specimen("counter-of-the-process", "ORD16", "reordered", explains=ANYWHERE)
class CounterOfTheProcess(Placed):
    bug = "Messages are numbered by a counter that begins again with each opening."

    count = 0

    def places(self, session_id: str, count: int) -> range:
        self.count += count
        return range(self.count - count, self.count)


@specimen("old-after-new", "ORD16", "reordered", explains=ANYWHERE)
class OldAfterNew(Reference):
    bug = "What was there at the opening is read after what was added since."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        query = "SELECT MAX(n) FROM messages"
        self.oldest = self.db.execute(query).fetchone()[0] or 0

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        query = "SELECT body FROM messages WHERE session = ? ORDER BY n <= ?, n"
        return [body for (body,) in self.db.execute(query, (self.key(session_id), self.oldest))]


@specimen("readers-differ", "ORD17", "reordered", explains=ANYWHERE)
class ReadersDiffer(Sorted):
    bug = "Who has not written reads the newest first."

    wrote = False

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.wrote = True
        super().insert(session_id, rows)

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return messages if self.wrote else messages[::-1]


@specimen("reader-cache", "ORD17", "stale", explains=ANYWHERE)
class ReaderCache(Reference):
    bug = "What an opening has read and not written itself, it reads from its cache."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.cache: dict[str, list[str]] = {}
        self.own: set[str] = set()

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.own.add(session_id)
        super().insert(session_id, rows)

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        if session_id in self.own or not found:
            return found
        return self.cache.setdefault(session_id, found)


@specimen("counter-of-the-session", "ORD18", "reordered", explains=ANYWHERE)
class CounterOfTheSession(Placed):
    bug = "Messages are numbered by a counter that begins again when another session is written."

    session, count = "", 0

    def places(self, session_id: str, count: int) -> range:
        begin = self.count if session_id == self.session else 0
        self.session, self.count = session_id, begin + count
        return range(begin, self.count)
