"""A whole agent of Google's ADK as a target: a runner with sessions in SQLite."""

from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

from goldfish.integrations.adk import ADK
from goldfish.integrations.shop import INSTRUCTIONS, find_order

APP, MODEL = "shop", "gemini-2.5-flash"


class Shop:
    """A runner; sessions belong to users."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    async def say(self, session_id: str, text: str, user_id: str) -> str:
        """Run one turn, and return the final response."""
        said = types.Content(role="user", parts=[types.Part(text=text)])
        reply = ""
        async for event in self._runner.run_async(
            user_id=user_id, session_id=session_id, new_message=said
        ):
            if event.is_final_response() and event.content and event.content.parts:
                reply = "".join(part.text or "" for part in event.content.parts)
        return reply

    async def forget(self, session_id: str, user_id: str) -> None:
        """Delete the session."""
        await self._runner.session_service.delete_session(
            app_name=APP, user_id=user_id, session_id=session_id
        )


@ADK.agent("agent-adk", tools=True, system=INSTRUCTIONS)
async def sqlite(sandbox: Any) -> AsyncIterator[Shop]:
    """Keep sessions in a SqliteSessionService."""
    agent = LlmAgent(name="assistant", model=MODEL, instruction=INSTRUCTIONS, tools=[find_order])
    service = SqliteSessionService(str(sandbox.path / "sessions.db"))
    runner = Runner(app_name=APP, agent=agent, session_service=service, auto_create_session=True)
    yield Shop(runner)
    await runner.close()
