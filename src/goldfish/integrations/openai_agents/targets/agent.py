"""Whole agents of the OpenAI Agents SDK as targets: a runner with sessions in SQLite."""

from collections.abc import Callable
from typing import Any

from agents import Agent, Runner, SQLiteSession, function_tool
from agents.memory import OpenAIResponsesCompactionSession, Session

from goldfish.integrations.openai_agents import OPENAI_AGENTS
from goldfish.integrations.shop import INSTRUCTIONS, find_order


class Shop:
    """An agent with one tool; each turn opens its session and closes it."""

    def __init__(self, sandbox: Any, wrap: Callable[[SQLiteSession], Session]) -> None:
        self._path = sandbox.path / "sessions.db"
        self._wrap = wrap
        self._agent = Agent(
            name="shop",
            instructions=INSTRUCTIONS,
            model=sandbox.model_name,
            tools=[function_tool(find_order)],
        )

    async def say(self, session_id: str, text: str) -> str:
        """Run one turn of the session."""
        session = SQLiteSession(session_id, self._path)
        try:
            result = await Runner.run(self._agent, text, session=self._wrap(session))
            return str(result.final_output)
        finally:
            session.close()

    async def forget(self, session_id: str) -> None:
        """Clear the session."""
        session = SQLiteSession(session_id, self._path)
        await self._wrap(session).clear_session()
        session.close()


@OPENAI_AGENTS.agent("agent-openai-agents", tools=True, system=INSTRUCTIONS)
def sqlite(sandbox: Any) -> Shop:
    """Keep each session in a SQLiteSession."""
    return Shop(sandbox, lambda session: session)


@OPENAI_AGENTS.agent(
    "agent-openai-agents-compaction", tools=True, system=INSTRUCTIONS, summarises=True
)
def compaction(sandbox: Any) -> Shop:
    """Let OpenAI compact each session after ten answers, which is the default."""

    def compact(session: SQLiteSession) -> Session:
        return OpenAIResponsesCompactionSession(session.session_id, session)

    return Shop(sandbox, compact)
