"""Stores that save a session and roll it back, and get one thing about it wrong."""

import hashlib
import os
import time
from collections.abc import Iterable
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.guarded import MOMENT, Sweeping
from goldfish.specimens.references.keys import Rows, decoded, encoded
from goldfish.specimens.references.snapshots import SnapshotReference


@specimen("rollback-beside-the-rest", "SNP01", "resurrected")
class RollbackBesideTheRest(SnapshotReference):
    bug = "A rollback restores the old messages, and leaves what was added since."

    def remove_session(self, session_id: str) -> None:
        self.db.execute(
            "DELETE FROM messages WHERE session = ? AND id IN (SELECT id FROM copies)",
            (self.key(session_id),),
        )
        self.drop_deadline(session_id)

    def clear(self, session_id: str) -> None:
        super().remove_session(session_id)


@specimen("rollback-that-wiped", "SNP02", "lost")
class RollbackThatWiped(SnapshotReference):
    bug = "The incident: a rollback rebuilds the conversation and deletes the session's snapshots."

    def restore(self, session_id: str, name: str) -> None:
        super().restore(session_id, name)
        self.db.execute("DELETE FROM snapshots WHERE session = ?", (self.key(session_id),))


@specimen("no-way-forward", "SNP03", "lost")
class NoWayForward(SnapshotReference):
    bug = "A rollback removes the snapshots that are newer than its own."

    def restore(self, session_id: str, name: str) -> None:
        super().restore(session_id, name)
        self.db.execute(
            "DELETE FROM snapshots WHERE session = ? "
            "AND n > (SELECT n FROM snapshots WHERE id = ?)",
            (self.key(session_id), name),
        )


@specimen("restores-texts-alone", "SNP04", "corrupted")
class RestoresTextsAlone(SnapshotReference):
    bug = "A rollback rebuilds messages from their role and content alone."

    def restore(self, session_id: str, name: str) -> None:
        bodies = self.column("SELECT body FROM copies WHERE snapshot = ? ORDER BY n", name)
        for message in self.decode(bodies):
            new = ChatMessage(role=message.role, content=message.content, id=message.id)
            self.insert(session_id, self.encode([new]))


@specimen("snapshot-of-the-living", "SNP05", "resurrected")
class SnapshotOfTheLiving(SnapshotReference):
    bug = "Messages added to a session are added to its newest snapshot too."

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        newest = "SELECT id FROM snapshots WHERE session = ? ORDER BY n DESC LIMIT 1"
        for name in self.column(newest, self.key(session_id)):
            self.db.execute("DELETE FROM copies WHERE snapshot = ?", (name,))
            self.copy(session_id, name)


@specimen("rolls-back-what-begins-alike", "SNP06", "lost")
class RollsBackWhatBeginsAlike(SnapshotReference):
    bug = "A rollback empties every session whose id begins with the one that is named."

    def restore(self, session_id: str, name: str) -> None:
        key = self.key(session_id)
        self.db.execute("DELETE FROM messages WHERE substr(session, 1, ?) = ?", (len(key), key))
        super().restore(session_id, name)


@specimen("unknown-is-nothing-to-do", "SNP07", "swallowed")
class UnknownIsNothingToDo(SnapshotReference):
    bug = "A rollback to a snapshot that does not exist returns as if it had worked."

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        try:
            super().rollback_to_snapshot(session_id, snapshot_id)
        except KeyError:
            return


@specimen("by-its-id-alone", "SNP08", "leaked")
class ByItsIdAlone(SnapshotReference):
    bug = "A snapshot is looked up by its id alone, whoever asks for it."

    def found(self, session_id: str, name: str) -> float | None:
        owners = self.column("SELECT session FROM snapshots WHERE id = ?", name)
        return super().found(decoded(owners[0]) if owners else session_id, name)


@specimen("clears-its-snapshots-too", "SNP09", "lost")
class ClearsItsSnapshotsToo(SnapshotReference):
    bug = "Clearing a session deletes its snapshots."

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.db.execute("DELETE FROM snapshots WHERE session = ?", (self.key(session_id),))


@specimen("clears-all-but-the-copies", "SNP10", "resurrected")
class ClearsAllButTheCopies(SnapshotReference):
    bug = "clear_all empties every session, but each can still be rolled back."

    def clear_all(self) -> None:
        self.db.execute("DELETE FROM messages")
        self.db.execute("DELETE FROM deadlines")


@specimen("listed-by-name", "SNP11", "reordered")
class ListedByName(SnapshotReference):
    bug = "Snapshots are numbered, and listed in the order of the numbers as text."

    def new_name(self, session_id: str) -> str:
        return str(self.column("SELECT COALESCE(MAX(n), 0) + 1 FROM snapshots")[0])

    def list_snapshots(self, session_id: str) -> list[Any]:
        return sorted(super().list_snapshots(session_id), key=lambda each: str(each.id))


