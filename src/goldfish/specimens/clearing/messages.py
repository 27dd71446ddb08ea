"""Stores that clear too little, too much, or not for good; and that list what is not."""

from collections.abc import Sequence
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.banning import Banning
from goldfish.specimens.references.sqlite import Reference


@specimen("clear-keeps-the-newest", "CLR01", "resurrected", explains="TTL DUR")
class ClearKeepsTheNewest(Reference):
    bug = "Clear leaves the newest message."

    def clear(self, session_id: str) -> None:
        self.trim(session_id, keep_last=1)


@specimen("clear-keeps-the-system", "CLR01", "resurrected")
class ClearKeepsTheSystem(Reference):
    bug = "Clear leaves what the system said."

    def clear(self, session_id: str) -> None:
        said = "session = ? AND json_extract(body, '$.role') = 'system'"
        if self.db.execute(
            f"SELECT 1 FROM messages WHERE {said}", [self.key(session_id)]
        ).fetchone():
            self.db.execute(
                f"DELETE FROM messages WHERE session = ? AND NOT ({said})",
                [self.key(session_id), self.key(session_id)],
            )
        else:
            super().clear(session_id)


@specimen("clear-one-page", "CLR01", "resurrected")
class ClearOnePage(Reference):
    bug = "Clear removes a hundred messages at most."

    def clear(self, session_id: str) -> None:
        if len(self.bodies(session_id)) <= 100:
            super().clear(session_id)
        page = "SELECT n FROM messages WHERE session = ? ORDER BY n LIMIT 100"
        self.db.execute(f"DELETE FROM messages WHERE n IN ({page})", [self.key(session_id)])


@specimen("clear-unknown-raises", "CLR02", "refused", explains="LIV")
class ClearUnknownRaises(Reference):
    bug = "Clear of a session without messages raises a KeyError."

    def clear(self, session_id: str) -> None:
        if session_id not in self.list_sessions():
            raise KeyError(session_id)
        super().clear(session_id)


class ClearsWhere(Reference):
    """A store that clears by a condition, which its children get wrong."""

    where = "session = ?"

    def clear(self, session_id: str) -> None:
        for table in ("messages", "deadlines"):
            self.db.execute(f"DELETE FROM {table} WHERE {self.where}", [self.term(session_id)])

    def term(self, session_id: str) -> Any:
        """What the session id is compared with."""
        return self.key(session_id)


variant("clear-by-like", ClearsWhere, "CLR03", "lost")(
    bug="Clear compares with LIKE, which knows no case and takes % and _ as wildcards.",
    where="CAST(session AS TEXT) LIKE ?",
    term=lambda self, session_id: session_id,
)
variant("clear-by-glob", ClearsWhere, "CLR03", "lost")(
    bug="Clear hands the session id to a pattern, as KEYS and SCAN of Redis take one.",
    where="CAST(session AS TEXT) GLOB ?",
    term=lambda self, session_id: session_id,
)
variant("clear-by-prefix", ClearsWhere, "CLR03", "lost")(
    bug="Clear removes every session whose id begins with the one that is named.",
    where="substr(CAST(session AS TEXT), 1, length(?1)) = ?1",
    term=lambda self, session_id: session_id,
)
variant("clear-ignores-spaces", ClearsWhere, "CLR03", "lost")(
    bug="Clear trims white space off the ids that it compares.",
    where="trim(CAST(session AS TEXT)) = trim(?)",
    term=lambda self, session_id: session_id,
)


@specimen("clear-resets-everything", "CLR03", "lost")
class ClearResetsEverything(Reference):
    bug = "Clear of one session resets the whole table."

    def clear(self, session_id: str) -> None:
        self.clear_all()


@specimen("clear-until-the-next", "CLR04", "resurrected", explains="TTL DUR")
class ClearUntilTheNext(Reference):
    bug = "Clear marks the session as empty, and the next message takes the mark away."

    tables = "CREATE TABLE IF NOT EXISTS cleared (session BLOB PRIMARY KEY)"

    def clear(self, session_id: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO cleared VALUES (?)", [self.key(session_id)])

    def bodies(self, session_id: str) -> list[str]:
        query = "SELECT 1 FROM cleared WHERE session = ?"
        marked = self.db.execute(query, [self.key(session_id)]).fetchone()
        return [] if marked else super().bodies(session_id)

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.execute("DELETE FROM cleared WHERE session = ?", [self.key(session_id)])
        super().insert(session_id, rows)

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if self.bodies(name)]


@specimen("clear-by-the-clock", "CLR04", "lost")
class ClearByTheClock(Reference):
    bug = "Clear notes the time and hides what is dated before it, also what is added later."

    tables = "CREATE TABLE IF NOT EXISTS cleared (session BLOB PRIMARY KEY, at TEXT)"

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.db.execute(
            "INSERT OR REPLACE INTO cleared VALUES (?, datetime('now', '-1 hour'))",
            [self.key(session_id)],
        )

    def bodies(self, session_id: str) -> list[str]:
        query = "SELECT at FROM cleared WHERE session = ?"
        row = self.db.execute(query, [self.key(session_id)]).fetchone()
        found = super().bodies(session_id)
        moments = [message.created_at.isoformat(" ") for message in self.decode(found)]
        pairs = zip(found, moments, strict=True)
        return found if row is None else [body for body, at in pairs if at > row[0]]


