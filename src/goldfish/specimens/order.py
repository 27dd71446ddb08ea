"""Stores that give back another order than that of the writes, or count ``last`` wrongly."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.references.sqlite import Reference

# A store that mixes up ordinary histories fails wherever several messages are read.
ANYWHERE = ("ISO", "DUP", "DUR", "FID", "TRM", "CLR", "TTL", "LIV", "CON", "SNP", "FLT")
# One that mixes up unusual ones fails where a check happens to use such messages.
SOMETIMES = ("DUP", "FID", "TRM", "CLR", "TTL", "SNP")
# Checks of every family may read by ``last``, to see whether it agrees with the rest.
READERS = ("ISO", "FID", "TRM", "CLR", "TTL", "DUR", "LIV", "SNP")


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


@specimen("batch-reversed", caught_by="ORD01", finding="reordered", explains=ANYWHERE)
class BatchReversed(Reference):
    """The messages of a batch are stored last first, as by LPUSH."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, rows[::-1])


@specimen("batch-as-set", caught_by="ORD01", finding="reordered", explains=ANYWHERE)
class BatchAsSet(Reference):
    """A batch is made free of duplicates by a set, which has no order."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, sorted(set(rows), key=lambda row: row[0][::-1]))


@specimen("newest-first", caught_by="ORD02", finding="reordered", explains=ANYWHERE)
class NewestFirst(Sorted):
    """The history begins with the newest message."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return messages[::-1]


@specimen("new-batch-first", caught_by="ORD02", finding="reordered", explains=ANYWHERE)
class NewBatchFirst(Placed):
    """A new batch is put before the earlier ones."""

    def places(self, session_id: str, count: int) -> range:
        query = "SELECT MIN(place) FROM messages WHERE session = ?"
        first = self.db.execute(query, (self.key(session_id),)).fetchone()[0] or 0
        return range(first - count, first)


@specimen("ties-reversed", caught_by="ORD03", finding="reordered", explains=SOMETIMES)
class TiesReversed(Sorted):
    """Among messages with one time, the newest comes first."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        ties = [list(group) for _, group in groupby(messages, lambda each: each.created_at)]
        return [message for group in ties for message in group[::-1]]


@specimen("ties-by-id", caught_by="ORD03", finding="reordered", explains=SOMETIMES)
class TiesById(Sorted):
    """Messages are sorted by time and, if that is the same, by id."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: (each.created_at, each.id[::-1]))


@specimen("by-time", caught_by="ORD04", finding="reordered", explains=SOMETIMES)
class ByTime(Sorted):
    """Messages are sorted by the time that they carry."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.created_at)


@specimen("ancient-first", caught_by="ORD04", finding="reordered", explains=SOMETIMES)
class AncientFirst(Sorted):
    """Messages from before this century are moved to the beginning."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.created_at.year >= 2001)


@specimen("by-local-time", caught_by="ORD05", finding="reordered", explains=SOMETIMES)
class ByLocalTime(Sorted):
    """Messages are sorted by the hands of the clock, without regard to the zone."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.created_at.replace(tzinfo=None))


@specimen("by-day-of-zone", caught_by="ORD05", finding="reordered", explains=SOMETIMES)
class ByDayOfZone(Sorted):
    """Messages are filed by the day that it is where they were written."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.created_at.date())


@specimen("by-id", caught_by="ORD06", finding="reordered", explains=ANYWHERE)
class ById(Sorted):
    """Messages are sorted by id."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.id)


@specimen("by-number", caught_by="ORD06", finding="reordered", explains=SOMETIMES)
class ByNumber(Sorted):
    """Messages whose ids are numbers are sorted by them."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(
            messages,
            key=lambda each: (
                int(each.id) if len(each.id) < 10 and each.id.isascii() and each.id.isdigit() else 0
            ),
        )


@specimen("by-content", caught_by="ORD07", finding="reordered", explains=ANYWHERE)
class ByContent(Sorted):
    """Messages of one second are sorted by what they say, as in a sorted set."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(
            messages, key=lambda each: (int(each.created_at.timestamp()), str(each.content))
        )


@specimen("repeats-gathered", caught_by="ORD07", finding="reordered", explains=SOMETIMES)
class RepeatsGathered(Sorted):
    """A message that repeats an earlier one is put beside it."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        words = [repr(each.content) for each in messages]
        return sorted(messages, key=lambda each: words.index(repr(each.content)))


