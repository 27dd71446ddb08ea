"""A whole agent of Pydantic AI as a target, which stores its messages as the documentation shows.

Each turn is a row of JSON that ``new_messages_json`` gave; the history is all of a session's rows.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from pydantic_ai import Agent, ModelMessage, ModelMessagesTypeAdapter

from goldfish.integrations.pydantic_ai import PYDANTIC_AI
from goldfish.integrations.shop import INSTRUCTIONS, find_order

CREATE = "CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, session TEXT, messages TEXT)"


class Shop:
    """An agent with one tool, and a table of turns."""

    def __init__(self, sandbox: Any, connection: sqlite3.Connection) -> None:
        self._agent = Agent(
            f"openai:{sandbox.model_name}", instructions=INSTRUCTIONS, tools=[find_order]
        )
        self._connection = connection

    async def say(self, session_id: str, text: str) -> str:
        """Run the agent with the session's messages, and store the new ones."""
        result = await self._agent.run(text, message_history=self._read(session_id))
        row = (session_id, result.new_messages_json().decode())
        with self._connection:
            self._connection.execute("INSERT INTO turns (session, messages) VALUES (?, ?)", row)
        return result.output

    def forget(self, session_id: str) -> None:
        """Delete the session's rows."""
        with self._connection:
            self._connection.execute("DELETE FROM turns WHERE session = ?", [session_id])

    def _read(self, session_id: str) -> list[ModelMessage]:
        query = "SELECT messages FROM turns WHERE session = ? ORDER BY id"
        rows = self._connection.execute(query, [session_id]).fetchall()
        return [each for (row,) in rows for each in ModelMessagesTypeAdapter.validate_json(row)]


@PYDANTIC_AI.agent("agent-pydantic-ai", tools=True, system=INSTRUCTIONS)
def sqlite(sandbox: Any) -> Iterator[Shop]:
    """Keep the messages in a SQLite file."""
    connection = sqlite3.connect(sandbox.path / "messages.db")
    connection.execute(CREATE)
    yield Shop(sandbox, connection)
    connection.close()
