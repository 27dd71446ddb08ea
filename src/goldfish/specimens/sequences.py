"""Stores that do each single thing right, and go wrong after a certain sequence of calls."""

import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldfish.messages import Fact, Found
from goldfish.specimens import specimen
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.snapshots import SnapshotReference
from goldfish.specimens.references.sqlite import Reference
from goldfish.specimens.references.state import StateReference


@specimen("counts-on-after-a-clear", "SEQ01", "wrong", explains="CLR ORD ISO")
class CountsOnAfterAClear(Reference):
    bug = "The last messages are counted from all that were ever added, also before a clear."

    def set_up(self) -> None:
        self.ever = Counter[str]()

    def insert(self, session_id: str, rows: Rows) -> None:
        before = len(self.bodies(session_id))
        super().insert(session_id, rows)
        self.ever[session_id] += len(self.bodies(session_id)) - before

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        whole = super().get_history(session_id)
        first = 0 if last is None else max(0, self.ever[session_id] - last)
        return whole[first:]

    def trim(self, session_id: str, *, keep_last: int) -> int:
        removed = super().trim(session_id, keep_last=keep_last)
        self.ever[session_id] -= removed
        return removed

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        removed = super().delete_messages(session_id, ids)
        self.ever[session_id] -= removed
        return removed


@specimen("deletes-by-an-old-place", "SEQ02", "resurrected", explains="CLR TRM")
class DeletesByAnOldPlace(Reference):
    bug = "The place of a message to delete is counted from the start, also after a trim."

    def set_up(self) -> None:
        self.places: dict[str, list[str]] = {}

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        known = self.places.setdefault(session_id, [])
        known += [name for name, _ in rows if name not in known]

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        known = self.places.get(session_id, [])
        named = [each for each in ids if each in known]
        for name in named:
            query = "SELECT n FROM messages WHERE session = ? ORDER BY n LIMIT 1 OFFSET ?"
            for row in self.column(query, self.key(session_id), known.index(name)):
                self.db.execute("DELETE FROM messages WHERE n = ?", (row,))
            known.remove(name)
        return len(named)

    def remove_session(self, session_id: str) -> None:
        super().remove_session(session_id)
        self.places.pop(session_id, None)

    def clear_all(self) -> None:
        super().clear_all()
        self.places.clear()


@specimen("deadline-of-nobody", "SEQ03", "lost", explains="TTL CLR")
class DeadlineOfNobody(StateReference):
    bug = "Clearing all leaves the deadlines of sessions that have values and no messages."

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        if seconds is not None and self.get_state(session_id):
            self.put_deadline(session_id, time.time() + seconds)
        else:
            super().set_ttl(session_id, seconds)

    def clear_all(self) -> None:
        alone = "SELECT session FROM deadlines WHERE session NOT IN (SELECT session FROM messages)"
        kept = [
            (session, at)
            for session in self.column(alone)
            for at in self.column("SELECT at FROM deadlines WHERE session = ?", session)
        ]
        super().clear_all()
        self.db.executemany("INSERT INTO deadlines VALUES (?, ?)", kept)


@specimen("writes-into-its-snapshot", "SEQ04", "resurrected", explains="SNP")
class WritesIntoItsSnapshot(SnapshotReference):
    bug = "After a rollback the session shares its list with the snapshot, and writes go to both."

    def set_up(self) -> None:
        self.shared: dict[str, str] = {}

    def restore(self, session_id: str, name: str) -> None:
        super().restore(session_id, name)
        self.shared[session_id] = name

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        if name := self.shared.get(session_id):
            self.db.executemany(
                "INSERT INTO copies SELECT ?, n, id, body FROM messages WHERE id = ?",
                [(name, self.message_key(each)) for each, _ in rows],
            )

    def remove_session(self, session_id: str) -> None:
        super().remove_session(session_id)
        self.shared.pop(session_id, None)