@specimen("numbered-as-text", caught_by="ORD08", finding="reordered", explains=ANYWHERE)
class NumberedAsText(Sorted):
    """Messages are numbered, and the numbers sorted as text: 1, 10, 2."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        numbered = {str(number): message for number, message in enumerate(messages, 1)}
        return [numbered[number] for number in sorted(numbered)]


@specimen(
    "three-digits", caught_by="ORD08", finding="reordered", explains=("FID", "LIV", "TRM", "DUR")
)
class ThreeDigits(Sorted):
    """Messages are numbered with three digits, and sorted as text beyond them."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        numbered = {f"{number:03d}": message for number, message in enumerate(messages)}
        return [numbered[number] for number in sorted(numbered)]


@specimen("one-page", caught_by="ORD08", finding="lost", explains=("FID", "LIV", "TRM", "DUR"))
class OnePage(Reference):
    """A history ends after a page of a thousand."""

    def bodies(self, session_id: str) -> list[str]:
        return super().bodies(session_id)[:1000]


@specimen("system-first", caught_by="ORD09", finding="reordered", explains=SOMETIMES)
class SystemFirst(Sorted):
    """System messages are moved to the beginning."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.role != "system")


@specimen("by-role", caught_by="ORD09", finding="reordered", explains=SOMETIMES)
class ByRole(Sorted):
    """Messages are grouped by role."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.role)


@specimen("user-before-assistant", caught_by="ORD09", finding="reordered", explains=SOMETIMES)
class UserBeforeAssistant(Sorted):
    """Messages are paired as question and answer, the user's first."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        ordered = list(messages)
        for at in range(len(ordered) - 1):
            if [each.role for each in ordered[at : at + 2]] == [
                "assistant",
                "user",
            ] and at % 2 == 0:
                ordered[at : at + 2] = ordered[at : at + 2][::-1]
        return ordered


@specimen("results-by-call", caught_by="ORD10", finding="reordered", explains=SOMETIMES)
class ResultsByCall(Sorted):
    """The results of several tools are sorted by the id of the call."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        runs = [list(group) for _, group in groupby(messages, lambda each: each.role == "tool")]
        return [
            each for run in runs for each in sorted(run, key=lambda one: one.tool_call_id or "")
        ]


@specimen("results-at-the-end", caught_by="ORD10", finding="reordered", explains=SOMETIMES)
class ResultsAtTheEnd(Sorted):
    """Tool results are kept in a table of their own, and read after the messages."""

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return sorted(messages, key=lambda each: each.role == "tool")


class Limited(Reference):
    """A correct store, but for what it gives for ``last``."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[max(0, len(bodies) - last) :]

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 0:
            return super().get_history(session_id, last=last)
        return self.decode(self.newest(self.bodies(session_id), last))


@specimen("last-is-first", caught_by="ORD11", finding="wrong", explains=READERS)
class LastIsFirst(Limited):
    """``last`` gives the oldest messages."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[:last]


@specimen("last-reversed", caught_by="ORD11", finding="reordered", explains=READERS)
class LastReversed(Limited):
    """``last`` gives the newest messages, newest first."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[::-1][:last]


@specimen("last-and-one", caught_by="ORD11", finding="wrong", explains=READERS)
class LastAndOne(Limited):
    """``last`` gives one more than asked for, as LRANGE with -n - 1 does."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[-last - 1 :] if last else []


@specimen("last-but-one", caught_by="ORD11", finding="wrong", explains=READERS)
class LastButOne(Limited):
    """``last`` leaves out the newest message."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[-last - 1 : -1] if last else []


@specimen("last-ignored", caught_by="ORD11", finding="wrong", explains=READERS)
class LastIgnored(Limited):
    """``last`` is taken and not looked at."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies if last else []


@specimen("last-in-pairs", caught_by="ORD11", finding="wrong", explains=READERS)
class LastInPairs(Limited):
    """``last`` counts turns of two messages."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return super().newest(bodies, last * 2)


@specimen("last-wraps-around", caught_by="ORD12", finding="wrong", explains=READERS)
class LastWrapsAround(Limited):
    """A ``last`` beyond the beginning becomes a negative index."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[len(bodies) - last :]


