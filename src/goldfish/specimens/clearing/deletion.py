"""Stores that delete other messages than they were asked to, or not for good."""

from collections.abc import Iterable
from typing import Any, ClassVar

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.banning import Banning
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference

variant("delete-the-first-only", Reference, "CLR09", "resurrected")(
    bug="Of several ids only the first is deleted.",
    delete_messages=lambda self, session_id, ids: Reference.delete_messages(
        self, session_id, list(ids)[:1]
    ),
)
variant("delete-one-page", Reference, "CLR12", "resurrected")(
    bug="Of a long list of ids only the first hundred are deleted.",
    delete_messages=lambda self, session_id, ids: Reference.delete_messages(
        self, session_id, list(ids)[:100]
    ),
)


@specimen("delete-by-place", "CLR09", "lost")
class DeleteByPlace(Reference):
    bug = "Ids are turned into positions first, which shift with every deleted message."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        names = [message.id for message in self.decode(self.bodies(session_id))]
        places = [names.index(name) for name in dict.fromkeys(ids) if name in names]
        for place in places:
            there = [message.id for message in self.decode(self.bodies(session_id))]
            super().delete_messages(session_id, there[place : place + 1])
        return len(places)


@specimen("delete-and-what-follows", "CLR09", "lost", explains="DUR")
class DeleteAndWhatFollows(Reference):
    bug = "Deleting a message also deletes those after it, as editing the past would."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        first = "SELECT MIN(n) FROM messages WHERE session = ?1 AND id = ?2"
        query = f"DELETE FROM messages WHERE session = ?1 AND n >= ({first})"
        marks = [(self.key(session_id), self.key(name)) for name in ids]
        return self.db.executemany(query, marks).rowcount


@specimen("delete-reorders", "CLR09", "reordered")
class DeleteReorders(Reference):
    bug = "The last message moves into the gap that a deleted one leaves."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        key, removed = self.key(session_id), 0
        last = "SELECT MAX(n) FROM messages WHERE session = ?"
        for name in ids:
            found = "SELECT n FROM messages WHERE session = ? AND id = ?"
            for n in self.column(found, key, self.key(name)):
                removed += super().delete_messages(session_id, [name])
                move = f"UPDATE messages SET n = ? WHERE n = ({last}) AND n > ?"
                self.db.execute(move, [n, key, n])
        return removed


@specimen("delete-unknown-raises", "CLR10", "refused", explains="LIV")
class DeleteUnknownRaises(Reference):
    bug = "Deleting an id that is not there raises a KeyError."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        removed = super().delete_messages(session_id, wanted := list(ids))
        if removed < len(set(wanted)):
            raise KeyError(wanted)
        return removed


@specimen("delete-none-is-all", "CLR10", "lost")
class DeleteNoneIsAll(Reference):
    bug = "An empty list of ids is taken for no condition, so everything is deleted."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        if not (wanted := list(ids)):
            return self.trim(session_id, keep_last=0)
        return super().delete_messages(session_id, wanted)


variant("delete-in-every-session", Reference, "CLR11", "lost")(
    bug="Messages are deleted by their id in every session.",
    delete_messages=lambda self, session_id, ids: (
        self.db.executemany(
            "DELETE FROM messages WHERE id = ?", [(self.key(name),) for name in ids]
        ).rowcount
    ),
)


@specimen("delete-spares-the-last", "CLR12", "resurrected")
class DeleteSparesTheLast(Reference):
    bug = "One message always stays, because an empty session is not foreseen."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        removed = 0
        for name in ids:
            if len(self.bodies(session_id)) > 1:
                removed += super().delete_messages(session_id, [name])
        return removed


class DeletesWhere(Reference):
    """A store that deletes by a condition on ids, which its children choose."""

    where = "CAST(id AS TEXT) = ?"

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        query = f"DELETE FROM messages WHERE session = ? AND {self.where}"
        return self.db.executemany(query, [(self.key(session_id), name) for name in ids]).rowcount


variant("delete-by-like", DeletesWhere, "CLR13", "lost")(
    bug="Ids are compared with LIKE, which ignores case and takes % and _ as wildcards.",
    where="CAST(id AS TEXT) LIKE ?",
)
variant("delete-by-part", DeletesWhere, "CLR13", "lost")(
    bug="Every message whose id contains the given one is deleted.",
    where="instr(CAST(id AS TEXT), ?) > 0",
)


