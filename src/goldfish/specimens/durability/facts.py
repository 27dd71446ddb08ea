"""Memories that lose facts when a process ends, or miss what other processes do."""

import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import SCHEMA, FactsReference
from goldfish.specimens.references.sqlite import Database

RUN = uuid.uuid4().hex
REOPENED = "DUP REV TTL CON FLT"


variant("facts-gone-on-opening", FactsReference, "DUR23", "lost", explains=REOPENED)(
    bug="Every opening begins with an empty table.",
    set_up=lambda self: self.db.execute("DELETE FROM facts"),
)


@specimen("facts-of-this-run", "DUR45", "lost")
class FactsOfThisRun(FactsReference):
    bug = "Facts are kept under a number that is drawn when the module is imported."

    def __init__(self, sandbox: Any) -> None:
        Database.__init__(self, sandbox.path / f"{RUN}.db")


@specimen("facts-as-first-read", "DUR24", "stale", explains=REOPENED)
class FactsAsFirstRead(FactsReference):
    bug = "The facts of a user are read once, and again only after this opening writes."

    def set_up(self) -> None:
        self.read: dict[str, list[Row]] = {}

    def rows(self, user_id: str) -> list[Row]:
        if user_id not in self.read:
            self.read[user_id] = super().rows(user_id)
        return self.read[user_id]

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        self.read.pop(user_id, None)
        super().keep(user_id, text, metadata, ttl)
        self.read.pop(user_id, None)
        wanted = self.same(text)
        return next(fact for fact in self.list_facts(user_id) if self.same(fact.text) == wanted)

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        self.read.clear()
        fact = super().revise(user_id, fact_id, text)
        self.read.clear()
        return fact.model_copy(update={"text": text})

    def forget(self, user_id: str, fact_id: str) -> None:
        super().forget(user_id, fact_id)
        self.read.clear()

    def forget_all(self, user_id: str) -> None:
        super().forget_all(user_id)
        self.read.clear()


@specimen("hears-of-no-forgetting", "DUR25", "stale", explains=REOPENED)
class HearsOfNoForgetting(FactsReference):
    bug = "Facts that this opening has seen stay until it forgets them itself."

    def set_up(self) -> None:
        self.seen: dict[str, dict[str, Row]] = {}

    def rows(self, user_id: str) -> list[Row]:
        there = self.seen.setdefault(user_id, {})
        there.update({row[1]: row for row in super().rows(user_id)})
        return list(there.values())

    def forget(self, user_id: str, fact_id: str) -> None:
        super().forget(user_id, fact_id)
        self.seen.get(user_id, {}).pop(fact_id, None)

    def forget_all(self, user_id: str) -> None:
        super().forget_all(user_id)
        self.seen.pop(user_id, None)


class KeptInMemory(FactsReference):
    """Facts are in memory while it is open, and in the file when it is closed."""

    def __init__(self, sandbox: Any) -> None:
        self.path = sandbox.path / "facts.db"
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.load()
        self.db.executescript(SCHEMA)

    def load(self) -> None:
        """Begin with what the file has."""
        with sqlite3.connect(self.path, timeout=30) as file:
            file.backup(self.db)
        file.close()

    def close(self) -> None:
        with sqlite3.connect(self.path, timeout=30) as file:
            self.db.backup(file)
        file.close()
        super().close()


variant("facts-written-on-closing", KeptInMemory, "DUR26", "lost", explains=REOPENED)(
    bug="Facts are written to the file only when the store is closed."
)


@specimen("facts-of-the-last-one", "DUR27", "lost", explains=REOPENED)
class FactsOfTheLastOne(KeptInMemory):
    bug = "A process that closes overwrites the facts of the one before."

    def load(self) -> None:
        """Begin with nothing."""