@specimen("last-in-range", caught_by="ORD12", finding="refused", explains=READERS)
class LastInRange(Limited):
    """A ``last`` beyond the beginning is an error."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return [bodies[len(bodies) - number] for number in range(last, 0, -1) if bodies[-number]]


@specimen("last-at-most-100", caught_by="ORD12", finding="refused", explains=READERS)
class LastAtMost100(Limited):
    """A ``last`` above a hundred is refused, as by the interface of a provider."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        if last > 100:
            raise ValueError("limit must be between 0 and 100")
        return super().newest(bodies, last)


@specimen("last-zero-is-all", caught_by="ORD13", finding="wrong", explains=READERS)
class LastZeroIsAll(Limited):
    """``last=0`` gives everything: bodies[-0:]."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return bodies[-last:]


@specimen("last-zero-is-one", caught_by="ORD13", finding="wrong", explains=READERS)
class LastZeroIsOne(Limited):
    """``last=0`` gives one message, because the limit is looked at after each."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        return super().newest(bodies, max(1, last))


@specimen("last-zero-refused", caught_by="ORD13", finding="refused", explains=READERS)
class LastZeroRefused(Limited):
    """``last=0`` is an error."""

    def newest(self, bodies: list[str], last: int) -> list[str]:
        if last == 0:
            raise ValueError("limit must be positive")
        return super().newest(bodies, last)


@specimen("negative-last-is-all", caught_by="ORD14", finding="wrong", explains=READERS)
class NegativeLastIsAll(Reference):
    """A negative ``last`` gives everything, as a negative LIMIT does in SQLite."""

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        return super().get_history(session_id, last=None if last is not None and last < 0 else last)


@specimen("negative-last-slices", caught_by="ORD14", finding="wrong", explains=READERS)
class NegativeLastSlices(Reference):
    """A negative ``last`` leaves out the oldest: bodies[-last:]."""

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is not None and last < 0:
            return super().get_history(session_id)[-last:]
        return super().get_history(session_id, last=last)


@specimen("last-cached", caught_by="ORD15", finding="stale", explains=READERS)
class LastCached(Limited):
    """What ``last`` gave once, it gives again."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.cache: dict[tuple[str, int], list[Any]] = {}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 1 or not self.bodies(session_id):
            return super().get_history(session_id, last=last)
        if (session_id, last) not in self.cache:
            self.cache[session_id, last] = super().get_history(session_id, last=last)
        return list(self.cache[session_id, last])


@specimen("counter-of-the-process", caught_by="ORD16", finding="reordered", explains=ANYWHERE)
class CounterOfTheProcess(Placed):
    """Messages are numbered by a counter that begins again with each opening."""

    count = 0

    def places(self, session_id: str, count: int) -> range:
        self.count += count
        return range(self.count - count, self.count)


@specimen("old-after-new", caught_by="ORD16", finding="reordered", explains=ANYWHERE)
class OldAfterNew(Reference):
    """What was there at the opening is read after what was added since."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        query = "SELECT MAX(n) FROM messages"
        self.oldest = self.db.execute(query).fetchone()[0] or 0

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        query = "SELECT body FROM messages WHERE session = ? ORDER BY n <= ?, n"
        return [body for (body,) in self.db.execute(query, (self.key(session_id), self.oldest))]


@specimen("readers-differ", caught_by="ORD17", finding="reordered", explains=ANYWHERE)
class ReadersDiffer(Sorted):
    """Who has not written reads the newest first."""

    wrote = False

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.wrote = True
        super().insert(session_id, rows)

    def in_order(self, messages: list[ChatMessage]) -> list[ChatMessage]:
        return messages if self.wrote else messages[::-1]


@specimen("reader-cache", caught_by="ORD17", finding="stale", explains=ANYWHERE)
class ReaderCache(Reference):
    """What an opening has read and not written itself, it reads from its cache."""

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


@specimen("counter-of-the-session", caught_by="ORD18", finding="reordered", explains=ANYWHERE)
class CounterOfTheSession(Placed):
    """Messages are numbered by a counter that begins again when another session is written."""

    session, count = "", 0

    def places(self, session_id: str, count: int) -> range:
        begin = self.count if session_id == self.session else 0
        self.session, self.count = session_id, begin + count
        return range(begin, self.count)
