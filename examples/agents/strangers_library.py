"""A library that goldfish has never heard of, as a target: its own methods under our names."""

from collections.abc import Sequence
from typing import Any

from agents import SQLiteSession

import goldfish


class Sessions:
    """The sessions of the library."""

    def __init__(self, path: str) -> None:
        self.path = path

    async def add_messages(self, session_id: str, messages: Sequence[goldfish.ChatMessage]) -> None:
        items: Any = [{"role": each.role, "content": each.content} for each in messages]
        await SQLiteSession(session_id, self.path).add_items(items)

    async def get_history(self, session_id: str) -> list[Any]:
        return list(await SQLiteSession(session_id, self.path).get_items())


@goldfish.target(carries={"role", "content"}, retries=False)
def sessions(sandbox: Any) -> Sessions:
    return Sessions(str(sandbox.path / "sessions.db"))
