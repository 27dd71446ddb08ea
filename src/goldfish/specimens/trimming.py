"""Stores that trim too much, too little, or the wrong messages."""

import zlib
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.banning import Banning
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference

CLOCK = "json_extract(body, '$.created_at')"


class Doomed(Reference):
    """A correct store, except for the messages that it chooses to trim."""

    age = "n"  # by which the messages are sorted, oldest first

    def doomed(self, numbers: list[int], keep: int) -> list[int]:
        """Return the numbers of the messages to remove."""
        return numbers[: max(0, len(numbers) - keep)]

    def numbers(self, session_id: str) -> list[int]:
        """Return the numbers of the session's messages, oldest first."""
        query = f"SELECT n FROM messages WHERE session = ? ORDER BY {self.age}"
        return self.column(query, self.key(session_id))

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        doomed = self.doomed(self.numbers(session_id), keep_last)
        with self.transaction():
            self.remove(session_id, doomed)
        return len(doomed)

    def remove(self, session_id: str, doomed: list[int]) -> None:
        """Remove these messages of the session."""
        self.db.executemany("DELETE FROM messages WHERE n = ?", [(n,) for n in doomed])


variant("trim-keeps-the-oldest", Doomed, "TRM01", "lost", explains="CLR DUR")(
    bug="A trim removes the newest messages and keeps the oldest.",
    doomed=lambda self, numbers, keep: numbers[keep:],
)
variant("trim-keeps-one-more", Doomed, "TRM01", "wrong", explains="CLR DUR")(
    bug="A trim keeps one message too many.",
    doomed=lambda self, numbers, keep: Doomed.doomed(self, numbers, keep + 1 if keep else 0),
)
variant("trim-keeps-one-less", Doomed, "TRM01", "lost", explains="CLR DUR")(
    bug="A trim keeps one message too few.",
    doomed=lambda self, numbers, keep: Doomed.doomed(self, numbers, max(0, keep - 1)),
)
variant("trim-does-nothing", Doomed, "TRM01", "wrong", explains="CLR DUR")(
    bug="A trim counts the messages to remove, but does not remove them.",
    remove=lambda self, session_id, doomed: None,
)
variant("trim-goes-by-turns", Doomed, "TRM01", "wrong", explains="DUR")(
    bug="A trim removes whole turns of two, so it keeps one more where the number is odd.",
    doomed=lambda self, numbers, keep: (
        numbers[: max(0, len(numbers) - keep) // 2 * 2] if keep else numbers
    ),
)


@specimen("trim-reverses", "TRM01", "reordered", explains="CLR DUR")
class TrimReverses(Doomed):
    bug = "A trim reads the newest messages first, and writes them back in that order."

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
    bug = "A trim returns length minus keep_last, which is negative if there is nothing to do."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        excess = len(self.numbers(session_id)) - keep_last
        super().trim(session_id, keep_last=keep_last)
        return excess


variant("trim-to-zero-keeps-all", Doomed, "TRM03", "wrong")(
    bug="Keeping zero messages is taken for no limit: a slice of [:-0] is empty.",
    doomed=lambda self, numbers, keep: Doomed.doomed(self, numbers, keep) if keep else [],
)
variant("trim-beyond-empties", Doomed, "TRM04", "lost")(
    bug="A trim removes the oldest (count - keep_last) rows; a negative LIMIT removes them all.",
    doomed=lambda self, numbers, keep: (
        numbers[: len(numbers) - keep] if keep <= len(numbers) else numbers
    ),
)


@specimen("trim-beyond-raises", "TRM04", "refused")
class TrimBeyondRaises(Doomed):
    bug = "A trim to more messages than there are raises an IndexError."

    def doomed(self, numbers: list[int], keep: int) -> list[int]:
        if keep > len(numbers) > 0:
            raise IndexError("keep_last out of range")
        return super().doomed(numbers, keep)


@specimen("trim-unknown-raises", "TRM05", "refused", explains="LIV")
class TrimUnknownRaises(Reference):
    bug = "Trimming a session without messages raises a KeyError."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if not self.bodies(session_id):
            raise KeyError(session_id)
        return super().trim(session_id, keep_last=keep_last)


@specimen("trim-blocks-the-session", "TRM05", "lost")
class TrimBlocksTheSession(Reference):
    bug = "Trimming a session without messages marks it as finished, which hides its next message."

    def set_up(self) -> None:
        self.finished: set[str] = set()

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if not self.bodies(session_id):
            self.finished.add(session_id)
        return super().trim(session_id, keep_last=keep_last)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        first = super().get_history(session_id, last=last)
        return [] if len(first) == 1 and session_id in self.finished else first


variant("trim-by-prefix", Doomed, "TRM06", "lost")(
    bug="A trim includes every session whose id begins with the one that is named.",
    numbers=lambda self, session_id: self.column(
        "SELECT n FROM messages WHERE substr(session, 1, length(?1)) = ?1 ORDER BY n",
        self.key(session_id),
    ),
)
variant("trim-by-pattern", Doomed, "TRM06", "lost")(
    bug="A trim compares session ids with LIKE, in which % and _ match anything.",
    numbers=lambda self, session_id: self.column(
        "SELECT n FROM messages WHERE CAST(session AS TEXT) LIKE ? ORDER BY n", session_id
    ),
)
variant("trim-everybody", Doomed, "TRM06", "lost")(
    bug="A trim keeps the newest messages of the whole table.",
    numbers=lambda self, session_id: self.column("SELECT n FROM messages ORDER BY n"),
)


@specimen("numbered-by-count", "TRM07", "reordered", explains="CLR")
class NumberedByCount(Reference):
    bug = "A message's number is the count of messages, so after a trim a new one comes first."

    def insert(self, session_id: str, rows: Rows) -> None:
        key = self.key(session_id)
        for name, body in rows:
            (count,) = self.column("SELECT COUNT(*) FROM messages WHERE session = ?", key)
            self.db.execute(
                "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?)",
                (self.free(key, count), key, self.key(name), body),
            )

    def free(self, key: bytes, count: int) -> int:
        """Return the first free number at or below this count, in the session's own range."""
        number = zlib.crc32(key) * 1_000_000 + 500_000 + count
        while self.column("SELECT 1 FROM messages WHERE n = ?", number):
            number -= 1
        return number


@specimen("trimmed-come-back", "TRM08", "resurrected", explains="DUR")
class TrimmedComeBack(Doomed):
    bug = "Trimmed messages are hidden by the opening that trimmed, but stay in the table."

    def set_up(self) -> None:
        self.hidden: set[int] = set()

    def numbers(self, session_id: str) -> list[int]:
        return [n for n in super().numbers(session_id) if n not in self.hidden]

    def remove(self, session_id: str, doomed: list[int]) -> None:
        self.hidden.update(doomed)

    def bodies(self, session_id: str) -> list[str]:
        shown = "SELECT body FROM messages WHERE n = ?"
        numbers = [] if self.expired(session_id) else self.numbers(session_id)
        return [body for n in numbers for body in self.column(shown, n)]

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if self.bodies(name)]

    def insert(self, session_id: str, rows: Rows) -> None:
        found = "SELECT n FROM messages WHERE session = ? AND id = ?"
        for name, _ in rows:
            for n in self.column(found, self.key(session_id), self.key(name)):
                if n in self.hidden:  # added again, it is a message like any other
                    self.db.execute("DELETE FROM messages WHERE n = ?", (n,))
        super().insert(session_id, rows)


