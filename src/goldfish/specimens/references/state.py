"""A plain, correct store with named values: what specimens of state are, but for one bug.

The values of sessions and users are rows of one table, each under its owner and its name.
"""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.encoding import encode_value, refuse_unstorable
from goldfish.specimens.references.snapshots import SnapshotReference

SCHEMA = """
CREATE TABLE IF NOT EXISTS state (
    owner BLOB, name BLOB, value TEXT, PRIMARY KEY (owner, name));
CREATE TABLE IF NOT EXISTS state_copies (snapshot TEXT, name BLOB, value TEXT);
"""


class StateReference(SnapshotReference):
    """A correct store that keeps named values."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.db.executescript(SCHEMA)

    # The methods of a store.

    def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        kept = self.encode_values(values)
        with self.transaction():
            self.bury(session_id)
            self.write(self.owner(session_id, user_id), kept)

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        if user_id is None and self.expired(session_id):
            return {}
        return self.decode_values(self.read(self.owner(session_id, user_id)))

    # What specimens most like to get wrong.

    def owner(self, session_id: str, user_id: str | None) -> bytes:
        """By what the values of a session, or of a user, are found."""
        return b"s" + self.key(session_id) if user_id is None else b"u" + self.key(user_id)

    def encode_values(self, values: Mapping[str, Any]) -> dict[bytes, str]:
        """Names and values as the database keeps them, or an error if one cannot be kept."""
        refuse_unstorable(dict(values), "values")
        return {self.key(name): encode_value(value) for name, value in values.items()}

    def decode_values(self, kept: Mapping[bytes, str]) -> dict[str, Any]:
        """The values by name."""
        return {
            name.decode("utf-8", "surrogatepass"): json.loads(text) for name, text in kept.items()
        }

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        """Put values under their names."""
        rows = [(owner, name, text) for name, text in kept.items()]
        self.db.executemany("INSERT OR REPLACE INTO state VALUES (?, ?, ?)", rows)

    def read(self, owner: bytes) -> dict[bytes, str]:
        """All values of an owner."""
        query = "SELECT name, value FROM state WHERE owner = ?"
        return {bytes(name): text for name, text in self.db.execute(query, (owner,))}

    def remove_state(self, owner: bytes) -> None:
        self.db.execute("DELETE FROM state WHERE owner = ?", (owner,))

    # What a session holds goes, is saved and comes back with it.

    def remove_session(self, session_id: str) -> None:
        super().remove_session(session_id)
        self.remove_state(self.owner(session_id, None))

    def clear_all(self) -> None:
        super().clear_all()
        for table in ("state", "state_copies"):
            self.db.execute(f"DELETE FROM {table}")

    def copy(self, session_id: str, name: str) -> None:
        super().copy(session_id, name)
        self.db.execute(
            "INSERT INTO state_copies SELECT ?, name, value FROM state WHERE owner = ?",
            (name, self.owner(session_id, None)),
        )

    def restore(self, session_id: str, name: str) -> None:
        super().restore(session_id, name)
        self.db.execute(
            "INSERT INTO state SELECT ?, name, value FROM state_copies WHERE snapshot = ?",
            (self.owner(session_id, None), name),
        )
