"""Stores that clear too little, too much, or not for good, or list the wrong sessions."""

import json
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.banning import Banning
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference


@specimen("clear-keeps-the-newest", "CLR01", "resurrected", explains="TTL DUR")
class ClearKeepsTheNewest(Reference):
    bug = "Clear keeps the newest message."

    def clear(self, session_id: str) -> None:
        self.trim(session_id, keep_last=1)


@specimen("clear-keeps-the-system", "CLR01", "resurrected")
class ClearKeepsTheSystem(Reference):
    bug = "Clear keeps the system messages."

    def clear(self, session_id: str) -> None:
        others = "session = ? AND json_extract(body, '$.role') <> 'system'"
        self.db.execute(f"DELETE FROM messages WHERE {others}", [self.key(session_id)])
        if not super().bodies(session_id):
            super().clear(session_id)


@specimen("clear-one-page", "CLR01", "resurrected")
class ClearOnePage(Reference):
    bug = "Clear removes at most a hundred messages."

    def clear(self, session_id: str) -> None:
        if len(self.bodies(session_id)) <= 100:
            super().clear(session_id)
        page = "SELECT n FROM messages WHERE session = ? ORDER BY n LIMIT 100"
        self.db.execute(f"DELETE FROM messages WHERE n IN ({page})", [self.key(session_id)])


@specimen("clear-unknown-raises", "CLR02", "refused", explains="LIV")
class ClearUnknownRaises(Reference):
    bug = "Clearing a session without messages raises a KeyError."

    def clear(self, session_id: str) -> None:
        if session_id not in self.list_sessions():
            raise KeyError(session_id)
        super().clear(session_id)


class ClearsWhere(Reference):
    """A store that clears by a condition on the session id as text, which its children choose."""

    where = ""

    def clear(self, session_id: str) -> None:
        for table in ("messages", "deadlines"):
            names = f"SELECT session, CAST(session AS TEXT) AS name FROM {table}"
            doomed = f"SELECT session FROM ({names}) WHERE {self.where}"
            self.db.execute(f"DELETE FROM {table} WHERE session IN ({doomed})", [session_id])


variant("clear-by-like", ClearsWhere, "CLR03", "lost")(
    bug="Clear compares with LIKE, which ignores case and takes % and _ as wildcards.",
    where="name LIKE ?",
)
variant("clear-by-glob", ClearsWhere, "CLR03", "lost")(
    bug="Clear takes the session id for a pattern, as KEYS and SCAN of Redis do.",
    where="name GLOB ?",
)
variant("clear-by-prefix", ClearsWhere, "CLR03", "lost")(
    bug="Clear removes every session whose id begins with the one that is named.",
    where="substr(name, 1, length(?1)) = ?1",
)
variant("clear-ignores-spaces", ClearsWhere, "CLR03", "lost")(
    bug="Clear ignores white space around the ids that it compares.", where="trim(name) = trim(?)"
)


@specimen("clear-resets-everything", "CLR03", "lost")
class ClearResetsEverything(Reference):
    bug = "Clearing one session empties the whole table."

    def clear(self, session_id: str) -> None:
        self.clear_all()


@specimen("clear-until-the-next", "CLR04", "resurrected", explains="TTL DUR")
class ClearUntilTheNext(Reference):
    bug = "Clear marks the session as empty, and the next message removes the mark."

    tables = "CREATE TABLE IF NOT EXISTS cleared (session BLOB PRIMARY KEY)"

    def clear(self, session_id: str) -> None:
        self.db.execute("INSERT OR REPLACE INTO cleared VALUES (?)", [self.key(session_id)])

    def bodies(self, session_id: str) -> list[str]:
        marked = self.column("SELECT 1 FROM cleared WHERE session = ?", self.key(session_id))
        return [] if marked else super().bodies(session_id)

    def insert(self, session_id: str, rows: Rows) -> None:
        self.db.execute("DELETE FROM cleared WHERE session = ?", [self.key(session_id)])
        super().insert(session_id, rows)

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if self.bodies(name)]


