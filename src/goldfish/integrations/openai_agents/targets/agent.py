"""A whole agent of the OpenAI Agents SDK as a target: a runner with a session in SQLite."""

from typing import Any

from goldfish.targets.agents import agent

INSTRUCTIONS = "You are the assistant of a shop. Answer in one sentence."


@agent(name="agent-openai-agents", tools=True, system=INSTRUCTIONS)
def sqlite(sandbox: Any) -> Any:
    """Open an agent with one tool, whose sessions are in one file."""
    from agents import Agent, Runner, SQLiteSession, function_tool

    @function_tool
    def find_order(number: str) -> str:
        """Find an order by its number."""
        return f"The order {number} is on its way."

    class Shop:
        bot = Agent(
            name="shop", instructions=INSTRUCTIONS, model=sandbox.model_name, tools=[find_order]
        )

        async def say(self, session_id: str, text: str) -> str:
            session = SQLiteSession(session_id, sandbox.path / "sessions.db")
            try:
                return str((await Runner.run(self.bot, text, session=session)).final_output)
            finally:
                session.close()

    return Shop()