@specimen("values-before-the-clear", "SEQ05", "stale", explains="CLR SNP DUR CON ISO FLT TTL")
class ValuesBeforeTheClear(StateReference):
    bug = "What was set through this opening is kept beside the table, and survives a clear."

    def set_up(self) -> None:
        self.kept: dict[bytes, dict[bytes, str]] = {}

    def write(self, owner: bytes, kept: Mapping[bytes, str]) -> None:
        own = self.kept.setdefault(owner, {})
        own.update(kept)
        super().write(owner, own)


@specimen("what-it-once-said", "SEQ06", "lost", explains="REV DUP REC")
class WhatItOnceSaid(FactsReference):
    bug = "A fact is known by what it said first: told again after a revision, it is dropped."

    def rewrite(self, row: Any, text: str) -> None:
        self.db.execute(
            "UPDATE facts SET text = ? WHERE user = ? AND id = ?", (self.key(text), row[0], row[1])
        )


@specimen("values-named-since", "SEQ07", "stale", explains="SNP CLR TTL")
class ValuesNamedSince(StateReference):
    bug = "A rollback restores the values that were saved, and leaves those with newer names."

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        owner = self.owner(session_id, None)
        before = self.read(owner)
        super().rollback_to_snapshot(session_id, snapshot_id)
        saved = self.read(owner)
        self.write(owner, {name: text for name, text in before.items() if name not in saved})


@specimen("rolled-back-until-restarted", "SEQ08", "resurrected", explains="SNP DUR")
class RolledBackUntilRestarted(SnapshotReference):
    bug = "A rollback is not in the log: the next opening brings back what it undid."

    tables = "CREATE TABLE IF NOT EXISTS undone (session BLOB, id BLOB, body TEXT);"

    def set_up(self) -> None:
        with self.transaction():
            self.db.execute(f"{self.statement.split(' VALUES')[0]} SELECT * FROM undone")
            self.db.execute("DELETE FROM undone")

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        before = "SELECT session, id, body FROM messages WHERE session = ? ORDER BY n"
        rows = self.db.execute(before, (self.key(session_id),)).fetchall()
        super().rollback_to_snapshot(session_id, snapshot_id)
        self.db.executemany("INSERT INTO undone VALUES (?, ?, ?)", rows)


class SearchingReference(Reference):
    """A correct store that finds messages by their words."""

    def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        found = self.rank(session_ids, query)
        return found[:limit]

    def rank(self, session_ids: Iterable[str], query: str) -> list[Found]:
        """Return the messages of these sessions that share words with the query, best first."""
        asked = _find_words(query)
        ranked = [
            Found(session_id=session, message=message, score=len(asked & words) / len(words))
            for session in dict.fromkeys(session_ids)
            for message in self.get_history(session)
            if asked & (words := _find_words(str(message.content)))
        ]
        return sorted(ranked, key=lambda found: -found.score)


@specimen("best-before-the-sessions", "SEQ09", "lost", explains="REC ISO")
class BestBeforeTheSessions(SearchingReference):
    bug = "A search takes the three best messages of all sessions, then those of the asked ones."

    def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        best = self.rank(self.list_sessions(), query)[:3]
        return [each for each in best if each.session_id in session_ids][:limit]


def _find_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


@specimen("counts-before-it-reads", "SEQ10", "resurrected", explains="REV DUR CON REC DUP")
class CountsBeforeItReads(FactsReference):
    bug = "An opening reads the facts of a user again only when there are more or fewer of them."

    def set_up(self) -> None:
        self.seen: dict[str, list[Any]] = {}

    def list_facts(self, user_id: str, **options: Any) -> list[Fact]:
        (count,) = self.column("SELECT count(*) FROM facts WHERE user = ?", self.key(user_id))
        if options:
            return super().list_facts(user_id, **options)
        if len(self.seen.get(user_id, [])) != count:
            self.seen[user_id] = super().list_facts(user_id)
        return list(self.seen.get(user_id, []))

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        self.seen.pop(user_id, None)
        return super().revise(user_id, fact_id, text)
