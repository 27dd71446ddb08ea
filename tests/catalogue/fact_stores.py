"""Right memories for facts as strangers write them, and each with one bug of a public issue."""

import contextlib
import hashlib
import json
import re
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class LikeFacts:
    """A table that is searched by LIKE, keeps equal facts apart, and has pages of a hundred."""

    schema = """CREATE TABLE IF NOT EXISTS facts (
        id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT, text TEXT, metadata TEXT)"""

    def __init__(self, sandbox: Any) -> None:
        self.db = sqlite3.connect(sandbox.path / "facts.db", timeout=30, isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute(self.schema)

    def rows(self, where: str, *values: Any) -> list[dict[str, Any]]:
        found = self.db.execute(f"SELECT id, text, metadata FROM facts WHERE {where}", values)
        return [{"id": n, "text": text, "metadata": json.loads(more)} for n, text, more in found]

    def remember(self, user_id: str, text: str, metadata: Any = None) -> Any:
        statement = "INSERT INTO facts (user, text, metadata) VALUES (?, ?, ?)"
        name = self.db.execute(statement, (user_id, text, json.dumps(metadata or {}))).lastrowid
        return self.rows("id = ?", name)[0]

    def get_fact(self, user_id: str, fact_id: Any) -> Any:
        if found := self.rows("id = ? AND user = ?", fact_id, user_id):
            return found[0]
        raise KeyError(fact_id)

    def list_facts(self, user_id: str, limit: int = 100, offset: int = 0) -> list[Any]:
        return self.rows("user = ? ORDER BY id LIMIT ? OFFSET ?", user_id, limit, offset)

    def recall(self, user_id: str, query: str, limit: int = 10) -> list[Any]:
        plain = re.sub(r"([\\%_])", r"\\\1", query)
        where = "user = ? AND text LIKE ? ESCAPE '\\' ORDER BY id DESC LIMIT ?"
        return self.rows(where, user_id, f"%{plain}%", limit)

    def revise(self, user_id: str, fact_id: Any, text: str) -> bool:
        statement = "UPDATE facts SET text = ? WHERE id = ? AND user = ?"
        return self.db.execute(statement, (text, fact_id, user_id)).rowcount > 0

    def forget(self, user_id: str, fact_id: Any) -> None:
        statement = "DELETE FROM facts WHERE id = ? AND user = ?"
        if not self.db.execute(statement, (fact_id, user_id)).rowcount:
            raise KeyError(fact_id)

    def forget_all(self, user_id: str) -> None:
        self.db.execute("DELETE FROM facts WHERE user = ?", (user_id,))

    def close(self) -> None:
        self.db.close()


class OwnNumbers(LikeFacts):
    """Numbers the facts of each user from one, and never uses a number again."""

    schema = """CREATE TABLE IF NOT EXISTS facts (
        user TEXT, id INTEGER, text TEXT, metadata TEXT, gone INTEGER DEFAULT 0,
        PRIMARY KEY (user, id))"""

    def rows(self, where: str, *values: Any) -> list[dict[str, Any]]:
        return super().rows(f"gone = 0 AND {where}", *values)

    def remember(self, user_id: str, text: str, metadata: Any = None) -> Any:
        statement = """INSERT INTO facts (user, id, text, metadata)
            SELECT ?1, coalesce(max(id), 0) + 1, ?2, ?3 FROM facts WHERE user = ?1 RETURNING id"""
        values = (user_id, text, json.dumps(metadata or {}))
        ((name,),) = self.db.execute(statement, values).fetchall()
        return self.get_fact(user_id, name)

    def revise(self, user_id: str, fact_id: Any, text: str) -> bool:
        statement = "UPDATE facts SET text = ? WHERE id = ? AND user = ? AND gone = 0"
        return self.db.execute(statement, (text, fact_id, user_id)).rowcount > 0

    def forget(self, user_id: str, fact_id: Any) -> None:
        statement = "UPDATE facts SET gone = 1 WHERE user = ? AND id = ? AND gone = 0"
        if not self.db.execute(statement, (user_id, fact_id)).rowcount:
            raise KeyError(fact_id)

    def forget_all(self, user_id: str) -> None:
        self.db.execute("UPDATE facts SET gone = 1 WHERE user = ?", (user_id,))


class ShortFacts(LikeFacts):
    """It takes no more than 4096 characters, as its schema says."""

    def remember(self, user_id: str, text: str, metadata: Any = None) -> Any:
        if len(text) > 4_096:
            raise ValueError("a fact has at most 4096 characters")
        return super().remember(user_id, text, metadata)


class CosineFacts:
    """Vectors of hashed words, compared with Python's own equality in filters; without a list."""

    def __init__(self, sandbox: Any) -> None:
        self.path = sandbox.path / "vectors.db"
        with self.opened() as db:
            db.execute("CREATE TABLE IF NOT EXISTS m (n INTEGER PRIMARY KEY, user, body)")

    @contextlib.contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self.path, timeout=30)) as db, db:
            yield db

    def embed(self, text: str) -> dict[int, int]:
        vector: dict[int, int] = {}
        for word in re.findall(r"\w+", text.casefold()):
            digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
            place = int.from_bytes(digest[:2], "big")
            vector[place] = vector.get(place, 0) + 1
        return vector

    async def remember(self, user_id: str, text: str, metadata: Any = None) -> Any:
        body = {"id": uuid.uuid4().hex, "text": text, "metadata": metadata or {}}
        with self.opened() as db:
            db.execute("INSERT INTO m (user, body) VALUES (?, ?)", (user_id, json.dumps(body)))
        return body

    def candidates(self, user_id: str) -> list[Any]:
        with self.opened() as db:
            query = "SELECT body FROM m WHERE user = ? ORDER BY n"
            return [json.loads(body) for (body,) in db.execute(query, (user_id,))]

    def rank(self, query: str, facts: list[Any]) -> list[Any]:
        asked = self.embed(query)

        def closeness(fact: Any) -> float:
            vector = self.embed(fact["text"])
            product = sum(count * vector.get(place, 0) for place, count in asked.items())
            return product / (sum(count**2 for count in vector.values()) ** 0.5 or 1)

        return sorted(facts, key=closeness, reverse=True)

    async def recall(self, user_id: str, query: str, limit: int = 5, filter: Any = None) -> Any:  # noqa: A002 - the name that the protocol gives it
        wanted = (filter or {}).items()
        facts = [
            fact
            for fact in self.candidates(user_id)
            if all(fact["metadata"].get(key) == value for key, value in wanted)
        ]
        return self.rank(query, facts)[:limit]


