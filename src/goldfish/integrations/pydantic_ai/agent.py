"""A whole agent of Pydantic AI as a target, which stores its messages as the documentation shows.

Each turn is a row of JSON that ``new_messages_json`` gave; the history is all of a session's rows.
"""

from collections.abc import Iterator
from typing import Any

from pydantic_ai import Agent, ModelMessagesTypeAdapter

from goldfish.integrations.pydantic_ai import PYDANTIC_AI
from goldfish.integrations.shop import INSTRUCTIONS, find_order
from goldfish.integrations.turns import Turns, open_turns


class Shop:
    """An agent with one tool, and a table of turns."""

    def __init__(self, sandbox: Any, turns: Turns) -> None:
        self._turns = turns
        self._agent = Agent(
            f"openai:{sandbox.model_name}", instructions=INSTRUCTIONS, tools=[find_order]
        )

    async def say(self, session_id: str, text: str) -> str:
        """Run the agent with the session's messages, and store the new ones."""
        rows = map(ModelMessagesTypeAdapter.validate_json, self._turns.read(session_id))
        history = [message for row in rows for message in row]
        result = await self._agent.run(text, message_history=history)
        self._turns.add(session_id, result.new_messages_json().decode())
        return result.output

    async def forget(self, session_id: str) -> None:
        """Delete the session's messages."""
        self._turns.forget(session_id)


@PYDANTIC_AI.agent("agent-pydantic-ai", tools=True, system=INSTRUCTIONS)
def sqlite(sandbox: Any) -> Iterator[Shop]:
    """Keep the messages in a SQLite file."""
    with open_turns(sandbox.path) as turns:
        yield Shop(sandbox, turns)
