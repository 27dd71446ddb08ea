"""Memories that are right, and are asked and answer in forms of their own, without declaring it."""

import dataclasses
import json
import sqlite3
import uuid
from collections import namedtuple
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from goldfish.messages import ChatMessage
from tests.engine.right_memories import Alphabet, TwoColumns, Unique, words_in


class Chats(TwoColumns):
    """Knows its chats by UUIDs, as the column is, and lists them as such."""

    def check(self, session_id: str) -> None:
        uuid.UUID(session_id)

    def clear(self, session_id: str) -> None:
        self.check(session_id)
        self.db.execute("DELETE FROM said WHERE s = ?", (session_id,))

    def list_sessions(self, prefix: str = "") -> list[uuid.UUID]:
        found = self.db.execute("SELECT DISTINCT s FROM said").fetchall()
        return [uuid.UUID(name) for (name,) in found if name.startswith(prefix)]


class Bot(TwoColumns):
    """Knows its chats by their numbers, given as such, and takes messages as dicts."""

    def check(self, session_id: str) -> None:
        if not isinstance(session_id, int):
            raise TypeError(f"a chat has a number (got {session_id!r})")

    def add_messages(self, session_id: str, messages: Any) -> None:
        super().add_messages(session_id, [ChatMessage(**each) for each in messages])

    def list_sessions(self) -> list[dict[str, Any]]:
        found = self.db.execute("SELECT s, count(*) FROM said GROUP BY s").fetchall()
        return [{"id": name, "messages": count} for name, count in found]


class Slots(Alphabet):
    """Values by name beside the messages, under ids as plain as theirs."""

    def set_state(self, session_id: str, values: dict[str, Any]) -> None:
        self.check(session_id)
        self.db.execute("CREATE TABLE IF NOT EXISTS slots (s, name, value, PRIMARY KEY (s, name))")
        rows = [(session_id, name, json.dumps(value)) for name, value in values.items()]
        with self.writing():
            self.db.executemany("REPLACE INTO slots VALUES (?, ?, ?)", rows)

    def get_state(self, session_id: str) -> dict[str, Any]:
        self.check(session_id)
        self.db.execute("CREATE TABLE IF NOT EXISTS slots (s, name, value, PRIMARY KEY (s, name))")
        found = self.db.execute("SELECT name, value FROM slots WHERE s = ?", (session_id,))
        return {name: json.loads(value) for name, value in found}


@dataclasses.dataclass
class Note:
    """A fact of a library's own, with its words as content, and an id that is no text."""

    id: uuid.UUID
    content: str


class Notes(Unique):
    """Users by their UUIDs, and facts as objects."""

    def remember(self, user_id: str, text: str, metadata: Any = None) -> Any:
        made = super().remember(str(uuid.UUID(user_id)), text, metadata)
        return Note(uuid.UUID(made["id"][:32]), text)

    def list_facts(self, user_id: str, filter: Any = None) -> Any:  # noqa: A002 - its name in goldfish
        found = super().list_facts(user_id, filter)
        return [Note(uuid.UUID(each["id"][:32]), each["text"]) for each in found]

    def recall(self, user_id: str, query: str, limit: int = 5) -> Any:
        notes, asked = self.list_facts(user_id), words_in(query)
        shared = [(len(asked & words_in(each.content)), each) for each in notes]
        best = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
        return [each for _, each in best[:limit]]

    def get_fact(self, user_id: str, fact_id: uuid.UUID) -> Any:  # type: ignore[override]
        return next((each for each in self.list_facts(user_id) if each.id == fact_id), None)

    def forget(self, user_id: str, fact_id: uuid.UUID) -> None:  # type: ignore[override]
        row = (user_id, f"{fact_id.hex}%")
        self.db.execute("DELETE FROM facts WHERE u = ? AND id LIKE ?", row)