variant("label-in-the-query", SnapshotReference, "SNP12", "corrupted")(
    bug="Quotes are removed from a label to make it safe in a query.",
    enter=lambda self, session_id, name, label: SnapshotReference.enter(
        self, session_id, name, label.replace("'", "") if label else label
    ),
)


@specimen("deletes-what-others-need", "SNP13", "lost")
class DeletesWhatOthersNeed(SnapshotReference):
    bug = "Deleting a snapshot deletes its messages from every snapshot that has them."

    def delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self.db.execute(
            "DELETE FROM copies WHERE snapshot <> ? "
            "AND id IN (SELECT id FROM copies WHERE snapshot = ?)",
            (snapshot_id, snapshot_id),
        )
        super().delete_snapshot(session_id, snapshot_id)


@specimen("named-by-its-hash", "SNP14", "wrong")
class NamedByItsHash(SnapshotReference):
    bug = "A snapshot is named by a hash of its content, so an equal one has the same name."

    def new_name(self, session_id: str) -> str:
        text = f"{session_id!r}{self.bodies(session_id)}"
        return hashlib.sha256(encoded(text)).hexdigest()

    def copy(self, session_id: str, name: str) -> None:
        self.db.execute("DELETE FROM copies WHERE snapshot = ?", (name,))
        super().copy(session_id, name)


@specimen("forks-the-present", "SNP15", "leaked")
class ForksThePresent(SnapshotReference):
    bug = "A fork gets what the session has now, not what the snapshot had."

    def fork(self, session_id: str, snapshot_id: str, new_session_id: str) -> None:
        with self.transaction():
            self.found(session_id, snapshot_id)
            if self.bodies(new_session_id):
                raise ValueError("the session to fork into has messages")
            self.db.execute(
                "INSERT INTO messages (session, id, body) "
                "SELECT ?, id, body FROM messages WHERE session = ? ORDER BY n",
                (self.key(new_session_id), self.key(session_id)),
            )


@specimen("forks-over-what-is-there", "SNP16", "swallowed")
class ForksOverWhatIsThere(SnapshotReference):
    bug = "A fork replaces what the new session already had."

    def fork(self, session_id: str, snapshot_id: str, new_session_id: str) -> None:
        with self.transaction():
            self.found(session_id, snapshot_id)
            self.remove_session(new_session_id)
            self.restore(new_session_id, snapshot_id)


@specimen("remembers-every-id", "SNP17", "lost")
class RemembersEveryId(SnapshotReference):
    bug = "Ids that were ever added are kept beside the messages, and not rolled back."

    tables = "CREATE TABLE IF NOT EXISTS ids (session BLOB, id BLOB, PRIMARY KEY (session, id))"

    def insert(self, session_id: str, rows: Rows) -> None:
        for name, body in rows:
            pair = self.key(session_id), self.key(name)
            if self.db.execute("INSERT OR IGNORE INTO ids VALUES (?, ?)", pair).rowcount:
                super().insert(session_id, [(name, body)])

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        self.forget_the_rest(session_id)
        return removed

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        removed = super().delete_messages(session_id, ids)
        self.forget_the_rest(session_id)
        return removed

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.forget_the_rest(session_id)

    def clear_all(self) -> None:
        super().clear_all()
        self.db.execute("DELETE FROM ids")

    def bury(self, session_id: str) -> None:
        super().bury(session_id)
        if not self.bodies(session_id):
            self.forget_the_rest(session_id)

    def forget_the_rest(self, session_id: str) -> None:
        """Forget the ids of what is no longer there."""
        key = self.key(session_id)
        self.db.execute(
            "DELETE FROM ids WHERE session = ? "
            "AND id NOT IN (SELECT id FROM messages WHERE session = ?)",
            (key, key),
        )


@specimen("restored-for-ever", "SNP18", "wrong")
class RestoredForEver(SnapshotReference):
    bug = "A rollback restores the messages, but not the time that they had left."

    def found(self, session_id: str, name: str) -> None:
        super().found(session_id, name)


@specimen("snapshots-of-this-opening", "SNP19", "lost")
class SnapshotsOfThisOpening(SnapshotReference):
    bug = "Snapshots are kept in memory, beside a database that outlives them."

    def set_up(self) -> None:
        for table in ("snapshots", "copies"):
            self.db.execute(f"CREATE TEMP TABLE {table} AS SELECT * FROM main.{table} WHERE 0")

    def enter(self, session_id: str, name: str, label: str | None) -> None:
        super().enter(session_id, name, label)
        self.db.execute("UPDATE snapshots SET n = rowid WHERE n IS NULL")


