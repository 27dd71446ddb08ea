"""Stores that trim too much, too little, or the wrong thing."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.references.sqlite import Reference

CLOCK = "json_extract(body, '$.created_at')"


class Doomed(Reference):
    """A store that trims by a query for what must go, which its children get wrong."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        """The numbers of the messages to remove."""
        numbers = self.numbers(session_id)
        return numbers[: max(0, len(numbers) - keep_last)]

    def numbers(self, session_id: str, order: str = "n") -> list[int]:
        """The numbers of the session's messages, oldest first."""
        query = f"SELECT n FROM messages WHERE session = ? ORDER BY {order}"
        return [n for (n,) in self.db.execute(query, (self.key(session_id),))]

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        doomed = self.doomed(session_id, keep_last)
        self.db.execute("BEGIN IMMEDIATE")
        self.remove(session_id, doomed)
        self.db.execute("COMMIT")
        return len(doomed)

    def remove(self, session_id: str, doomed: list[int]) -> None:
        """Remove these messages of the session."""
        self.db.executemany("DELETE FROM messages WHERE n = ?", [(n,) for n in doomed])


@specimen("trim-keeps-the-oldest", caught_by="TRM01", finding="lost", explains=("CLR", "DUR"))
class TrimKeepsTheOldest(Doomed):
    """A trim takes the newest messages and leaves the oldest."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        return self.numbers(session_id)[keep_last:]


@specimen("trim-keeps-one-more", caught_by="TRM01", finding="wrong", explains=("CLR", "DUR"))
class TrimKeepsOneMore(Doomed):
    """A trim keeps one message too many."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        return super().doomed(session_id, keep_last + 1 if keep_last else 0)


@specimen("trim-keeps-one-less", caught_by="TRM01", finding="lost", explains=("CLR", "DUR"))
class TrimKeepsOneLess(Doomed):
    """A trim keeps one message too few."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        return super().doomed(session_id, max(0, keep_last - 1))


@specimen("trim-does-nothing", caught_by="TRM01", finding="wrong", explains=("CLR", "DUR"))
class TrimDoesNothing(Doomed):
    """A trim counts what it should remove and forgets to remove it."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        return len(self.doomed(session_id, keep_last))


@specimen("trim-goes-by-turns", caught_by="TRM01", finding="wrong", explains=("DUR",))
class TrimGoesByTurns(Doomed):
    """A trim removes whole turns of two, and keeps one message more where the number is odd."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        exact = super().doomed(session_id, keep_last)
        return exact[: len(exact) // 2 * 2] if keep_last else exact


@specimen("trim-reverses", caught_by="TRM01", finding="reordered", explains=("CLR", "DUR"))
class TrimReverses(Doomed):
    """A trim reads the newest first, and writes what it keeps back in that order."""

    def remove(self, session_id: str, doomed: list[int]) -> None:
        super().remove(session_id, doomed)
        numbers = self.numbers(session_id) if doomed else []
        turned = list(zip(numbers, reversed(numbers), strict=True))
        self.db.executemany("UPDATE messages SET n = -? WHERE n = ?", turned)
        self.db.execute("UPDATE messages SET n = -n WHERE n < 0")


@specimen("trim-says-what-is-left", caught_by="TRM02", finding="wrong")
class TrimSaysWhatIsLeft(Doomed):
    """A trim returns how many messages it kept."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        super().trim(session_id, keep_last=keep_last)
        return len(self.numbers(session_id))


@specimen("trim-says-nothing", caught_by="TRM02", finding="wrong")
class TrimSaysNothing(Reference):
    """A trim returns None."""

    def trim(self, session_id: str, *, keep_last: int) -> Any:
        super().trim(session_id, keep_last=keep_last)


@specimen("trim-says-what-it-would", caught_by="TRM02", finding="wrong")
class TrimSaysWhatItWould(Doomed):
    """A trim returns length minus keep_last, which is negative where there is nothing to do."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        excess = len(self.numbers(session_id)) - keep_last
        super().trim(session_id, keep_last=keep_last)
        return excess


@specimen("trim-to-zero-keeps-all", caught_by="TRM03", finding="wrong")
class TrimToZeroKeepsAll(Doomed):
    """Zero is taken for no limit: a slice of [:-0] is empty."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        return super().doomed(session_id, keep_last) if keep_last else []


