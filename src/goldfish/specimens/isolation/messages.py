"""Stores that mix up sessions, whatever their ids are."""

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Any

from goldfish.encoding import decode_messages
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.isolation.ids import Renamed
from goldfish.specimens.liveness.answering import ReadingRegisters
from goldfish.specimens.references.keys import Rows
from goldfish.specimens.references.sqlite import Reference

# A store that mixes up ordinary sessions fails wherever two of them are used.
ANYWHERE = "ORD DUP DUR FID TRM CLR TTL LIV CON SNP FLT"


variant("forgotten-where", Reference, "ISO01", "leaked", explains=ANYWHERE)(
    bug="The query lacks the session, so everybody reads everything.",
    bodies=lambda self, session_id: [
        body for (body,) in self.db.execute("SELECT body FROM messages ORDER BY n")
    ],
)


@specimen("first-session-sticks", "ISO01", "leaked", explains=ANYWHERE)
class FirstSessionSticks(Renamed):
    bug = "The session of the first call is kept for all later calls."

    first: str | None = None

    def rename(self, session_id: str) -> str:
        self.first = session_id if self.first is None else self.first
        return self.first


@specimen("latest-session-read", "ISO01", "leaked", explains=ANYWHERE)
class LatestSessionRead(Reference):
    bug = "A read returns the session that was written last."

    latest = ""

    def insert(self, session_id: str, rows: Rows) -> None:
        self.latest = session_id
        super().insert(session_id, rows)

    def bodies(self, session_id: str) -> list[str]:
        return super().bodies(self.latest)


variant("thousand-buckets", Renamed, "ISO15", "leaked", explains=ANYWHERE)(
    bug="Sessions share a thousand buckets.",
    rename=lambda self, session_id: str(
        int.from_bytes(hashlib.sha256(Reference.key(self, session_id)).digest()) % 1000
    ),
)


@specimen("hundred-sessions", "ISO15", "lost", explains="FID LIV CLR")
class HundredSessions(Reference):
    bug = "Only the hundred newest sessions are kept, without notice."

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        newest = "SELECT session FROM messages GROUP BY session ORDER BY MAX(n) DESC LIMIT 100"
        self.db.execute(f"DELETE FROM messages WHERE session NOT IN ({newest})")


variant("all-if-unknown", Reference, "ISO17", "leaked", explains=ANYWHERE)(
    bug="The history of an unknown session is that of all sessions.",
    bodies=lambda self, session_id: (
        Reference.bodies(self, session_id) or self.column("SELECT body FROM messages ORDER BY n")
    ),
)
variant("made-by-reading", ReadingRegisters, "ISO17", "phantom", explains="CLR FID LIV TTL")(
    bug="Reading a session creates it."
)


@specimen("shared-empty-list", "ISO17", "phantom", explains="FID CLR")
class SharedEmptyList(Reference):
    bug = "All empty sessions share one list, which callers may change."

    empty: list[Any] = []  # noqa: RUF012 - the bug

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        return super().get_history(session_id, last=last) or self.empty

    def close(self) -> None:
        self.empty.clear()
        super().close()


@specimen("raises-if-unknown", "ISO17", "refused", explains=ANYWHERE)
class RaisesIfUnknown(Reference):
    bug = "Reading a session without messages raises a KeyError."

    def bodies(self, session_id: str) -> list[str]:
        found = super().bodies(session_id)
        if not found:
            raise KeyError(session_id)
        return found


@specimen("same-words-once", "ISO18", "lost", explains=ANYWHERE)
class SameWordsOnce(Reference):
    bug = "A message whose content any session has said before is not stored."

    def insert(self, session_id: str, rows: Rows) -> None:
        said = self.column("SELECT body FROM messages")
        words = {repr(message.content) for message in decode_messages(said)}
        for row in rows:
            (message,) = decode_messages([row[1]])
            if repr(message.content) not in words:
                super().insert(session_id, [row])


@specimen("ids-of-all-sessions", "ISO19", "lost", explains="SNP CLR DUP")
class IdsOfAllSessions(Reference):
    bug = "A message id can be used once in the whole store."

    def insert(self, session_id: str, rows: Rows) -> None:
        for row in rows:
            if not self.column("SELECT 1 FROM messages WHERE id = ?", self.key(row[0])):
                super().insert(session_id, [row])


@specimen("compound-ids", "ISO19", "lost")
class CompoundIds(Reference):
    bug = "Messages are unique by 'session:id', which two pairs may share."

    def set_up(self) -> None:
        self.pairs: dict[str, str] = {}

    def insert(self, session_id: str, rows: Rows) -> None:
        for row in rows:
            if self.pairs.setdefault(f"{session_id}:{row[0]}", session_id) == session_id:
                super().insert(session_id, [row])


@specimen("one-current-session", "ISO20", "leaked", explains="CON LIV")
class OneCurrentSession(Reference):
    bug = "The session of a write is kept in the store while the write waits."

    session = ""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> Any:
        return self._add(session_id, messages)

    async def _add(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        self.session = session_id
        await asyncio.sleep(0)
        super().add_messages(self.session, messages)


@specimen("one-reader-at-a-time", "ISO20", "leaked", explains="CON LIV")
class OneReaderAtATime(Reference):
    bug = "The session of a read is kept in the store while the read waits."

    session = ""

    def get_history(self, session_id: str, *, last: int | None = None) -> Any:
        return self._get(session_id, last)

    async def _get(self, session_id: str, last: int | None) -> list[Any]:
        self.session = session_id
        await asyncio.sleep(0.001)
        return super().get_history(self.session, last=last)


@specimen("last-of-all", "ISO21", "leaked", explains="ORD TTL")
class LastOfAll(Reference):
    bug = "The query for the last messages lacks the session."

    def get_history(self, session_id: str, *, last: int | None = None) -> list[Any]:
        if not last or last < 0:
            return super().get_history(session_id, last=last)
        query = "SELECT body FROM messages ORDER BY n DESC LIMIT ?"
        return self.decode(self.column(query, last)[::-1])


@specimen("lossy-on-disk", "ISO22", "leaked", explains="DUR")
class LossyOnDisk(Reference):
    bug = "Sessions are distinct while the store is open, and lower-cased when it closes."

    def close(self) -> None:
        lower = "CAST(lower(CAST(session AS TEXT)) AS BLOB)"
        self.db.execute(f"UPDATE OR IGNORE messages SET session = {lower}")
        super().close()
