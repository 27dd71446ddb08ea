"""A memory that works until a process is killed in the middle of a write."""

import time
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens import specimen
from goldfish.specimens.references.facts import FactsReference

MOMENT = 0.01


@specimen("facts-written-anew", "DUR29", "lost", explains="CON DUP FLT")
class FactsWrittenAnew(FactsReference):
    bug = "Remembering a fact removes all others for a moment, and writes them again."

    def keep(
        self, user_id: str, text: str, metadata: Mapping[str, Any] | None, ttl: float | None
    ) -> Fact:
        fact = super().keep(user_id, text, metadata, ttl)
        rows = self.db.execute("SELECT * FROM facts").fetchall()
        self.db.execute("DELETE FROM facts")
        time.sleep(MOMENT)
        marks = ", ".join("?" * len(rows[0]))
        self.db.execute("BEGIN")
        self.db.executemany(f"INSERT INTO facts VALUES ({marks})", rows)
        self.db.execute("COMMIT")
        return fact
