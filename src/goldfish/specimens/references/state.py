"""A plain, correct store with named values, rows of one table under their owner and name."""

import json
from collections.abc import Mapping
from typing import Any

from goldfish.encoding import encode_value, refuse_unstorable
from goldfish.specimens.references.keys import decoded
from goldfish.specimens.references.snapshots import SnapshotReference


class StateReference(SnapshotReference):
    """A correct store that keeps named values."""

    tables = """
        CREATE TABLE IF NOT EXISTS state (
            owner BLOB, name BLOB, value TEXT, PRIMARY KEY (owner, name));
        CREATE TABLE IF NOT EXISTS state_copies (snapshot TEXT, name BLOB, value TEXT);
    """

    # The methods of a store.

    def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        self.put(session_id, values, user_id)

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        if user_id is None and self.expired(session_id):
            return {}
        return self.decode_values(self.read(self.owner(session_id, user_id)))

    # What specimens most like to get wrong.

    def put(self, session_id: str, values: Mapping[str, Any], user_id: str | None) -> None:
        """Set the values of a session, or of a user."""
        kept = self.encode_values(values)
        with self.transaction():
            self.bury(session_id)
            self.write(self.owner(session_id, user_id), kept)

    def owner(self, session_id: str, user_id: str | None) -> bytes:
        """Return the key of the values of a session, or of a user."""
        return b"s" + self.key(session_id) if user_id is None else b"u" + self.key(user_id)

    def encode_values(self, values: Mapping[str, Any]) -> dict[bytes, str]:
        """Return names and values as the database keeps them; raise if one cannot be kept."""
        refuse_unstorable(dict(values), "values")
        return {self.key(name): encode_value(value) for name, value in values.items()}

    def decode_values(self, kept: Mapping[bytes, str]) -> dict[str, Any]:
        """Return the values by name."""
        return {decoded(name): json.loads(value) for name, value in kept.items()}

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        """Put values under their names."""
        rows = [(owner, name, text) for name, text in kept.items()]
        self.db.executemany("INSERT OR REPLACE INTO state VALUES (?, ?, ?)", rows)

    def read(self, owner: bytes) -> dict[bytes, str]:
        """Return all values of an owner."""
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
