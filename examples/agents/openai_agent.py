"""An agent of the OpenAI Agents SDK with a session on a SQLite file, as a target."""

from collections.abc import Sequence
from typing import Any

from agents import Agent, RunConfig, Runner, SQLiteSession

import goldfish
from goldfish.testing import OpenAIAgentsModel


class Assistant:
    """What goldfish asks of a memory, asked of the agent."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.agent = Agent("assistant", model=OpenAIAgentsModel())

    async def add_messages(self, session_id: str, messages: Sequence[goldfish.ChatMessage]) -> None:
        said: Any = [{"role": each.role, "content": each.content} for each in messages]
        config = RunConfig(tracing_disabled=True)
        await Runner.run(self.agent, said, session=self.session(session_id), run_config=config)

    async def get_history(self, session_id: str) -> list[Any]:
        return list(await self.session(session_id).get_items())

    async def clear(self, session_id: str) -> None:
        await self.session(session_id).clear_session()

    def session(self, session_id: str) -> SQLiteSession:
        return SQLiteSession(session_id, self.path)


@goldfish.target(answers=True, carries={"role", "content"}, retries=False)
def assistant(sandbox: Any) -> Assistant:
    return Assistant(str(sandbox.path / "agent.db"))