@specimen("deleted-in-memory", "CLR14", "resurrected", explains="DUR")
class DeletedInMemory(Reference):
    bug = "Deleted messages are hidden from this opening, but stay in the table."

    def set_up(self) -> None:
        self.hidden: set[tuple[str, str]] = set()

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        self.hidden.update((session_id, name) for name in ids)
        return 0

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        names = [message.id for message in self.decode(found)] if self.hidden else []
        if not names:
            return found
        pairs = zip(found, names, strict=True)
        return [body for body, name in pairs if (session_id, name) not in self.hidden]

    def insert(self, session_id: str, rows: Rows) -> None:
        for name, _ in rows:
            self.delete_hidden(session_id, name)
        super().insert(session_id, rows)

    def trim(self, session_id: str, *, keep_last: int) -> int:
        for _, name in [each for each in self.hidden if each[0] == session_id]:
            self.delete_hidden(session_id, name)
        return super().trim(session_id, keep_last=keep_last)

    def delete_hidden(self, session_id: str, name: str) -> None:
        """Delete for good, where the table is touched anyway."""
        if (session_id, name) in self.hidden:
            self.hidden.discard((session_id, name))
            super().delete_messages(session_id, [name])


@specimen("deleted-ids-are-banned", "CLR15", "lost")
class DeletedIdsAreBanned(Banning):
    bug = "The ids of deleted messages stay known, so adding such a message again does nothing."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        wanted = list(ids)
        for name in wanted:
            self.ban("session = ? AND id = ?", self.key(session_id), self.key(name))
        return super().delete_messages(session_id, wanted)


@specimen("deleted-come-back-in-place", "CLR15", "reordered")
class DeletedComeBackInPlace(Reference):
    bug = "A deleted message is only marked, and returns to its old place when added again."

    tables = "CREATE TABLE IF NOT EXISTS old (n INTEGER, session BLOB, id BLOB)"

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        wanted = list(ids)
        row = "SELECT n, session, id FROM messages WHERE session = ? AND id = ?"
        with self.transaction():
            marks = [(self.key(session_id), self.key(name)) for name in wanted]
            self.db.executemany(f"INSERT INTO old {row}", marks)
            return super().delete_messages(session_id, wanted)

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        place = (
            "SELECT old.n FROM old WHERE old.session = messages.session AND old.id = messages.id"
        )
        self.db.execute(f"UPDATE messages SET n = ({place}) WHERE ({place}) IS NOT NULL")


@specimen("trim-counts-the-deleted", "CLR16", "lost")
class TrimCountsTheDeleted(Reference):
    bug = "Deleted messages are blanked and hidden, but a trim still counts them."

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        marks = [(self.key(session_id), self.key(name)) for name in ids]
        blank = "UPDATE messages SET body = '', id = randomblob(9) WHERE session = ? AND id = ?"
        with self.transaction():
            return self.db.executemany(blank, marks).rowcount

    def bodies(self, session_id: str) -> list[str]:
        return [body for body in super().bodies(session_id) if body]


@specimen("last-counts-the-deleted", "CLR16", "lost", explains="SEQ")
class LastCountsTheDeleted(TrimCountsTheDeleted):
    bug = "The last messages are chosen before those that were deleted are left out."

    lacking: ClassVar = {"trim": "its trim is another specimen"}

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if not last:
            return super().get_history(session_id, last=last)
        return self.decode([body for body in Reference.bodies(self, session_id)[-last:] if body])


variant("delete-counts-a-portion", Reference, "CLR20", "wrong")(
    bug="Ids are deleted in portions of 500, and the size of the last portion is returned.",
    delete_messages=lambda self, session_id, ids: (
        (count := Reference.delete_messages(self, session_id, ids)) and (count - 1) % 500 + 1
    ),
)


@specimen("lists-by-pattern", "CLR19", "leaked")
class ListsByPattern(Reference):
    bug = "list_sessions(prefix=…) looks for the prefix with LIKE, unescaped."

    def list_sessions(self, prefix: str = "") -> list[str]:
        found = super().list_sessions()
        like = "SELECT ? LIKE ?"
        return [name for name in found if self.column(like, name, f"{prefix}%") == [1]]