class CallsByPlace(Reference):
    """A store that finds tool calls in a table of their own, by the place of their message."""

    tables = "CREATE TABLE IF NOT EXISTS calls (session BLOB, place INTEGER, calls TEXT)"

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        query = "SELECT place, calls FROM calls WHERE session = ?"
        calls = dict(self.db.execute(query, [self.key(session_id)]).fetchall())
        found = [
            message.model_copy(update={"tool_calls": json.loads(calls.get(place, "[]"))})
            for place, message in enumerate(super().get_history(session_id))
        ]
        return found if last is None else found[max(0, len(found) - last) :]

    def insert(self, session_id: str, rows: Rows) -> None:
        before = len(self.bodies(session_id))
        super().insert(session_id, rows)
        self.note_calls(session_id, before)

    def note_calls(self, session_id: str, first: int = 0) -> None:
        """Write the tool calls of the messages from this place on."""
        messages = list(enumerate(self.decode(self.bodies(session_id))))[first:]
        rows = [(self.key(session_id), at, json.dumps(m.tool_calls)) for at, m in messages]
        rows = [row for row in rows if row[2] != "[]"]
        self.db.executemany("INSERT OR REPLACE INTO calls VALUES (?, ?, ?)", rows)

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        self.drop_calls(session_id)
        self.note_calls(session_id)
        return removed

    def delete_messages(self, session_id: str, ids: Any) -> int:
        removed = super().delete_messages(session_id, ids)
        self.drop_calls(session_id)
        self.note_calls(session_id)
        return removed

    def drop_calls(self, session_id: str) -> None:
        self.db.execute("DELETE FROM calls WHERE session = ?", [self.key(session_id)])


variant("clear-leaves-tool-calls", CallsByPlace, "CLR04", "resurrected", explains="TTL DUR FID")(
    bug="Clear leaves the tool calls, which the next message in that place is taken to have made.",
)


@specimen("delete-leaves-tool-calls", "CLR12", "resurrected", explains="TTL DUR FID TRM")
class DeleteLeavesToolCalls(CallsByPlace):
    bug = "Deleting all messages leaves their tool calls, which later ones are taken to have made."

    def remove_session(self, session_id: str) -> None:
        super().remove_session(session_id)
        super().drop_calls(session_id)

    def drop_calls(self, session_id: str) -> None:
        if self.bodies(session_id):
            super().drop_calls(session_id)


@specimen("clear-by-the-clock", "CLR04", "lost")
class ClearByTheClock(Reference):
    bug = "Clear notes the time and hides what is dated before it, even if it is added later."

    tables = "CREATE TABLE IF NOT EXISTS cleared (session BLOB PRIMARY KEY, at TEXT)"

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        mark = "INSERT OR REPLACE INTO cleared VALUES (?, datetime('now', '-1 hour'))"
        self.db.execute(mark, [self.key(session_id)])

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        for at in self.column("SELECT at FROM cleared WHERE session = ?", self.key(session_id)):
            pairs = zip(found, self.decode(found), strict=True)
            return [body for body, each in pairs if each.created_at.isoformat(" ") > at]
        return found


@specimen("a-cleared-session-is-closed", "CLR04", "refused", explains="TTL DUR")
class AClearedSessionIsClosed(Reference):
    bug = "A session that was cleared accepts no more messages."

    tables = "CREATE TABLE IF NOT EXISTS closed (session BLOB)"

    def clear(self, session_id: str) -> None:
        if self.bodies(session_id):
            self.db.execute("INSERT INTO closed VALUES (?)", [self.key(session_id)])
        super().clear(session_id)

    def insert(self, session_id: str, rows: Rows) -> None:
        if self.column("SELECT 1 FROM closed WHERE session = ?", self.key(session_id)):
            raise RuntimeError(f"session {session_id} is deleted")
        super().insert(session_id, rows)