@specimen("trim-beyond-empties", caught_by="TRM04", finding="lost")
class TrimBeyondEmpties(Reference):
    """The oldest (count - keep_last) rows go, and a negative LIMIT means all of them."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        key = self.key(session_id)
        query = "SELECT COUNT(*) FROM messages WHERE session = ?"
        (count,) = self.db.execute(query, (key,)).fetchone()
        oldest = "SELECT n FROM messages WHERE session = ? ORDER BY n LIMIT ?"
        return self.db.execute(
            f"DELETE FROM messages WHERE n IN ({oldest})", (key, count - keep_last)
        ).rowcount


@specimen("trim-beyond-raises", caught_by="TRM04", finding="refused")
class TrimBeyondRaises(Doomed):
    """A trim to more messages than there are raises an IndexError."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        if keep_last > len(numbers := self.numbers(session_id)) > 0:
            raise IndexError("keep_last out of range")
        return numbers[: max(0, len(numbers) - keep_last)]


@specimen("trim-unknown-raises", caught_by="TRM05", finding="refused", explains=("LIV",))
class TrimUnknownRaises(Doomed):
    """A trim of a session without messages raises a KeyError."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if not self.numbers(session_id):
            raise KeyError(session_id)
        return super().trim(session_id, keep_last=keep_last)


@specimen("trim-blocks-the-session", caught_by="TRM05", finding="lost")
class TrimBlocksTheSession(Reference):
    """A trim to nothing of a session without messages leaves a mark that it is finished."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.finished: set[str] = set()

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if not self.bodies(session_id):
            self.finished.add(session_id)
        return super().trim(session_id, keep_last=keep_last)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        first = super().get_history(session_id, last=last)
        return [] if len(first) == 1 and session_id in self.finished else first


@specimen("trim-by-prefix", caught_by="TRM06", finding="lost")
class TrimByPrefix(Doomed):
    """A trim takes in every session whose id begins with the one that is named."""

    def numbers(self, session_id: str, order: str = "n") -> list[int]:
        key = self.key(session_id)
        query = f"SELECT n FROM messages WHERE substr(session, 1, ?) = ? ORDER BY {order}"
        return [n for (n,) in self.db.execute(query, (len(key), key))]


@specimen("trim-by-pattern", caught_by="TRM06", finding="lost")
class TrimByPattern(Doomed):
    """A trim compares session ids with LIKE, where % and _ match anything."""

    def numbers(self, session_id: str, order: str = "n") -> list[int]:
        query = f"SELECT n FROM messages WHERE CAST(session AS TEXT) LIKE ? ORDER BY {order}"
        return [n for (n,) in self.db.execute(query, (session_id,))]


@specimen("trim-everybody", caught_by="TRM06", finding="lost")
class TrimEverybody(Doomed):
    """A trim keeps the newest messages of the whole table."""

    def numbers(self, session_id: str, order: str = "n") -> list[int]:
        return [n for (n,) in self.db.execute(f"SELECT n FROM messages ORDER BY {order}")]


@specimen("numbered-by-count", caught_by="TRM07", finding="reordered", explains=("CLR",))
class NumberedByCount(Reference):
    """A message's number is the count of those there are, so that after a trim it comes first."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        key = self.key(session_id)
        for name, body in rows:
            (count,) = self.db.execute(
                "SELECT COUNT(*) FROM messages WHERE session = ?", (key,)
            ).fetchone()
            self.db.execute(
                "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)",
                (self.free(key, count), key, self.key(name), body),
            )

    def free(self, key: bytes, count: int) -> int:
        """The first free number at or below this count, in a range of the session's own."""
        number = zlib.crc32(key) * 1_000_000 + 500_000 + count
        while self.db.execute("SELECT 1 FROM messages WHERE n = ?", (number,)).fetchone():
            number -= 1
        return number


@specimen("trimmed-come-back", caught_by="TRM08", finding="resurrected", explains=("DUR",))
class TrimmedComeBack(Doomed):
    """Trimmed messages are hidden by the opening that trimmed, and stay in the table."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.hidden: set[int] = set()

    def numbers(self, session_id: str, order: str = "n") -> list[int]:
        return [n for n in super().numbers(session_id, order) if n not in self.hidden]

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        doomed = self.doomed(session_id, keep_last)
        self.hidden.update(doomed)
        return len(doomed)

    def bodies(self, session_id: str) -> list[str]:
        shown = "SELECT body FROM messages WHERE n = ?"
        numbers = [] if self.expired(session_id) else self.numbers(session_id)
        return [body for n in numbers for (body,) in self.db.execute(shown, (n,))]

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if self.bodies(name)]

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        marks = [(self.key(session_id), self.key(name)) for name, _ in rows]
        found = "SELECT n FROM messages WHERE session = ? AND id = ?"
        for mark in marks:
            for (n,) in self.db.execute(found, mark).fetchall():
                if n in self.hidden:  # said again, it is a message like any other
                    self.db.execute("DELETE FROM messages WHERE n = ?", (n,))
        super().insert(session_id, rows)


@specimen("trim-takes-one-each-time", caught_by="TRM09", finding="lost")
class TrimTakesOneEachTime(Doomed):
    """A trim drops the oldest message before it counts."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        exact = super().doomed(session_id, keep_last)
        numbers = self.numbers(session_id)
        return exact or (numbers[:1] if len(numbers) == keep_last else [])