variant("trim-takes-one-each-time", Doomed, "TRM09", "lost")(
    bug="A trim drops the oldest message before it counts.",
    doomed=lambda self, numbers, keep: (
        Doomed.doomed(self, numbers, keep) or numbers[: len(numbers) == keep]
    ),
)
variant("trim-negative-takes-all", Reference, "TRM10", "wrong")(
    bug="A negative keep_last is taken for zero.",
    trim=lambda self, session_id, *, keep_last: Reference.trim(
        self, session_id, keep_last=max(0, keep_last)
    ),
)


@specimen("trim-negative-from-the-end", "TRM10", "wrong")
class TrimNegativeFromTheEnd(Doomed):
    bug = "A negative keep_last reaches a slice, where it counts from the other end."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last >= 0:
            return super().trim(session_id, keep_last=keep_last)
        doomed = self.numbers(session_id)[:-keep_last]
        self.remove(session_id, doomed)
        return len(doomed)


@specimen("trimmed-ids-are-banned", "TRM11", "lost")
class TrimmedIdsAreBanned(Doomed, Banning):
    bug = "The ids of trimmed messages stay known, so adding such a message again does nothing."

    def remove(self, session_id: str, doomed: list[int]) -> None:
        for n in doomed:
            self.ban("n = ?", n)
        super().remove(session_id, doomed)