class Tabled(TwoColumns):
    """Rows as the database has them: times in UTC without a zone, the newest snapshot first."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS rows (n INTEGER PRIMARY KEY, s, role, json, at)"
        )
        self.db.execute("CREATE TABLE IF NOT EXISTS saved (n INTEGER PRIMARY KEY, s, json)")
        self.db.row_factory = sqlite3.Row

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.insert(
            [
                (session_id, each.role, json.dumps(each.content), each.created_at.astimezone(UTC))
                for each in messages
            ]
        )

    def insert(self, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows with their times as texts, which say no zone."""
        plain = [(*row, at.replace(tzinfo=None).isoformat()) for *row, at in rows]
        with self.writing():
            self.db.executemany("INSERT INTO rows (s, role, json, at) VALUES (?, ?, ?, ?)", plain)

    def get_history(self, session_id: str) -> Any:  # type: ignore[override]
        found = self.db.execute(
            "SELECT role, json, at FROM rows WHERE s = ? ORDER BY n", (session_id,)
        )
        make = namedtuple("make", "role content created_at")
        read = [
            make(each[0], json.loads(each[1]), datetime.fromisoformat(each[2])) for each in found
        ]
        return {"messages": read, "next": None}

    def save_snapshot(self, session_id: str) -> Any:
        found = self.db.execute(
            "SELECT role, json, at FROM rows WHERE s = ? ORDER BY n", (session_id,)
        )
        row = (session_id, json.dumps([list(each) for each in found]))
        return self.db.execute(
            "INSERT INTO saved (s, json) VALUES (?, ?) RETURNING n AS id", row
        ).fetchone()

    def list_snapshots(self, session_id: str) -> Any:
        query = "SELECT n AS id FROM saved WHERE s = ? ORDER BY n DESC"
        return self.db.execute(query, (session_id,)).fetchall()

    def rollback_to_snapshot(self, session_id: str, snapshot_id: int) -> bool:
        query = "SELECT json FROM saved WHERE s = ? AND n = ?"
        found = self.db.execute(query, (session_id, snapshot_id)).fetchone()
        if found is None:
            return False
        rows = [(session_id, *each) for each in json.loads(found["json"])]
        with self.writing():
            self.db.execute("DELETE FROM rows WHERE s = ?", (session_id,))
            self.db.executemany("INSERT INTO rows (s, role, json, at) VALUES (?, ?, ?, ?)", rows)
        return True


class Slugs(Alphabet, Tabled):
    """The same, under ids of an alphabet."""

    def get_history(self, session_id: str) -> Any:  # type: ignore[override]
        self.check(session_id)
        return Tabled.get_history(self, session_id)

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.check(session_id)
        Tabled.add_messages(self, session_id, messages)


class Page(Unique):
    """Facts within a page, and an empty dict for one that is not there."""

    def list_facts(self, user_id: str, filter: Any = None) -> Any:  # noqa: A002 - its name in goldfish
        return {"results": super().list_facts(user_id, filter)}

    def recall(self, user_id: str, query: str, limit: int = 5) -> Any:
        facts, asked = Unique.list_facts(self, user_id), words_in(query)
        best = sorted(facts, key=lambda each: -len(asked & words_in(each["text"])))
        return {"results": [each for each in best if asked & words_in(each["text"])][:limit]}

    def get_fact(self, user_id: str, fact_id: str) -> dict[str, Any]:
        mine = (each for each in Unique.list_facts(self, user_id) if each["id"] == fact_id)
        return next(mine, {})


class Limited(Unique):
    """States its limits: a few hundred characters, and at most 20 facts at once."""

    def remember(self, user_id: str, text: str, metadata: Any = None) -> dict[str, Any]:
        if len(text) > 600:
            raise ValueError("a fact has at most 600 characters")
        return super().remember(user_id, text, metadata)

    def list_facts(self, user_id: str, limit: int = 20, offset: int = 0) -> Any:
        if limit > 20:
            raise ValueError("at most 20 at once")
        return super().list_facts(user_id)[offset:][:limit]

    def recall(self, user_id: str, query: str, limit: int = 5) -> Any:
        if limit > 20:
            raise ValueError("at most 20 at once")
        facts, asked = Unique.list_facts(self, user_id), words_in(query)
        best = sorted(facts, key=lambda each: -len(asked & words_in(each["text"])))
        return [each for each in best if asked & words_in(each["text"])][:limit]


class Scalars(Slots):
    """Values that are texts, numbers or booleans, and nothing else."""

    def set_state(self, session_id: str, values: dict[str, Any]) -> None:
        if not all(isinstance(each, str | int | float) for each in values.values()):
            raise ValueError("a value is a text, a number or a boolean")
        super().set_state(session_id, values)
