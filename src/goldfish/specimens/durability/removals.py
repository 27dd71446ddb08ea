"""Stores that go on writing to a file which another opening has replaced."""

from typing import ClassVar

from goldfish.specimens import specimen
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference


class Compacting(Reference):
    """A store that counts the trims of a session, each of which makes it a new file."""

    tables = "CREATE TABLE IF NOT EXISTS compactions (session BLOB)"

    def count_compactions(self, session_id: str) -> int:
        """Return which file of the session is the one that has its path."""
        query = "SELECT COUNT(*) FROM compactions WHERE session = ?"
        return int(self.column(query, self.key(session_id))[0])

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        if removed:
            self.db.execute("INSERT INTO compactions VALUES (?)", (self.key(session_id),))
            self.open_anew(session_id)
        return removed

    def open_anew(self, session_id: str) -> None:
        """Use the new file from now on, in this opening."""

    def insert(self, session_id: str, rows: Rows) -> None:
        if self.file_in_use(session_id) == self.count_compactions(session_id):
            super().insert(session_id, rows)  # else it goes to a file that nobody will read

    def file_in_use(self, session_id: str) -> int:
        """Return which file of the session this opening appends to."""
        return self.count_compactions(session_id)


@specimen("appends-to-a-replaced-file", "DUR30", "lost", explains="TRM")
class AppendsToAReplacedFile(Compacting):
    bug = "An opening goes on writing to the file that it opened, which another has replaced."

    def set_up(self) -> None:
        self.files: dict[str, int] = {}

    def open_anew(self, session_id: str) -> None:
        self.files.pop(session_id, None)

    def file_in_use(self, session_id: str) -> int:
        return self.files.setdefault(session_id, self.count_compactions(session_id))


@specimen("one-file-handle-for-a-process", "DUR31", "lost", explains="TRM")
class OneFileHandleForAProcess(Compacting):
    bug = "The openings of a process share a file, which another process may have replaced."

    files: ClassVar[dict[tuple[str, str], int]] = {}

    def open_anew(self, session_id: str) -> None:
        self.files.pop((str(self.path), session_id), None)

    def file_in_use(self, session_id: str) -> int:
        where = str(self.path), session_id
        return self.files.setdefault(where, self.count_compactions(session_id))
