"""Memories for facts that hide a fault, or never recover from it."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens import specimen
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.keys import decoded
from goldfish.specimens.references.redis import ignore, is_restarted
from goldfish.specimens.references.redis_facts import FactsOnRedis


@specimen("empties-facts-after-a-restart", "DUR28", "lost", explains="FLT")
class EmptiesFactsAfterARestart(FactsOnRedis):
    bug = "An opening takes what an earlier run of the server left for rubbish, and removes it."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        if is_restarted(self.redis):
            for key in list(self.redis.scan_iter(b"facts:*")):
                self.redis.delete(key)


@specimen("knows-nothing-when-cut-off", "FLT29", "swallowed")
class KnowsNothingWhenCutOff(FactsOnRedis):
    bug = "If the server does not answer, the memory returns no facts."

    def rows(self, user_id: str) -> list[Row]:
        with ignore("RedisError"):
            return super().rows(user_id)
        return []


@specimen("knows-no-id-when-cut-off", "FLT32", "swallowed")
class KnowsNoIdWhenCutOff(FactsOnRedis):
    bug = "If the server does not answer, a fact that is asked for by its id is said to be unknown."

    def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        with ignore("RedisError"):
            return super().get_fact(user_id, fact_id)
        return None


@specimen("fails-for-ever", "FLT30", "wedged")
class FailsForEver(FactsOnRedis):
    bug = "After one error, every call raises the same error."

    failed: Exception | None = None

    def rows(self, user_id: str) -> list[Row]:
        if self.failed is not None:
            raise self.failed
        try:
            return super().rows(user_id)
        except Exception as error:
            self.failed = error
            raise


@specimen("acknowledges-on-a-full-disk", "FLT31", "lost")
class AcknowledgesOnAFullDisk(FactsReference):
    bug = "A fact that cannot be written is acknowledged all the same."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        try:
            return super().keep(user_id, text, metadata, ttl)
        except sqlite3.OperationalError:
            return Fact(id="unwritten", user_id=user_id, text=text)


@specimen("keeps-what-it-cannot-save", "FLT31", "lost", explains="DUR")
class KeepsWhatItCannotSave(FactsReference):
    bug = "A fact that cannot be written is acknowledged, and waits in memory for the next write."

    def set_up(self) -> None:
        self.waiting: list[tuple[str, Row]] = []

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        try:
            for owner, row in self.waiting:
                super().keep(owner, decoded(row[2]), None, None)
            self.waiting = []
            return super().keep(user_id, text, metadata, ttl)
        except sqlite3.OperationalError:
            row = (self.key(user_id), "waiting", self.key(text), "{}", 1)
            self.waiting.append((user_id, row))
            return self.fact(row)

    def rows(self, user_id: str) -> list[Row]:
        return [*super().rows(user_id), *(row for owner, row in self.waiting if owner == user_id)]