@specimen("trim-negative-takes-all", caught_by="TRM10", finding="wrong")
class TrimNegativeTakesAll(Reference):
    """A negative number is taken for zero."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        return super().trim(session_id, keep_last=max(0, keep_last))


@specimen("trim-negative-from-the-end", caught_by="TRM10", finding="wrong")
class TrimNegativeFromTheEnd(Doomed):
    """A negative number reaches a slice, where it counts from the other end."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last >= 0:
            return super().trim(session_id, keep_last=keep_last)
        doomed = self.numbers(session_id)[:-keep_last]
        self.db.executemany("DELETE FROM messages WHERE n = ?", [(n,) for n in doomed])
        return len(doomed)


@specimen("trimmed-ids-are-banned", caught_by="TRM11", finding="lost")
class TrimmedIdsAreBanned(Doomed):
    """The ids of trimmed messages are kept as seen, and adding one again does nothing."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.db.execute("CREATE TABLE IF NOT EXISTS seen (session BLOB, id BLOB)")

    def remove(self, session_id: str, doomed: list[int]) -> None:
        self.db.executemany(
            "INSERT INTO seen SELECT session, id FROM messages WHERE n = ?",
            [(n,) for n in doomed],
        )
        super().remove(session_id, doomed)

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT id FROM seen WHERE session = ?"
        seen = {name for (name,) in self.db.execute(query, (self.key(session_id),))}
        super().insert(session_id, [row for row in rows if self.key(row[0]) not in seen])


@specimen("trim-by-the-clock", caught_by="TRM12", finding="lost")
class TrimByTheClock(Doomed):
    """A trim keeps the messages with the latest created_at."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        numbers = self.numbers(session_id, CLOCK)
        return numbers[: max(0, len(numbers) - keep_last)]


@specimen("trim-by-id", caught_by="TRM12", finding="lost")
class TrimById(Doomed):
    """A trim breaks ties of created_at by the id."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        numbers = self.numbers(session_id, f"{CLOCK}, id")
        return numbers[: max(0, len(numbers) - keep_last)]


@specimen("trim-loses-metadata", caught_by="TRM13", finding="corrupted")
class TrimLosesMetadata(Doomed):
    """A trim writes what it keeps again, and forgets the metadata."""

    def remove(self, session_id: str, doomed: list[int]) -> None:
        super().remove(session_id, doomed)
        self.db.execute(
            "UPDATE messages SET body = json_remove(body, '$.metadata') WHERE session = ?",
            (self.key(session_id),),
        )


@specimen("trim-stops-at-a-thousand", caught_by="TRM14", finding="wrong")
class TrimStopsAtAThousand(Doomed):
    """One call removes a thousand messages at most."""

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        return super().doomed(session_id, keep_last)[:1_000]


@specimen("last-counts-the-trimmed", caught_by="TRM15", finding="lost")
class LastCountsTheTrimmed(Reference):
    """The last few are counted from a total that trims do not lower."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.trimmed: dict[str, int] = {}

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        self.trimmed[session_id] = self.trimmed.get(session_id, 0) + removed
        return removed

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if last is None or last < 0:
            return super().get_history(session_id, last=last)
        bodies = self.bodies(session_id)
        total = len(bodies) + self.trimmed.get(session_id, 0)
        return self.decode(bodies[max(0, total - last) :])


@specimen("trim-by-words", caught_by="TRM16", finding="lost")
class TrimByWords(Doomed):
    """A trim removes every message that says the same as an old one."""

    def remove(self, session_id: str, doomed: list[int]) -> None:
        old = {self.words(n) for n in doomed}
        twins = [n for n in self.numbers(session_id) if self.words(n) in old]
        super().remove(session_id, twins)

    def words(self, n: int) -> str:
        query = "SELECT body FROM messages WHERE n = ?"
        (body,) = self.db.execute(query, (n,)).fetchone()
        return json.dumps(json.loads(body)["content"])


@specimen("trim-drops-a-twin", caught_by="TRM16", finding="lost")
class TrimDropsATwin(Reference):
    """A trim keeps a message only once if its words are said twice."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        newest = "SELECT MAX(n) FROM messages WHERE session = ? GROUP BY json_extract(body, ?)"
        self.db.execute(
            f"DELETE FROM messages WHERE session = ? AND n NOT IN ({newest})",
            (self.key(session_id), self.key(session_id), "$.content"),
        )
        return removed
