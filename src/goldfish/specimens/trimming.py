"""Stores that trim too much, too little, or the wrong thing."""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from goldfish.specimens import specimen, variant
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


variant("trim-keeps-the-oldest", Doomed, "TRM01", "lost", explains="CLR DUR")(
    bug="A trim takes the newest messages and leaves the oldest.",
    doomed=lambda self, session_id, keep_last: self.numbers(session_id)[keep_last:],
)
variant("trim-keeps-one-more", Doomed, "TRM01", "wrong", explains="CLR DUR")(
    bug="A trim keeps one message too many.",
    doomed=lambda self, session_id, keep_last: Doomed.doomed(
        self, session_id, keep_last + 1 if keep_last else 0
    ),
)
variant("trim-keeps-one-less", Doomed, "TRM01", "lost", explains="CLR DUR")(
    bug="A trim keeps one message too few.",
    doomed=lambda self, session_id, keep_last: Doomed.doomed(
        self, session_id, max(0, keep_last - 1)
    ),
)
variant("trim-does-nothing", Doomed, "TRM01", "wrong", explains="CLR DUR")(
    bug="A trim counts what it should remove and forgets to remove it.",
    trim=lambda self, session_id, *, keep_last: len(self.doomed(session_id, keep_last)),
)


@specimen("trim-goes-by-turns", "TRM01", "wrong", explains="DUR")
class TrimGoesByTurns(Doomed):
    bug = "A trim removes whole turns of two, and keeps one message more where the number is odd."

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        exact = super().doomed(session_id, keep_last)
        return exact[: len(exact) // 2 * 2] if keep_last else exact


@specimen("trim-reverses", "TRM01", "reordered", explains="CLR DUR")
class TrimReverses(Doomed):
    bug = "A trim reads the newest first, and writes what it keeps back in that order."

    def remove(self, session_id: str, doomed: list[int]) -> None:
        super().remove(session_id, doomed)
        numbers = self.numbers(session_id) if doomed else []
        turned = list(zip(numbers, reversed(numbers), strict=True))
        self.db.executemany("UPDATE messages SET n = -? WHERE n = ?", turned)
        self.db.execute("UPDATE messages SET n = -n WHERE n < 0")


@specimen("trim-says-what-is-left", "TRM02", "wrong")
class TrimSaysWhatIsLeft(Doomed):
    bug = "A trim returns how many messages it kept."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        super().trim(session_id, keep_last=keep_last)
        return len(self.numbers(session_id))


@specimen("trim-says-nothing", "TRM02", "wrong")
class TrimSaysNothing(Reference):
    bug = "A trim returns None."

    def trim(self, session_id: str, *, keep_last: int) -> Any:
        super().trim(session_id, keep_last=keep_last)


@specimen("trim-says-what-it-would", "TRM02", "wrong")
class TrimSaysWhatItWould(Doomed):
    bug = "A trim returns length minus keep_last, which is negative where there is nothing to do."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        excess = len(self.numbers(session_id)) - keep_last
        super().trim(session_id, keep_last=keep_last)
        return excess


variant("trim-to-zero-keeps-all", Doomed, "TRM03", "wrong")(
    bug="Zero is taken for no limit: a slice of [:-0] is empty.",
    doomed=lambda self, session_id, keep_last: (
        Doomed.doomed(self, session_id, keep_last) if keep_last else []
    ),
)


@specimen("trim-beyond-empties", "TRM04", "lost")
class TrimBeyondEmpties(Reference):
    bug = "The oldest (count - keep_last) rows go, and a negative LIMIT means all of them."

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


@specimen("trim-beyond-raises", "TRM04", "refused")
class TrimBeyondRaises(Doomed):
    bug = "A trim to more messages than there are raises an IndexError."

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        if keep_last > len(numbers := self.numbers(session_id)) > 0:
            raise IndexError("keep_last out of range")
        return numbers[: max(0, len(numbers) - keep_last)]


@specimen("trim-unknown-raises", "TRM05", "refused", explains="LIV")
class TrimUnknownRaises(Doomed):
    bug = "A trim of a session without messages raises a KeyError."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if not self.numbers(session_id):
            raise KeyError(session_id)
        return super().trim(session_id, keep_last=keep_last)


@specimen("trim-blocks-the-session", "TRM05", "lost")
class TrimBlocksTheSession(Reference):
    bug = "A trim to nothing of a session without messages leaves a mark that it is finished."

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


@specimen("trim-by-prefix", "TRM06", "lost")
class TrimByPrefix(Doomed):
    bug = "A trim takes in every session whose id begins with the one that is named."

    def numbers(self, session_id: str, order: str = "n") -> list[int]:
        key = self.key(session_id)
        query = f"SELECT n FROM messages WHERE substr(session, 1, ?) = ? ORDER BY {order}"
        return [n for (n,) in self.db.execute(query, (len(key), key))]


variant("trim-by-pattern", Doomed, "TRM06", "lost")(
    bug="A trim compares session ids with LIKE, where % and _ match anything.",
    numbers=lambda self, session_id, order="n": [
        n
        for (n,) in self.db.execute(
            f"SELECT n FROM messages WHERE CAST(session AS TEXT) LIKE ? ORDER BY {order}",
            (session_id,),
        )
    ],
)
variant("trim-everybody", Doomed, "TRM06", "lost")(
    bug="A trim keeps the newest messages of the whole table.",
    numbers=lambda self, session_id, order="n": [
        n for (n,) in self.db.execute(f"SELECT n FROM messages ORDER BY {order}")
    ],
)


@specimen("numbered-by-count", "TRM07", "reordered", explains="CLR")
class NumberedByCount(Reference):
    bug = "A message's number is the count of those there are, so that after a trim it comes first."

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


@specimen("trimmed-come-back", "TRM08", "resurrected", explains="DUR")
class TrimmedComeBack(Doomed):
    bug = "Trimmed messages are hidden by the opening that trimmed, and stay in the table."

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


@specimen("trim-takes-one-each-time", "TRM09", "lost")
class TrimTakesOneEachTime(Doomed):
    bug = "A trim drops the oldest message before it counts."

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        exact = super().doomed(session_id, keep_last)
        numbers = self.numbers(session_id)
        return exact or (numbers[:1] if len(numbers) == keep_last else [])


variant("trim-negative-takes-all", Reference, "TRM10", "wrong")(
    bug="A negative number is taken for zero.",
    trim=lambda self, session_id, *, keep_last: Reference.trim(
        self, session_id, keep_last=max(0, keep_last)
    ),
)


@specimen("trim-negative-from-the-end", "TRM10", "wrong")
class TrimNegativeFromTheEnd(Doomed):
    bug = "A negative number reaches a slice, where it counts from the other end."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last >= 0:
            return super().trim(session_id, keep_last=keep_last)
        doomed = self.numbers(session_id)[:-keep_last]
        self.db.executemany("DELETE FROM messages WHERE n = ?", [(n,) for n in doomed])
        return len(doomed)


@specimen("trimmed-ids-are-banned", "TRM11", "lost")
class TrimmedIdsAreBanned(Doomed):
    bug = "The ids of trimmed messages are kept as seen, and adding one again does nothing."

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


@specimen("trim-by-the-clock", "TRM12", "lost")
class TrimByTheClock(Doomed):
    bug = "A trim keeps the messages with the latest created_at."

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        numbers = self.numbers(session_id, CLOCK)
        return numbers[: max(0, len(numbers) - keep_last)]


@specimen("trim-by-id", "TRM12", "lost")
class TrimById(Doomed):
    bug = "A trim breaks ties of created_at by the id."

    def doomed(self, session_id: str, keep_last: int) -> list[int]:
        numbers = self.numbers(session_id, f"{CLOCK}, id")
        return numbers[: max(0, len(numbers) - keep_last)]


@specimen("trim-loses-metadata", "TRM13", "corrupted")
class TrimLosesMetadata(Doomed):
    bug = "A trim writes what it keeps again, and forgets the metadata."

    def remove(self, session_id: str, doomed: list[int]) -> None:
        super().remove(session_id, doomed)
        self.db.execute(
            "UPDATE messages SET body = json_remove(body, '$.metadata') WHERE session = ?",
            (self.key(session_id),),
        )


variant("trim-stops-at-a-thousand", Doomed, "TRM14", "wrong")(
    bug="One call removes a thousand messages at most.",
    doomed=lambda self, session_id, keep_last: Doomed.doomed(self, session_id, keep_last)[:1_000],
)


@specimen("last-counts-the-trimmed", "TRM15", "lost")
class LastCountsTheTrimmed(Reference):
    bug = "The last few are counted from a total that trims do not lower."

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


@specimen("trim-by-words", "TRM16", "lost")
class TrimByWords(Doomed):
    bug = "A trim removes every message that says the same as an old one."

    def remove(self, session_id: str, doomed: list[int]) -> None:
        old = {self.words(n) for n in doomed}
        twins = [n for n in self.numbers(session_id) if self.words(n) in old]
        super().remove(session_id, twins)

    def words(self, n: int) -> str:
        query = "SELECT body FROM messages WHERE n = ?"
        (body,) = self.db.execute(query, (n,)).fetchone()
        return json.dumps(json.loads(body)["content"])


@specimen("trim-drops-a-twin", "TRM16", "lost")
class TrimDropsATwin(Reference):
    bug = "A trim keeps a message only once if its words are said twice."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        newest = "SELECT MAX(n) FROM messages WHERE session = ? GROUP BY json_extract(body, ?)"
        self.db.execute(
            f"DELETE FROM messages WHERE session = ? AND n NOT IN ({newest})",
            (self.key(session_id), self.key(session_id), "$.content"),
        )
        return removed
