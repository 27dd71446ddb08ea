"""A plain, correct store with a window: it keeps the newest messages and a summary of the rest.

The summary quotes every message, like that of a model that forgets nothing. Only ``think`` is slow,
as a model is; what follows is written at once.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens.references.asynchronous import AsyncReference

SCHEMA = "CREATE TABLE IF NOT EXISTS told (n INTEGER PRIMARY KEY, session BLOB, text TEXT)"

Row = tuple[int, str]


class WindowedReference(AsyncReference):
    """A correct store that keeps twelve messages of a session, and a summary."""

    answers = True  # the summary is a message that nobody said
    window = 12
    summarises = True
    thinking = 0.002

    def set_up(self) -> None:
        self.store.db.executescript(SCHEMA)

    async def think(self) -> None:
        """Wait as long as a model takes to make a summary."""
        await asyncio.sleep(self.thinking)

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        await super().add_messages(session_id, messages)
        await self.consolidate(session_id)

    async def consolidate(self, session_id: str) -> None:
        """Move what is beyond the window into the summary, if it is still there."""
        if leaving := self.surplus(session_id):
            await self.think()
            with self.store.db:
                self.store.db.execute("BEGIN IMMEDIATE")
                there = {number for number, _ in self.rows(session_id)}
                self.move(session_id, [row for row in leaving if row[0] in there])

    def move(self, session_id: str, leaving: Sequence[Row]) -> None:
        """Tell of these rows in the summary, and remove them."""
        self.tell(session_id, leaving)
        self.remove(leaving)

    def tell(self, session_id: str, leaving: Sequence[Row]) -> None:
        """Add what these rows say to the summary."""
        self.store.db.executemany(
            "INSERT INTO told (session, text) VALUES (?, ?)",
            [(self.store.key(session_id), body) for _, body in leaving],
        )

    def remove(self, leaving: Sequence[Row]) -> None:
        """Remove these rows from the messages."""
        self.store.db.executemany(
            "DELETE FROM messages WHERE n = ?", [(number,) for number, _ in leaving]
        )

    def rows(self, session_id: str) -> list[Row]:
        """Return the number and the body of each message, oldest first."""
        query = "SELECT n, body FROM messages WHERE session = ? ORDER BY n"
        return list(self.store.db.execute(query, (self.store.key(session_id),)))

    def surplus(self, session_id: str) -> list[Row]:
        """Return the rows that are beyond the window."""
        return self.rows(session_id)[: -self.window]

    def summary(self, session_id: str) -> str:
        """Return the text of the summary."""
        query = "SELECT text FROM told WHERE session = ? ORDER BY n"
        found = self.store.db.execute(query, (self.store.key(session_id),))
        told = self.store.decode([body for (body,) in found])
        return "\n".join(str(each.content) for each in told)

    async def get_history(self, session_id: str) -> list[Any]:  # type: ignore[override]
        messages = self.store.get_history(session_id)
        summary = self.summary(session_id)
        return [ChatMessage(role="system", content=summary), *messages] if summary else messages

    async def clear(self, session_id: str) -> None:
        await super().clear(session_id)
        self.store.db.execute("DELETE FROM told WHERE session = ?", (self.store.key(session_id),))
