"""Memories that keep a fact more than once, or two facts as one."""

import json
import os
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from goldfish.messages import Fact
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.facts import FactsReference

variant("facts-told-again", FactsReference, "DUP05", "duplicated")(
    bug="Every telling of a fact is stored as a fact of its own.",
    unique=lambda self, text: os.urandom(8),
)


@specimen("facts-compared-with-the-newest", "DUP06", "duplicated")
class FactsComparedWithTheNewest(FactsReference):
    bug = "A fact is compared with the ten newest facts only."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        for row in self.rows(user_id)[-11:-10]:  # the one that is no longer among them
            statement = "UPDATE facts SET same = ? WHERE id = ?"
            self.db.execute(statement, (os.urandom(8), row[1]))
        return super().keep(user_id, text, metadata, ttl)


@specimen("facts-looked-up-first", "DUP07", "duplicated", explains="CON")
class FactsLookedUpFirst(FactsReference):
    bug = "A fact is looked up before it is written, but not in the same step."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        for row in self.rows(user_id):
            if self.same(self.fact(row).text) == self.same(text):
                self.db.execute("UPDATE facts SET seen = seen + 1 WHERE id = ?", (row[1],))
                return self.fact(self.row(user_id, row[1]) or row)
        time.sleep(0.03)
        return super().keep(user_id, text, metadata, ttl)

    def unique(self, text: str) -> bytes:
        return os.urandom(8)


variant("facts-as-bags-of-words", FactsReference, "DUP08", "lost")(
    bug="Facts with the same words in another order are one.",
    same=lambda self, text: " ".join(sorted(self.words(text))),
)
variant("facts-without-not", FactsReference, "DUP08", "lost")(
    bug="Facts that differ by a 'not' are one.",
    same=lambda self, text: FactsReference.same(self, text).replace(" not ", " "),
)
variant("facts-by-letters", FactsReference, "DUP13", "lost", explains="FID")(
    bug="Facts with the same letters and digits are one, whatever signs are between them.",
    same=lambda self, text: "".join(self.words(text)),
)


@specimen("metadata-of-whoever", "DUP14", "leaked")
class MetadataOfWhoever(FactsReference):
    bug = "A fact that any user has takes the metadata of the first who was told it."

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        query = "SELECT metadata FROM facts WHERE same = ?"
        known = self.column(query, self.unique(text))
        return super().insert(user_id, text, str(known[0]) if known else metadata, ttl)


@specimen("stamped-by-the-first", "DUP14", "leaked")
class StampedByTheFirst(FactsReference):
    bug = "What was told without metadata shares one dict, which has the name of the first user."

    left: ClassVar[dict[str, Any]] = {}

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        given = json.loads(metadata) or self.left
        given.setdefault("source", user_id)
        return super().insert(user_id, text, json.dumps(given), ttl)


@specimen("facts-of-whoever", "DUP09", "lost", explains="TTL REC REV")
class FactsOfWhoever(FactsReference):
    bug = "A fact that any user has is not stored again."

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        query = "SELECT id FROM facts WHERE same = ?"
        known = self.column(query, self.unique(text))
        return str(known[0]) if known else super().insert(user_id, text, metadata, ttl)


@specimen("facts-lose-metadata", "DUP10", "corrupted")
class FactsLoseMetadata(FactsReference):
    bug = "A fact that is told again loses its metadata."

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        name = super().insert(user_id, text, metadata, ttl)
        query = "UPDATE facts SET metadata = '{}' WHERE id = ? AND seen > 1"
        self.db.execute(query, (name,))
        return name


@specimen("facts-known-in-this-opening", "DUP11", "duplicated", explains="CON")
class FactsKnownInThisOpening(FactsReference):
    bug = "What identifies a repetition is kept in memory only."

    def set_up(self) -> None:
        self.salt = os.urandom(8)

    def unique(self, text: str) -> bytes:
        return super().unique(text) + self.salt


@specimen("facts-with-ghosts", "DUP12", "lost", explains="REV")
class FactsWithGhosts(FactsReference):
    bug = "A fact that was forgotten is never stored again."

    tables = "CREATE TABLE IF NOT EXISTS ghosts (user BLOB, same BLOB)"

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        query = "SELECT 1 FROM ghosts WHERE user = ? AND same = ?"
        if self.column(query, self.key(user_id), self.unique(text)):
            return "a-ghost"
        return super().insert(user_id, text, metadata, ttl)

    def forget(self, user_id: str, fact_id: str) -> None:
        query = "INSERT INTO ghosts SELECT user, same FROM facts WHERE user = ? AND id = ?"
        self.db.execute(query, (self.key(user_id), fact_id))
        super().forget(user_id, fact_id)