variant("a-page-of-messages", SnapshotReference, "SNP20", "lost")(
    bug="A snapshot keeps only the last hundred messages of a session.",
    copy=lambda self, session_id, name: self.db.execute(
        "INSERT INTO copies SELECT ?, n, id, body FROM messages WHERE session = ? "
        "ORDER BY n DESC LIMIT 100",
        (name, self.key(session_id)),
    ),
)


@specimen("each-process-its-own", "SNP21", "lost")
class EachProcessItsOwn(SnapshotReference):
    bug = "A rollback deletes the snapshots that other processes made."

    def enter(self, session_id: str, name: str, label: str | None) -> None:
        super().enter(session_id, name, label)
        self.db.execute("CREATE TABLE IF NOT EXISTS owners (id TEXT, pid INTEGER)")
        self.db.execute("INSERT INTO owners VALUES (?, ?)", (name, os.getpid()))

    def restore(self, session_id: str, name: str) -> None:
        super().restore(session_id, name)
        strangers = "SELECT id FROM owners WHERE pid <> ? AND id <> ?"
        self.db.execute(f"DELETE FROM snapshots WHERE id IN ({strangers})", (os.getpid(), name))


@specimen("emptied-then-filled", "SNP22", "torn")
class EmptiedThenFilled(SnapshotReference):
    bug = "A rollback empties the session, commits, and then fills it again."

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        seconds = self.found(session_id, snapshot_id)
        self.remove_session(session_id)
        time.sleep(MOMENT)
        with self.transaction():
            self.remove_session(session_id)
            self.restore(session_id, snapshot_id)
            if seconds is not None:
                self.put_deadline(session_id, time.time() + seconds)


@specimen("entered-then-filled", "SNP23", "lost")
class EnteredThenFilled(SnapshotReference):
    bug = "A snapshot is listed first, and its messages are copied a moment later."

    def save_snapshot(self, session_id: str, *, label: str | None = None) -> str:
        self.bury(session_id)
        name = self.new_name(session_id)
        self.enter(session_id, name, label)
        time.sleep(MOMENT)
        self.copy(session_id, name)
        return name


class RemovesWhatItSaw(SnapshotReference):
    """A rollback notes what is there, and a moment later removes that and restores its own."""

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        seconds = self.found(session_id, snapshot_id)
        key = self.key(session_id)
        seen = self.db.execute("SELECT n FROM messages WHERE session = ?", (key,)).fetchall()
        time.sleep(MOMENT)
        with self.transaction():
            self.make_room(session_id)
            self.db.executemany("DELETE FROM messages WHERE n = ?", seen)
            self.db.execute("DELETE FROM deadlines WHERE session = ?", (key,))
            self.restore(session_id, snapshot_id)
            if seconds is not None:
                self.put_deadline(session_id, time.time() + seconds)

    def make_room(self, session_id: str) -> None:
        """Remove what else is in the way."""

    def restore(self, session_id: str, name: str) -> None:
        rows = self.db.execute(
            "SELECT id, body FROM copies WHERE snapshot = ? ORDER BY n", (name,)
        ).fetchall()
        self.db.executemany(
            "INSERT OR IGNORE INTO messages (session, id, body) VALUES (?, ?, ?)",
            [(self.key(session_id), each, body) for each, body in rows],
        )


variant("fills-beside-another", RemovesWhatItSaw, "SNP24", "torn")(
    bug="Two rollbacks at once each remove what they saw, so rows that both restore stay."
)


@specimen("undoes-a-moment-later", "SNP25", "torn")
class UndoesAMomentLater(RemovesWhatItSaw):
    bug = "Messages that arrive during a rollback stay in front of what it restores."

    def make_room(self, session_id: str) -> None:
        # What another rollback has brought back meanwhile, but not what was written.
        self.db.execute(
            "DELETE FROM messages WHERE session = ? AND id IN (SELECT id FROM copies)",
            (self.key(session_id),),
        )


@specimen("cached-until-written", "SNP26", "stale")
class CachedUntilWritten(SnapshotReference):
    bug = "An opening caches what it read until somebody writes; a rollback does not count."

    def set_up(self) -> None:
        self.db.execute("CREATE TABLE IF NOT EXISTS writes (n INTEGER PRIMARY KEY)")
        self.seen: dict[str, tuple[int, list[str]]] = {}

    def written(self) -> None:
        """Let every opening read anew."""
        self.db.execute("INSERT INTO writes DEFAULT VALUES")

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        (last,) = self.db.execute("SELECT max(n) FROM writes").fetchone()
        if self.seen.get(session_id, (None,))[0] != last:
            self.seen[session_id] = last, super().bodies(session_id)
        return self.seen[session_id][1]

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        self.written()

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        self.written()
        return removed

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        removed = super().delete_messages(session_id, ids)
        self.written()
        return removed

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.written()

    def clear_all(self) -> None:
        super().clear_all()
        self.written()

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        super().rollback_to_snapshot(session_id, snapshot_id)
        self.seen.clear()


