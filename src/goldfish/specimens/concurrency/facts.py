"""Memories for facts that work as long as one call comes after the other."""

import asyncio
import time
import uuid
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens import specimen
from goldfish.specimens.references.asynchronous import AsyncFacts
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.guarded import locked_by_hash


@specimen("facts-numbered-before", "CON18", "lost", explains="DUP DUR")
class FactsNumberedBefore(FactsReference):
    bug = "The place of a fact is chosen before it is written, over whatever came meanwhile."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        same = [
            row for row in self.rows(user_id) if self.same(self.fact(row).text) == self.same(text)
        ]
        if same:
            return super().keep(user_id, text, metadata, ttl)
        (place,) = self.db.execute("SELECT COALESCE(MAX(n), 0) + 1 FROM facts").fetchone()
        time.sleep(0.01)
        values = (place, self.key(user_id), uuid.uuid4().hex, self.unique(text), self.key(text))
        deadline = None if ttl is None else self.now() + ttl
        self.db.execute(
            "INSERT OR REPLACE INTO facts (n, user, id, same, text, metadata, seen, deadline)"
            " VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
            (*values, self.encode(metadata), deadline),
        )
        return Fact(id=values[2], user_id=user_id, text=text)


@specimen("facts-locked-by-hash", "CON18", "lost", explains="DUP DUR")
class FactsLockedByHash(FactsNumberedBefore):
    bug = "The lock around it is chosen by hash(), so other programs do not take it."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        with locked_by_hash(self.path, user_id):
            return super().keep(user_id, text, metadata, ttl)


@specimen("one-current-fact", "CON19", "lost")
class OneCurrentFact(AsyncFacts):
    bug = "The fact being told is one variable for all calls."

    current = ""

    async def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        self.current = text
        await asyncio.sleep(0)
        return self.store.remember(user_id, self.current, metadata=metadata)


@specimen("fails-with-its-neighbours", "CON20", "refused")
class FailsWithItsNeighbours(AsyncFacts):
    bug = "Facts that are told at the same moment are written together or not at all."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.waiting: list[Mapping[str, Any] | None] = []

    async def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        together = self.waiting
        together.append(metadata)
        await asyncio.sleep(0.01)
        self.waiting = []
        for each in together:
            self.store.encode(each)
        return self.store.remember(user_id, text, metadata=metadata)


@specimen("saves-an-older-copy", "CON23", "lost", explains="DUR DUP")
class SavesAnOlderCopy(AsyncFacts):
    bug = "Each call saves a copy of all facts, and a slow one overwrites what came meanwhile."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.saves = 0
        self.undone: list[tuple[str, str]] = []

    async def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        self.saves += 1
        mine = self.saves
        await asyncio.sleep(0)
        fact = self.store.remember(user_id, text, metadata=metadata)
        if self.saves > mine and mine % 20 == 0:  # the copy of another call lacks it
            self.undone.append((user_id, fact.id))
        return fact

    async def aclose(self) -> None:
        for user_id, name in self.undone:
            self.store.forget(user_id, name)
        self.store.close()


@specimen("revises-in-two-steps", "CON21", "lost", explains="REV REC")
class RevisesInTwoSteps(FactsReference):
    bug = "A revision removes the fact, then adds it again."

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        row = self.row(user_id, fact_id)
        if row is None:
            raise KeyError(f"{user_id} has no fact {fact_id}")
        self.keep_earlier(row)
        self.db.execute("DELETE FROM facts WHERE id = ?", (fact_id,))
        time.sleep(0.02)
        name = self.insert(user_id, text, row[3], None)
        self.db.execute("UPDATE facts SET id = ? WHERE id = ?", (fact_id, name))
        return self.fact(self.row(user_id, fact_id) or row)


@specimen("forgets-over-what-came", "CON24", "lost", explains="REV")
class ForgetsOverWhatCame(FactsReference):
    bug = "Forgetting a fact writes back the others as they were read, over what came meanwhile."

    def forget(self, user_id: str, fact_id: str) -> None:
        kept = [row[1] for row in self.rows(user_id) if row[1] != fact_id]
        time.sleep(0.01)
        marks = ", ".join("?" * len(kept))
        self.db.execute(
            f"DELETE FROM facts WHERE user = ? AND id NOT IN ({marks})", (self.key(user_id), *kept)
        )


@specimen("forgets-from-an-older-copy", "CON25", "lost")
class ForgetsFromAnOlderCopy(AsyncFacts):
    bug = "A call that forgets lets others tell facts between its read and its write, undoing them."

    async def forget(self, user_id: str, fact_id: str) -> None:
        kept = {fact.id for fact in self.store.list_facts(user_id)} - {fact_id}
        await asyncio.sleep(0)
        for fact in self.store.list_facts(user_id):
            if fact.id not in kept:
                self.store.forget(user_id, fact.id)