@specimen("cleared-in-memory", "CLR05", "resurrected", explains="DUR")
class ClearedInMemory(Reference):
    bug = "Clear hides the messages from this opening, but leaves them in the table."

    def set_up(self) -> None:
        self.hidden: dict[str, set[str]] = {}

    def clear(self, session_id: str) -> None:
        self.hidden.setdefault(session_id, set()).update(super().bodies(session_id))
        self.set_ttl(session_id, None)

    def bodies(self, session_id: str) -> list[str]:
        hidden = self.hidden.get(session_id, set())
        return [body for body in super().bodies(session_id) if body not in hidden]

    def insert(self, session_id: str, rows: Rows) -> None:
        hidden = self.hidden.get(session_id, set())
        for _, body in rows:
            if body in hidden:  # added again, it is a message like any other
                hidden.discard(body)
                self.db.execute("DELETE FROM messages WHERE body = ?", [body])
        super().insert(session_id, rows)

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if self.bodies(name)]


@specimen("cleared-ids-are-banned", "CLR06", "lost")
class ClearedIdsAreBanned(Banning):
    bug = "The ids of cleared messages stay known, so adding such a message again does nothing."

    def clear(self, session_id: str) -> None:
        self.ban("session = ?", self.key(session_id))
        super().clear(session_id)


@specimen("clear-all-one-page", "CLR07", "resurrected")
class ClearAllOnePage(Reference):
    bug = "clear_all clears only the first fifty sessions."

    def clear_all(self) -> None:
        for name in self.list_sessions()[:50]:
            self.clear(name)


@specimen("clear-all-drops-the-table", "CLR07", "refused", explains="TTL LIV")
class ClearAllDropsTheTable(Reference):
    bug = "clear_all drops the table, and nothing makes a new one."

    def clear_all(self) -> None:
        self.db.execute("DROP TABLE IF EXISTS messages")
        self.db.execute("DELETE FROM deadlines")

    def is_there(self) -> bool:
        """Return True if the table has not been dropped."""
        return bool(self.column("SELECT 1 FROM sqlite_master WHERE name = 'messages'"))

    def bodies(self, session_id: str) -> list[str]:
        return super().bodies(session_id) if self.is_there() else []

    def list_sessions(self) -> list[str]:
        return super().list_sessions() if self.is_there() else []


@specimen("clear-all-only-mine", "CLR08", "resurrected")
class ClearAllOnlyMine(Reference):
    bug = "clear_all clears only the sessions that this opening has written to."

    def set_up(self) -> None:
        self.mine: set[str] = set()

    def insert(self, session_id: str, rows: Rows) -> None:
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
    bug="At most a hundred sessions are listed.",
    list_sessions=lambda self: Reference.list_sessions(self)[:100],
)
variant("lists-in-small-letters", Reference, "CLR17", "corrupted")(
    bug="Session ids are listed in lower case.",
    list_sessions=lambda self: [name.lower() for name in Reference.list_sessions(self)],
)


@specimen("lists-who-only-read", "CLR17", "phantom", explains="LIV")
class ListsWhoOnlyRead(Reference):
    bug = "Reading a session is enough to have it listed."

    tables = "CREATE TABLE IF NOT EXISTS known (session BLOB)"  # which ever had a message

    def set_up(self) -> None:
        self.read: dict[str, None] = {}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        found = super().get_history(session_id, last=last)
        known = self.column("SELECT 1 FROM known WHERE session = ?", self.key(session_id))
        if not found and self.deadline(session_id) is None and not known:
            self.read[session_id] = None
        return found

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        self.read.pop(session_id, None)
        self.db.execute("INSERT INTO known VALUES (?)", [self.key(session_id)])

    def list_sessions(self) -> list[str]:
        return [*super().list_sessions(), *self.read]


@specimen("lists-the-cleared", "CLR18", "resurrected", explains="TTL")
class ListsTheCleared(Reference):
    bug = "Sessions are listed from a table of their own, which clear does not touch."

    tables = "CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY)"

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        if session_id.isprintable():
            self.db.execute("INSERT OR IGNORE INTO names VALUES (?)", [session_id])

    def list_sessions(self) -> list[str]:
        return self.column("SELECT name FROM names")