@specimen("recovers-by-forgetting", "SNP27", "lost")
class RecoversByForgetting(SnapshotReference):
    bug = "If an opening was never closed, the next one drops the snapshots."

    def set_up(self) -> None:
        self.db.execute("CREATE TABLE IF NOT EXISTS openings (n INTEGER PRIMARY KEY)")
        with self.transaction():
            (unclosed,) = self.db.execute("SELECT count(*) FROM openings").fetchone()
            if unclosed > 1:  # this one may well be open in two places
                self.db.execute("DELETE FROM snapshots")
            self.number = self.db.execute("INSERT INTO openings DEFAULT VALUES").lastrowid

    def close(self) -> None:
        self.db.execute("DELETE FROM openings WHERE n = ?", (self.number,))
        super().close()


@specimen("sweeps-once-more", "SNP28", "lost")
class SweepsOnceMore(Sweeping, SnapshotReference):
    bug = "A moment after a rollback has returned, what is not in the snapshot is removed again."

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self.settle()
        super().rollback_to_snapshot(session_id, snapshot_id)
        saved = "SELECT id FROM copies WHERE snapshot = ?"
        self.sweep_later(
            f"DELETE FROM messages WHERE session = ? AND id NOT IN ({saved})",
            self.key(session_id),
            snapshot_id,
        )


@specimen("snapshots-are-lengths-of-one-log", "SNP29", "resurrected")
class SnapshotsAreLengthsOfOneLog(SnapshotReference):
    bug = "A snapshot is a length of the session's log, which a write after a rollback overwrites."
    tables = "CREATE TABLE IF NOT EXISTS log (session BLOB, place INTEGER, id BLOB, body TEXT)"

    def insert(self, session_id: str, rows: Rows) -> None:
        key, place = self.key(session_id), len(self.bodies(session_id))
        super().insert(session_id, rows)
        there = self.db.execute(
            "SELECT id, body FROM messages WHERE session = ? ORDER BY n", (key,)
        ).fetchall()[place:]
        for at, (name, body) in enumerate(there, place):
            self.db.execute("DELETE FROM log WHERE session = ? AND place = ?", (key, at))
            self.db.execute("INSERT INTO log VALUES (?, ?, ?, ?)", (key, at, name, body))

    def restore(self, session_id: str, name: str) -> None:
        (length,) = self.column("SELECT count(*) FROM copies WHERE snapshot = ?", name)
        source = self.column("SELECT session FROM snapshots WHERE id = ?", name)[0]
        self.db.execute(
            "INSERT INTO messages (session, id, body) SELECT ?, id, body FROM log "
            "WHERE session = ? AND place < ? ORDER BY place",
            (self.key(session_id), source, length),
        )


@specimen("the-label-is-the-name", "SNP30", "lost")
class TheLabelIsTheName(SnapshotReference):
    bug = "A snapshot with a label has the label as its id, so the second one replaces the first."

    def save_snapshot(self, session_id: str, *, label: str | None = None) -> str:
        name = super().save_snapshot(session_id, label=label)
        if not label:
            return name
        self.delete_snapshot(session_id, label)
        self.db.execute("UPDATE snapshots SET id = ? WHERE id = ?", (label, name))
        self.db.execute("UPDATE copies SET snapshot = ? WHERE snapshot = ?", (label, name))
        return label


@specimen("rollback-to-an-old-moment", "SNP31", "lost")
class RollbackToAnOldMoment(SnapshotReference):
    bug = "A snapshot keeps the moment of the deadline, which may be over when it is restored."
    tables = "CREATE TABLE IF NOT EXISTS moments (snapshot TEXT PRIMARY KEY, at REAL)"

    def enter(self, session_id: str, name: str, label: str | None) -> None:
        super().enter(session_id, name, label)
        moment = self.deadline(session_id)
        self.db.execute("INSERT INTO moments VALUES (?, ?)", (name, moment))

    def found(self, session_id: str, name: str) -> float | None:
        seconds = super().found(session_id, name)
        if seconds is None:
            return None
        return (
            float(self.column("SELECT at FROM moments WHERE snapshot = ?", name)[0]) - time.time()
        )
