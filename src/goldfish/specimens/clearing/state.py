"""Stores that remove named values with the wrong thing, or do not restore them."""

from goldfish.specimens import specimen
from goldfish.specimens.references.state import StateReference


@specimen("clears-values-by-prefix", "CLR40", "lost")
class ClearsValuesByPrefix(StateReference):
    bug = "Clearing a session removes the values of all whose ids begin with the same text."

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        owner = self.owner(session_id, None)
        self.db.execute("DELETE FROM state WHERE substr(owner, 1, ?) = ?", (len(owner), owner))


@specimen("trims-values", "CLR41", "lost", explains="TRM")
class TrimsValues(StateReference):
    bug = "A trim removes the values along with the messages."

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        if removed:
            self.remove_state(self.owner(session_id, None))
        return removed


@specimen("saves-messages-only", "SNP40", "lost")
class SavesMessagesOnly(StateReference):
    bug = "A snapshot does not hold the values."

    def copy(self, session_id: str, name: str) -> None:
        super().copy(session_id, name)
        self.db.execute("DELETE FROM state_copies WHERE snapshot = ?", (name,))


@specimen("rolls-back-messages-only", "SNP40", "stale")
class RollsBackMessagesOnly(StateReference):
    bug = "A rollback leaves the values as they are."

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        there = self.read(self.owner(session_id, None))
        super().rollback_to_snapshot(session_id, snapshot_id)
        self.remove_state(self.owner(session_id, None))
        self.write(self.owner(session_id, None), there)


@specimen("rolls-back-everybody", "SNP41", "stale")
class RollsBackEverybody(StateReference):
    bug = "A snapshot holds the values of all users, and a rollback restores them."

    tables = "CREATE TABLE IF NOT EXISTS others (snapshot TEXT, owner BLOB, name BLOB, value TEXT)"

    def copy(self, session_id: str, name: str) -> None:
        super().copy(session_id, name)
        users = "SELECT ?, * FROM state WHERE substr(owner, 1, 1) = x'75'"
        self.db.execute(f"INSERT INTO others {users}", (name,))

    def restore(self, session_id: str, name: str) -> None:
        super().restore(session_id, name)
        users = "SELECT owner, name, value FROM others WHERE snapshot = ?"
        self.db.execute(f"INSERT OR REPLACE INTO state {users}", (name,))