class JsonFacts:
    """One JSON file under a lock, in which a fact is known by its small letters."""

    def __init__(self, sandbox: Any) -> None:
        self.file: Path = sandbox.path / "facts.json"

    @contextlib.contextmanager
    def opened(self) -> Iterator[dict[str, list[Any]]]:
        import fcntl

        with self.file.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            facts = json.loads(self.file.read_text()) if self.file.exists() else {}
            yield facts
            fresh = self.file.with_suffix(".new")
            fresh.write_text(json.dumps(facts))
            fresh.replace(self.file)

    def normalize(self, text: str) -> str:
        return text.strip().lower()

    def remember(self, user_id: str, text: str, metadata: Any = None) -> str:
        with self.opened() as facts:
            mine = facts.setdefault(user_id, [])
            for fact in mine:
                if self.normalize(fact["text"]) == self.normalize(text):
                    fact["metadata"] = metadata or {}
                    return str(fact["id"])
            mine.append({"id": uuid.uuid4().hex, "text": text, "metadata": metadata or {}})
            return str(mine[-1]["id"])

    def list_facts(self, user_id: str) -> list[Any]:
        with self.opened() as facts:
            return list(reversed(facts.get(user_id, [])))


class StrictFacts(JsonFacts):
    """Filters by equality of value and kind: 1 is not 1.0, as it is in a typed column."""

    def list_facts(self, user_id: str, filter: Any = None) -> list[Any]:  # noqa: A002 - its name in goldfish
        return [
            fact
            for fact in super().list_facts(user_id)
            if all(
                key in fact["metadata"] and repr(fact["metadata"][key]) == repr(value)
                for key, value in (filter or {}).items()
            )
        ]


class ForgetsEverybody(LikeFacts):
    """mem0ai/mem0 issue 3928."""

    def forget_all(self, user_id: str) -> None:
        self.db.execute("DELETE FROM facts")


class ForgetsAPage(LikeFacts):
    """mem0ai before 2.2.1: what is deleted is what a list returns."""

    def forget_all(self, user_id: str) -> None:
        for fact in self.list_facts(user_id):
            self.forget(user_id, fact["id"])


class PastesKeys(LikeFacts):
    """SciPhi-AI/R2R issue 2308."""

    def list_facts(  # type: ignore[override]  # it takes a filter, too
        self,
        user_id: str,
        *,
        limit: int = 100,
        offset: int = 0,
        filter: Any = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Any]:
        chosen = "".join(f" AND metadata ->> '{key}' = ?" for key in filter or {})
        where = f"user = ?{chosen} ORDER BY id LIMIT ? OFFSET ?"
        return self.rows(where, user_id, *(filter or {}).values(), limit, offset)


class DropsMetadata(LikeFacts):
    """mem0ai/mem0 issue 5160."""

    def revise(self, user_id: str, fact_id: Any, text: str) -> bool:
        self.db.execute("UPDATE facts SET metadata = '{}' WHERE id = ?", (fact_id,))
        return super().revise(user_id, fact_id, text)


class FiltersTheBest(CosineFacts):
    """MicrosoftDocs/azure-docs issue 114474."""

    async def recall(self, user_id: str, query: str, limit: int = 5, filter: Any = None) -> Any:  # noqa: A002 - the name that the protocol gives it
        wanted = (filter or {}).items()
        found = await super().recall(user_id, query, limit)
        return [
            fact
            for fact in found
            if all(fact["metadata"].get(key) == value for key, value in wanted)
        ]


class ReadsAscii(CosineFacts):
    """google/adk-python issue 5601."""

    def embed(self, text: str) -> dict[int, int]:
        return super().embed(re.sub(r"[^A-Za-z0-9]", " ", text))


class KnowsByLetters(JsonFacts):
    """Lyellr88/marm-memory pull request 217."""

    def normalize(self, text: str) -> str:
        return re.sub(r"\W+", "", text.casefold())