@specimen("a-cleared-session-is-closed", "CLR04", "refused", explains="TTL DUR")
class AClearedSessionIsClosed(Reference):
    bug = "A session that was cleared takes no more messages."

    tables = "CREATE TABLE IF NOT EXISTS closed (session BLOB)"

    def clear(self, session_id: str) -> None:
        if self.bodies(session_id):
            self.db.execute("INSERT INTO closed VALUES (?)", [self.key(session_id)])
        super().clear(session_id)

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT 1 FROM closed WHERE session = ?"
        if self.db.execute(query, [self.key(session_id)]).fetchone():
            raise RuntimeError(f"session {session_id} is deleted")
        super().insert(session_id, rows)


@specimen("cleared-in-memory", "CLR05", "resurrected", explains="DUR")
class ClearedInMemory(Reference):
    bug = "Clear hides what there is from this opening, and leaves it in the table."

    def set_up(self) -> None:
        self.hidden: dict[str, set[str]] = {}

    def clear(self, session_id: str) -> None:
        self.hidden.setdefault(session_id, set()).update(super().bodies(session_id))
        self.set_ttl(session_id, None)

    def bodies(self, session_id: str) -> list[str]:
        hidden = self.hidden.get(session_id, set())
        return [body for body in super().bodies(session_id) if body not in hidden]

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        hidden = self.hidden.get(session_id, set())
        for _, body in rows:
            if body in hidden:  # said again, it is a message like any other
                hidden.discard(body)
                self.db.execute("DELETE FROM messages WHERE body = ?", [body])
        super().insert(session_id, rows)

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if self.bodies(name)]


@specimen("cleared-ids-are-banned", "CLR06", "lost")
class ClearedIdsAreBanned(Banning):
    bug = "The ids of cleared messages are kept as seen, and adding one again does nothing."

    def clear(self, session_id: str) -> None:
        self.ban("session = ?", self.key(session_id))
        super().clear(session_id)


@specimen("clear-all-one-page", "CLR07", "resurrected")
class ClearAllOnePage(Reference):
    bug = "Clear_all goes through the first fifty sessions."

    def clear_all(self) -> None:
        for name in self.list_sessions()[:50]:
            self.clear(name)


@specimen("clear-all-drops-the-table", "CLR07", "refused", explains="TTL LIV")
class ClearAllDropsTheTable(Reference):
    bug = "Clear_all drops the table, and nothing makes a new one."

    def clear_all(self) -> None:
        self.db.execute("DROP TABLE IF EXISTS messages")
        self.db.execute("DELETE FROM deadlines")

    def bodies(self, session_id: str) -> list[str]:
        there = self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages'").fetchone()
        return super().bodies(session_id) if there else []

    def list_sessions(self) -> list[str]:
        there = self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages'").fetchone()
        return super().list_sessions() if there else []


@specimen("clear-all-only-mine", "CLR08", "resurrected")
class ClearAllOnlyMine(Reference):
    bug = "Clear_all clears the sessions that this opening has written to."

    def set_up(self) -> None:
        self.mine: set[str] = set()

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.mine.add(session_id)
        super().insert(session_id, rows)

    def clear_all(self) -> None:
        for name in self.mine:
            self.clear(name)


variant("lists-every-message", Reference, "CLR17", "duplicated")(
    bug="A session is listed once for each of its messages.",
    list_sessions=lambda self: [
        name for name in Reference.list_sessions(self) for _ in self.bodies(name)
    ],
)
variant("lists-one-page", Reference, "CLR17", "lost")(
    bug="A hundred sessions are listed, and no more.",
    list_sessions=lambda self: Reference.list_sessions(self)[:100],
)
variant("lists-in-small-letters", Reference, "CLR17", "corrupted")(
    bug="Ids are listed in a tidied form.",
    list_sessions=lambda self: [name.lower() for name in Reference.list_sessions(self)],
)


@specimen("lists-who-only-read", "CLR17", "phantom", explains="LIV")
class ListsWhoOnlyRead(Reference):
    bug = "Reading a session is enough to have it listed."

    def set_up(self) -> None:
        self.read: dict[str, None] = {}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        found = super().get_history(session_id, last=last)
        if not found and self.deadline(session_id) is None and not self.known(session_id):
            self.read[session_id] = None
        return found

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, rows)
        self.read.pop(session_id, None)
        self.db.execute("CREATE TABLE IF NOT EXISTS known (session BLOB)")
        self.db.execute("INSERT INTO known VALUES (?)", [self.key(session_id)])

    def known(self, session_id: str) -> bool:
        """Whether the session ever had a message."""
        self.db.execute("CREATE TABLE IF NOT EXISTS known (session BLOB)")
        query = "SELECT 1 FROM known WHERE session = ?"
        return self.db.execute(query, [self.key(session_id)]).fetchone() is not None

    def list_sessions(self) -> list[str]:
        return [*super().list_sessions(), *self.read]


@specimen("lists-the-cleared", "CLR18", "resurrected", explains="TTL")
class ListsTheCleared(Reference):
    bug = "Sessions are listed from a table of their own, which clear leaves alone."

    tables = "CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY)"

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, rows)
        if session_id.isprintable():
            self.db.execute("INSERT OR IGNORE INTO names VALUES (?)", [session_id])

    def list_sessions(self) -> list[str]:
        return self.column("SELECT name FROM names")
