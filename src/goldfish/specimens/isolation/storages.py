"""Stores whose storages, or own names, get in the way of each other."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import ClassVar

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import encoded
from goldfish.specimens.references.redis import RedisReference
from goldfish.specimens.references.sqlite import Reference


@specimen("a-set-of-the-class", "ISO38", "leaked", explains="CON DUR FLT LIV")
class ASetOfTheClass(Reference):
    bug = "All storages of a process are noted in the class, and read where a session is empty."
    opened: ClassVar[set[Path]] = set()

    def set_up(self) -> None:
        self.opened.add(self.path)

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        for path in () if found else self.opened - {self.path}:
            if path.exists():
                with closing(sqlite3.connect(path)) as other:
                    query = "SELECT body FROM messages WHERE session = ? ORDER BY n"
                    found += [row[0] for row in other.execute(query, (self.key(session_id),))]
        return found

    def close(self) -> None:
        self.opened.discard(self.path)
        super().close()


variant("texts-beside-the-ids", RedisReference, "ISO39", "refused")(
    bug="The texts of session S have the key that the ids of session S#texts would have.",
    keys=lambda self, session_id: [
        b"s:" + encoded(session_id),
        b"s:" + encoded(session_id) + b"#texts",
    ],
)
