"""Stores whose readers go on from where they were, past what is not committed yet."""

import random
import time
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.references.keys import Rows, encoded
from goldfish.specimens.references.postgres import PostgresReference

NEWS = "SELECT n, body FROM reference WHERE n > %s ORDER BY n"
THERE = "SELECT n FROM reference WHERE session = %s ORDER BY n"


@specimen("reads-after-the-last-number", "CON31", "stale", explains="DUR FLT LIV")
class ReadsAfterTheLastNumber(PostgresReference):
    bug = "An opening reads what comes after the last number it saw; lower ones may commit later."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.last = 0
        self.seen: dict[int, str] = {}

    def write(self, session_id: str, rows: Rows) -> None:
        with self.transaction():
            super().write(session_id, rows)
            time.sleep(random.uniform(0, 0.005))  # what a commit over a network may take

    def read(self, session_id: str) -> list[str]:
        with self.transaction() as db:
            for number, body in db.execute(NEWS, [self.last]).fetchall():
                self.seen[number], self.last = body, number
            there = [number for (number,) in db.execute(THERE, [encoded(session_id)])]
        return [self.seen[number] for number in there if number in self.seen]
