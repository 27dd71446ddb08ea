"""pydantic-ai, with both APIs of OpenAI."""

import pytest

from goldfish.mirror import Mirror
from tests.packages import Lazily, needs

pytestmark = [
    needs("pydantic-ai-slim"),
    pytest.mark.filterwarnings("ignore"),  # clients warn of what is theirs
]

pydantic_ai = Lazily("pydantic_ai")


@pytest.mark.parametrize("model", ["openai:gpt-4o-mini", "openai-responses:gpt-4o-mini"])
async def test_an_agent_calls_its_tool(mirror: Mirror, model: str) -> None:
    """The result is in the next prompt, and the history in the next turn."""
    agent = pydantic_ai.Agent(model, system_prompt="Be brief.")

    def weather(city: str) -> str:
        return f"rain in {city}"

    agent.tool_plain(weather)
    mirror.call_tool("weather", {"city": "Kiel"})
    first = await agent.run("My order is 8892")
    assert mirror.find_exchange(first.output) is mirror.exchanges[-1]
    await agent.run("Where is it?", message_history=first.all_messages())
    assert "8892" in mirror.prompts[-1]
    assert "rain in Kiel" in mirror.prompts[-1]