variant("trim-by-the-clock", Doomed, "TRM12", "lost")(
    bug="A trim keeps the messages with the latest created_at.", age=CLOCK
)
variant("trim-by-id", Doomed, "TRM12", "lost")(
    bug="A trim breaks ties of created_at by the id.", age=f"{CLOCK}, id"
)


@specimen("trim-loses-metadata", "TRM13", "corrupted")
class TrimLosesMetadata(Doomed):
    bug = "A trim rewrites the messages that it keeps, without their metadata."

    def remove(self, session_id: str, doomed: list[int]) -> None:
        super().remove(session_id, doomed)
        poorer = "UPDATE messages SET body = json_remove(body, '$.metadata') WHERE session = ?"
        self.db.execute(poorer, (self.key(session_id),))


variant("trims-whole-blocks", Doomed, "TRM13", "resurrected")(
    bug="A trim removes a hundred messages or none, as one of a Redis stream may that is inexact.",
    doomed=lambda self, numbers, keep: numbers[: max(0, len(numbers) - keep) // 100 * 100],
)
variant("trim-stops-at-a-thousand", Doomed, "TRM14", "wrong")(
    bug="One call removes at most a thousand messages.",
    doomed=lambda self, numbers, keep: Doomed.doomed(self, numbers, keep)[:1_000],
)


@specimen("last-counts-the-trimmed", "TRM15", "lost")
class LastCountsTheTrimmed(Reference):
    bug = "``last`` counts back from a total that a trim does not lower."

    def set_up(self) -> None:
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
    bug = "A trim also removes every message that says the same as a trimmed one."

    def remove(self, session_id: str, doomed: list[int]) -> None:
        old = {self.words(n) for n in doomed}
        super().remove(session_id, [n for n in self.numbers(session_id) if self.words(n) in old])

    def words(self, n: int) -> Any:
        """Return what a message says, as JSON."""
        return self.column("SELECT json_extract(body, '$.content') FROM messages WHERE n = ?", n)[0]


@specimen("trim-drops-a-twin", "TRM16", "lost")
class TrimDropsATwin(Reference):
    bug = "A trim keeps only one of two messages that say the same."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        newest = "SELECT MAX(n) FROM messages WHERE session = ? GROUP BY json_extract(body, ?)"
        self.db.execute(
            f"DELETE FROM messages WHERE session = ? AND n NOT IN ({newest})",
            (self.key(session_id), self.key(session_id), "$.content"),
        )
        return removed


variant("trims-whatever-is-older", Doomed, "TRM06", "lost")(
    bug="A trim removes everything older than what it keeps, in every session.",
    remove=lambda self, session_id, doomed: self.db.execute(
        "DELETE FROM messages WHERE n <= ?", (max(doomed, default=0),)
    ),
)
variant("keeps-the-newest-of-all", Reference, "TRM06", "lost", explains="SEQ")(
    bug="A trim keeps of its session what is among the newest messages of the whole table.",
    trim=lambda self, session_id, *, keep_last: (
        self.db.execute(
            "DELETE FROM messages WHERE session = ? AND n NOT IN "
            "(SELECT n FROM messages ORDER BY n DESC LIMIT ?)",
            (self.key(session_id), keep_last),
        ).rowcount
    ),
)
variant("subtracts-from-the-highest", Reference, "TRM06", "lost", explains="SEQ")(
    bug="A trim takes its numbers for consecutive, and removes what is so far below the highest.",
    trim=lambda self, session_id, *, keep_last: (
        self.db.execute(
            "DELETE FROM messages WHERE session = ?1 AND n <="
            " (SELECT MAX(n) FROM messages WHERE session = ?1) - ?2",
            (self.key(session_id), keep_last),
        ).rowcount
    ),
)
variant("counts-a-portion", Doomed, "TRM02", "wrong")(
    bug="A trim removes in portions of 500, and returns the size of the first.",
    trim=lambda self, session_id, *, keep_last: min(
        500, Doomed.trim(self, session_id, keep_last=keep_last)
    ),
)


class Choosy(Doomed):
    """A correct store that can trim by pairs, with the system prompt, and to a number of tokens."""

    def trim(
        self,
        session_id: str,
        *,
        keep_last: int | None = None,
        keep_pairs: bool = False,
        keep_system: bool = False,
        max_tokens: int | None = None,
    ) -> int:
        if keep_last is not None and keep_last < 0:
            raise ValueError("keep_last must not be negative")
        messages = self.decode(self.bodies(session_id))
        first = len(messages) - self.count(messages, keep_last, max_tokens)
        if keep_pairs:
            first = self.find_start(messages, first)
        numbers = self.numbers(session_id)
        doomed = numbers[:first]
        if keep_system and messages and messages[0].role == "system":
            doomed = self.spare(session_id, numbers, doomed)
        with self.transaction():
            self.remove(session_id, doomed)
        return len(doomed)

    def count(self, messages: list[Any], keep_last: int | None, max_tokens: int | None) -> int:
        """Return how many of the newest messages may stay."""
        kept = len(messages) if keep_last is None else min(keep_last, len(messages))
        if max_tokens is None:
            return kept
        spent = 0
        for number, message in enumerate(self.weigh(messages)):
            spent += len(str(message.content).split())
            if spent > max_tokens:
                return min(kept, number)
        return kept

    def weigh(self, messages: list[Any]) -> list[Any]:
        """Return the messages in the order in which the tokens are spent."""
        return messages[::-1]

    def find_start(self, messages: list[Any], first: int) -> int:
        """Return where to begin so that no tool result is without its call."""
        while first < len(messages) and messages[first].role == "tool":
            first += 1
        return first

    def spare(self, session_id: str, numbers: list[int], doomed: list[int]) -> list[int]:
        """Return the messages to remove without the system prompt, which is the first."""
        return doomed[1:]


variant("orphans-tool-results", Choosy, "TRM17", "torn")(
    bug="keep_pairs looks at one message only, and leaves the second result of a twofold call.",
    find_start=lambda self, messages, first: (
        first + (first < len(messages) and messages[first].role == "tool")
    ),
)


@specimen("the-system-prompt-again", "TRM18", "duplicated")
class TheSystemPromptAgain(Choosy):
    bug = "The system prompt is added again in front of what is kept, also where it is kept anyway."
    order = "n"

    def spare(self, session_id: str, numbers: list[int], doomed: list[int]) -> list[int]:
        if not doomed:
            self.db.execute(
                "INSERT INTO messages (n, session, id, body) "
                "SELECT -n, session, randomblob(8), body FROM messages WHERE n = ?",
                (numbers[0],),
            )
        return doomed[1:]


@specimen("trims-tokens-from-the-wrong-end", "TRM19", "wrong")
class TrimsTokensFromTheWrongEnd(Choosy):
    bug = "A trim to a number of tokens removes the newest messages."
    by_tokens = False

    def count(self, messages: list[Any], keep_last: int | None, max_tokens: int | None) -> int:
        self.by_tokens = max_tokens is not None
        return super().count(messages, keep_last, max_tokens)

    def remove(self, session_id: str, doomed: list[int]) -> None:
        newest = self.numbers(session_id)[::-1][: len(doomed)]
        super().remove(session_id, newest if self.by_tokens else doomed)
