"""Memories that are right, as strangers write them, without any declaration."""

import contextlib
import fcntl
import hashlib
import json
import re
import sqlite3
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from goldfish.messages import ChatMessage

Rows = list[dict[str, Any]]


class Dictionary:
    """A dict of lists in this process; it has no place to keep anything."""

    def __init__(self, sandbox: Any) -> None:
        self.sessions: dict[str, list[ChatMessage]] = {}

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        copies = [each.model_copy(deep=True) for each in messages]
        self.sessions.setdefault(session_id, []).extend(copies)

    def get_history(self, session_id: str, last: int | None = None) -> list[ChatMessage]:
        found = [each.model_copy(deep=True) for each in self.sessions.get(session_id, [])]
        return found if last is None else found[max(0, len(found) - last) :]

    def clear(self, session_id: str) -> None:
        self.sessions.pop(session_id, None)


class Files:
    """A JSON file for each session, under a lock, with role and content; dicts come back."""

    def __init__(self, sandbox: Any) -> None:
        self.folder: Path = sandbox.path

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        added = [{"role": each.role, "content": each.content} for each in messages]
        with self.locked(session_id) as file:
            fresh = file.with_suffix(".new")
            fresh.write_text(json.dumps([*self.load(file), *added]))
            fresh.replace(file)

    def get_history(self, session_id: str) -> Rows:
        with self.locked(session_id) as file:
            return self.load(file)

    def load(self, file: Path) -> Rows:
        found: Rows = json.loads(file.read_text()) if file.exists() else []
        return found

    @contextlib.contextmanager
    def locked(self, session_id: str) -> Iterator[Path]:
        name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
        with (self.folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield self.folder / f"{name}.json"


class TwoColumns:
    """A table with a role and a text; ``last`` is passed on to LIMIT."""

    def __init__(self, sandbox: Any) -> None:
        self.db = sqlite3.connect(sandbox.path / "chat.db", timeout=30, isolation_level=None)
        self.db.execute("CREATE TABLE IF NOT EXISTS said (n INTEGER PRIMARY KEY, s, role, text)")

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.check(session_id)
        rows = [(session_id, each.role, each.content) for each in messages]
        with self.writing():
            self.db.executemany("INSERT INTO said (s, role, text) VALUES (?, ?, ?)", rows)

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        self.check(session_id)
        limit = -1 if last is None else last
        found = self.db.execute(
            "SELECT role, text FROM said WHERE s = ? ORDER BY n DESC LIMIT ?", (session_id, limit)
        ).fetchall()
        return [ChatMessage(role=role, content=text) for role, text in reversed(found)]

    def check(self, session_id: str) -> None:
        """Take every id."""

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def close(self) -> None:
        self.db.close()


class Alphabet(TwoColumns):
    """One that takes plain ids and says so of others, before it writes."""

    def check(self, session_id: str) -> None:
        if not re.fullmatch(r"[\w-]{1,64}", session_id, re.ASCII):
            raise ValueError(f"an id has letters, digits, '-' and '_' (got {session_id!r})")


class Dumped(TwoColumns):
    """Whole messages as ``model_dump`` makes them, by id: a known one is replaced in its place."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.db.execute("CREATE TABLE IF NOT EXISTS dumped (n INTEGER PRIMARY KEY, s, id, json)")
        self.db.execute("CREATE UNIQUE INDEX IF NOT EXISTS once ON dumped (s, id)")

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = [
            (session_id, each.id, json.dumps(each.model_dump(mode="json"))) for each in messages
        ]
        with self.writing():
            self.db.executemany(
                "INSERT INTO dumped (s, id, json) VALUES (?, ?, ?) "
                "ON CONFLICT (s, id) DO UPDATE SET json = excluded.json",
                rows,
            )

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        limit = -1 if last is None else last
        found = self.db.execute(
            "SELECT json FROM dumped WHERE s = ? ORDER BY n DESC LIMIT ?", (session_id, limit)
        ).fetchall()
        return [ChatMessage(**json.loads(text)) for (text,) in reversed(found)]


class Typed(TwoColumns):
    """Whole messages as the model's own JSON, written and read by the model itself."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = [(session_id, "", each.model_dump_json()) for each in messages]
        with self.writing():
            self.db.executemany("INSERT INTO said (s, role, text) VALUES (?, ?, ?)", rows)

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        limit = -1 if last is None else last
        found = self.db.execute(
            "SELECT text FROM said WHERE s = ? ORDER BY n DESC LIMIT ?", (session_id, limit)
        ).fetchall()
        return [ChatMessage.model_validate_json(text) for (text,) in reversed(found)]


class Said:
    """A message of a library's own, with no role of ours."""

    def __init__(self, kind: str, content: Any) -> None:
        self.type, self.content = kind, content


class Wrapped(TwoColumns):
    """The messages of a library of its own, async, by a generator."""

    async def get_history(self, session_id: str) -> Any:  # type: ignore[override]
        for each in super().get_history(session_id):
            yield Said("human" if each.role == "user" else "ai", each.content)


class Facts:
    """Facts in a table: equal ones are kept apart, the newest is listed first, by its id alone."""

    def __init__(self, sandbox: Any) -> None:
        self.db = sqlite3.connect(sandbox.path / "facts.db", timeout=30, isolation_level=None)
        self.db.execute("CREATE TABLE IF NOT EXISTS facts (n INTEGER PRIMARY KEY, id, u, text, m)")

    def remember(self, user_id: str, text: str, metadata: Any = None) -> dict[str, Any]:
        name = uuid.uuid4().hex
        row = (name, user_id, text, json.dumps(metadata or {}))
        self.db.execute("INSERT INTO facts (id, u, text, m) VALUES (?, ?, ?, ?)", row)
        return {"id": name, "user_id": user_id, "text": text, "metadata": metadata or {}}

    def list_facts(self, user_id: str, filter: Any = None) -> Rows:  # noqa: A002 - its name in goldfish
        found = self.db.execute("SELECT id, text, m FROM facts WHERE u = ? ORDER BY n", (user_id,))
        return [{"id": name, "text": text, "metadata": json.loads(m)} for name, text, m in found][
            ::-1
        ]

    def recall(self, user_id: str, query: str, limit: int = 5) -> Rows:
        asked = words_in(query)
        shared = [(len(asked & words_in(each["text"])), each) for each in self.list_facts(user_id)]
        best = sorted((pair for pair in shared if pair[0]), key=lambda pair: -pair[0])
        return [each for _, each in best[:limit]]

    def get_fact(self, user_id: str, fact_id: str) -> dict[str, Any] | None:
        found = self.db.execute("SELECT text FROM facts WHERE id = ?", (fact_id,)).fetchone()
        return {"id": fact_id, "text": found[0]} if found else None

    def forget(self, user_id: str, fact_id: str) -> None:
        self.db.execute("DELETE FROM facts WHERE id = ?", (fact_id,))

    def close(self) -> None:
        self.db.close()


class Unique(Facts):
    """One row for each exact text of a user; what is told again brings its metadata along."""

    def remember(self, user_id: str, text: str, metadata: Any = None) -> dict[str, Any]:
        name = hashlib.sha256(f"{user_id}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
        row = (json.dumps(metadata or {}), name, user_id)
        if not self.db.execute("UPDATE facts SET m = ? WHERE id = ? AND u = ?", row).rowcount:
            self.db.execute("INSERT INTO facts (m, id, u, text) VALUES (?, ?, ?, ?)", (*row, text))
        return {"id": name, "text": text}

    def list_facts(self, user_id: str, filter: Any = None) -> Rows:  # noqa: A002 - its name in goldfish
        wanted = (filter or {}).items()
        found = super().list_facts(user_id)[::-1]
        return [each for each in found if wanted <= each["metadata"].items()] if wanted else found

    def get_fact(self, user_id: str, fact_id: str) -> dict[str, Any] | None:
        mine = (each for each in self.list_facts(user_id) if each["id"] == fact_id)
        return next(mine, None)

    def forget(self, user_id: str, fact_id: str) -> None:
        self.db.execute("DELETE FROM facts WHERE id = ? AND u = ?", (fact_id, user_id))


class Sourced(Unique):
    """Notes with each fact where it came from, unless the caller does."""

    def remember(self, user_id: str, text: str, metadata: Any = None) -> dict[str, Any]:
        return super().remember(user_id, text, {"source": user_id, **(metadata or {})})


def words_in(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


class Registered(Dumped):
    """Says of a session that nobody wrote that it is not there, and -1 where no deadline is."""

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        if not (found := super().get_history(session_id, last=last)):
            raise KeyError(session_id)
        return found

    def clear(self, session_id: str) -> None:
        if not self.db.execute("DELETE FROM dumped WHERE s = ?", (session_id,)).rowcount:
            raise KeyError(session_id)

    def set_ttl(self, session_id: str, seconds: float) -> None:
        self.db.execute("CREATE TABLE IF NOT EXISTS ends (s PRIMARY KEY, at)")
        self.db.execute("REPLACE INTO ends VALUES (?, ?)", (session_id, time.time() + seconds))

    def get_ttl(self, session_id: str) -> float:
        self.db.execute("CREATE TABLE IF NOT EXISTS ends (s PRIMARY KEY, at)")
        found = self.db.execute("SELECT at FROM ends WHERE s = ?", (session_id,)).fetchone()
        return found[0] - time.time() if found and found[0] > time.time() else -1


class Windowed(TwoColumns):
    """Keeps the newest ten messages of a session, none of them empty or long."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        for each in messages:
            if not str(each.content).strip() or len(str(each.content)) > 5_000:
                raise ValueError("a message has some words, and not too many")
        super().add_messages(session_id, messages)
        newest = "SELECT n FROM said WHERE s = ? ORDER BY n DESC LIMIT 10"
        self.db.execute(
            f"DELETE FROM said WHERE s = ? AND n NOT IN ({newest})",
            (session_id, session_id),
        )


class Paged(Files):
    """Returns the newest five messages if it is not asked for more, and all as the last none."""

    def get_history(self, session_id: str, last: int = 5) -> Rows:
        return super().get_history(session_id)[-last:]

    def trim(self, session_id: str, keep_last: int) -> None:
        with self.locked(session_id) as file:
            kept = self.load(file)[-keep_last:] if keep_last else []
            file.write_text(json.dumps(kept))


class Pairs(TwoColumns):
    """Messages are pairs of a role and a text, and sessions rows of a page."""

    def get_history(self, session_id: str) -> Any:  # type: ignore[override]
        return [(each.role, each.content) for each in super().get_history(session_id)]

    def clear(self, session_id: str) -> int:
        return self.db.execute("DELETE FROM said WHERE s = ?", (session_id,)).rowcount

    def list_sessions(self, limit: int = 3) -> dict[str, Any]:
        found = self.db.execute("SELECT DISTINCT s FROM said LIMIT ?", (limit,))
        return {"sessions": [{"id": name} for (name,) in found], "next": None}


class TwoSpeakers(TwoColumns):
    """Knows a user and an assistant, and refuses everybody else before it writes anything."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        for each in messages:
            {"user": 0, "assistant": 1}[each.role]
        super().add_messages(session_id, messages)

    def clear(self, session_id: str) -> None:
        self.db.execute("DELETE FROM said WHERE s = ?", (session_id,))


class Strict(Dumped):
    """Ids are UUIDs, as the column is, and metadata texts and numbers."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        for each in messages:
            uuid.UUID(each.id)
            if any(not isinstance(value, str | int | float) for value in each.metadata.values()):
                raise ValueError("metadata are texts and numbers")
        super().add_messages(session_id, messages)


class Constrained(TwoColumns):
    """Leaves it to its table who speaks, and how long a text may be."""

    def __init__(self, sandbox: Any) -> None:
        self.db = sqlite3.connect(sandbox.path / "chat.db", timeout=30, isolation_level=None)
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS said (n INTEGER PRIMARY KEY, s, "
            "role CHECK (role IN ('user', 'assistant', 'system')), "
            "text CHECK (length(text) BETWEEN 1 AND 8000))"
        )


class Rewinding(Files):
    """Snapshots by the caller's label, of which a rollback removes those that are newer."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.saved: dict[str, dict[str, Rows]] = {}

    def clear(self, session_id: str) -> None:
        with self.locked(session_id) as file:
            file.unlink(missing_ok=True)
        self.saved.pop(session_id, None)

    def save_snapshot(self, session_id: str, label: str) -> None:
        self.saved.setdefault(session_id, {})[label] = self.get_history(session_id)

    def rollback_to_snapshot(self, session_id: str, label: str) -> None:
        saved = self.saved[session_id]
        names = list(saved)
        with self.locked(session_id) as file:
            file.write_text(json.dumps(saved[label]))
        for name in names[names.index(label) + 1 :]:
            del saved[name]


class Sliding(Registered):
    """Renews the deadline of a session whenever it is read or written to."""

    spans: dict[str, float]

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.spans = {}

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.renew(session_id)
        super().add_messages(session_id, messages)

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        self.renew(session_id)
        return Dumped.get_history(self, session_id, last=last)

    def clear(self, session_id: str) -> None:
        self.spans.pop(session_id, None)
        self.db.execute("DELETE FROM dumped WHERE s = ?", (session_id,))

    def set_ttl(self, session_id: str, seconds: float) -> None:
        self.spans[session_id] = seconds
        super().set_ttl(session_id, seconds)

    def renew(self, session_id: str) -> None:
        if session_id in self.spans:
            if self.get_ttl(session_id) <= 0:
                self.db.execute("DELETE FROM dumped WHERE s = ?", (session_id,))
                del self.spans[session_id]
            else:
                super().set_ttl(session_id, self.spans[session_id])


class Loose(Facts):
    """Lower case, known a little later, and revised by a new row."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.later: list[tuple[float, str, str]] = []

    def remember(self, user_id: str, text: str) -> None:  # type: ignore[override]
        self.later.append((time.monotonic() + 0.05, user_id, text.lower().strip()))

    def list_facts(self, user_id: str, filter: Any = None) -> Rows:  # noqa: A002 - its name in goldfish
        for each in [each for each in self.later if each[0] < time.monotonic()]:
            self.later.remove(each)
            super().remember(*each[1:])
        return super().list_facts(user_id)

    def revise(self, user_id: str, fact_id: str, text: str) -> None:
        if self.get_fact(user_id, fact_id) is None:
            raise KeyError(fact_id)
        self.forget(user_id, fact_id)
        super().remember(user_id, text.lower().strip())

    def close(self) -> None:
        for _, user_id, text in self.later:
            super().remember(user_id, text)
        super().close()


class Queued(Facts):
    """Takes a fact down in an inbox, from which the next opening takes it up, too."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.db.execute("CREATE TABLE IF NOT EXISTS inbox (n INTEGER PRIMARY KEY, user, text)")
        self.since = time.monotonic()

    def remember(self, user_id: str, text: str) -> None:  # type: ignore[override]
        self.db.execute("INSERT INTO inbox (user, text) VALUES (?, ?)", (user_id, text))

    def list_facts(self, user_id: str, filter: Any = None) -> Rows:  # noqa: A002 - its name in goldfish
        if time.monotonic() > self.since + 0.1:
            self.since = time.monotonic()
            self.take_up()
        return super().list_facts(user_id)

    def take_up(self) -> None:
        """Make facts of what lies in the inbox."""
        self.db.execute("BEGIN IMMEDIATE")
        for user_id, text in self.db.execute("SELECT user, text FROM inbox").fetchall():
            super().remember(user_id, text)
        self.db.execute("DELETE FROM inbox")
        self.db.execute("COMMIT")


class Stamping(Dumped):
    """Adds a word of its own to all metadata, and deletes a list of ids whole or not at all."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        stamp = {"ingested_by": "api"}
        stamped = [
            each.model_copy(update={"metadata": {**each.metadata, **stamp}}) for each in messages
        ]
        super().add_messages(session_id, stamped)

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> None:
        unknown = set(ids) - {each.id for each in self.get_history(session_id)}
        if unknown:
            raise KeyError(min(unknown))
        with self.writing():
            rows = [(session_id, each) for each in ids]
            self.db.executemany("DELETE FROM dumped WHERE s = ? AND id = ?", rows)


class Inheriting(Dictionary):
    """Messages alone; the rest is there in name only, as an abstract base has it."""

    def trim(self, session_id: str, *, keep_last: int) -> int:
        raise NotImplementedError

    def clear(self, session_id: str) -> None:
        raise NotImplementedError("no clear")

    def clear_all(self) -> None:
        raise NotImplementedError

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> int:
        raise NotImplementedError

    def search_history(self, session_ids: Sequence[str], query: str) -> Rows:
        raise NotImplementedError

    def list_sessions(self) -> list[str]:
        raise NotImplementedError

    def set_ttl(self, session_id: str, seconds: float) -> None:
        raise NotImplementedError

    def get_ttl(self, session_id: str) -> float | None:
        raise NotImplementedError

    def remember(self, user_id: str, text: str) -> str:
        raise NotImplementedError

    def recall(self, user_id: str, query: str) -> Rows:
        raise NotImplementedError

    def list_facts(self, user_id: str) -> Rows:
        raise NotImplementedError

    def forget_all(self, user_id: str) -> None:
        raise NotImplementedError

    def set_state(self, session_id: str, values: dict[str, Any]) -> None:
        raise NotImplementedError

    def get_state(self, session_id: str) -> dict[str, Any]:
        raise NotImplementedError

    async def save_snapshot(self, session_id: str) -> str:
        raise NotImplementedError

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        raise NotImplementedError


_held: set[Path] = set()


class Exclusive(Files):
    """Is opened once by each process, as LMDB is, and by as many processes as there are."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        if self.folder in _held:
            raise RuntimeError(f"the environment {self.folder} is already open in this process")
        _held.add(self.folder)

    def close(self) -> None:
        _held.discard(self.folder)


_shared: dict[str, list[ChatMessage]] = {}


class Global(Dictionary):
    """A dict at the level of the module: it is there as long as its process."""

    def __init__(self, sandbox: Any) -> None:
        self.sessions = _shared


class Rounds(Files):
    """Returns the last ten rounds, each of which ends with an answer."""

    def get_history(self, session_id: str) -> Rows:
        messages = super().get_history(session_id)
        answers = [place for place, each in enumerate(messages) if each["role"] == "assistant"]
        is_open = bool(messages) and messages[-1]["role"] != "assistant"
        ends = [0, *(place + 1 for place in answers), *([len(messages)] if is_open else [])]
        return messages[ends[-11] :] if len(ends) > 10 else messages


class Positive(TwoColumns):
    """Takes a last of one and more, as a Redis stream does with its COUNT."""

    def get_history(self, session_id: str, *, last: int | None = None) -> Any:
        if last is not None and last < 1:
            raise ValueError(f"last must be positive (got {last})")
        return super().get_history(session_id, last=last)
