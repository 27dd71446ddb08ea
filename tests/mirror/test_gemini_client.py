"""Gemini through google-genai and google-adk."""

from typing import Any

import pytest

from goldfish.mirror import Mirror, find_marks
from tests.packages import Lazily, needs

pytestmark = [
    needs("google-genai"),
    pytest.mark.filterwarnings("ignore"),  # clients warn of what is theirs
]

genai = Lazily("google.genai")
MODEL = "gemini-2.5-flash"


@pytest.fixture
def client(mirror: Mirror) -> Any:
    return genai.Client()


def weather(city: str) -> str:
    """Return the weather of a city."""
    return f"rain in {city}"


def test_a_content_has_a_mark(mirror: Mirror, client: Any) -> None:
    """Whole and streamed."""
    config = {"system_instruction": "Be brief."}
    reply = client.models.generate_content(model=MODEL, contents="hello", config=config).text
    assert reply == mirror.exchanges[0].reply
    assert mirror.prompts[0].system == "Be brief."
    pieces = client.models.generate_content_stream(model=MODEL, contents="hello")
    assert "".join(each.text or "" for each in pieces) == mirror.exchanges[1].reply


@pytest.mark.parametrize("model", [MODEL, "gemini-3-pro-preview"])
def test_a_function_is_called_by_the_client_itself(mirror: Mirror, client: Any, model: str) -> None:
    """Automatic function calling sends the call back with its response, and its signature."""
    mirror.call_tool("weather", {"city": "Kiel"})
    chat = client.chats.create(model=model, config={"tools": [weather]})
    reply = chat.send_message("hello").text
    assert reply == mirror.exchanges[-1].reply
    assert "rain in Kiel" in mirror.prompts[-1]
    assert mirror.prompts[-1].messages[-1].role == "tool"


def test_as_many_responses_as_calls(mirror: Mirror, client: Any) -> None:
    """A call that lost its response is refused in the provider's words."""
    call = {"function_call": {"name": "weather", "args": {}}}
    contents = [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [{"text": "never mind"}]},
    ]
    with pytest.raises(genai.errors.ClientError, match="number of function response parts"):
        client.models.generate_content(model=MODEL, contents=contents)
    with pytest.raises(genai.errors.ClientError, match="immediately after a user turn"):
        client.models.generate_content(model=MODEL, contents=contents[1:])


def test_a_call_without_its_signature_is_refused_by_newer_models(
    mirror: Mirror, client: Any
) -> None:
    """In the turn that goes on; the provider names the function and the place."""
    part = {"name": "weather", "args": {}}
    contents = [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"role": "model", "parts": [{"function_call": part}]},
        {"role": "user", "parts": [{"function_response": {"name": "weather", "response": {}}}]},
    ]
    client.models.generate_content(model=MODEL, contents=contents)
    with pytest.raises(genai.errors.ClientError, match="`default_api:weather` , position 2"):
        client.models.generate_content(model="gemini-3-pro-preview", contents=contents)


def test_a_schema_and_vectors_and_tokens(mirror: Mirror, client: Any) -> None:
    """The other routes answer too."""
    schema = {"type": "OBJECT", "properties": {"fact": {"type": "STRING"}}, "required": ["fact"]}
    config = {"response_mime_type": "application/json", "response_schema": schema}
    said = mirror.draw_mark()
    reply = client.models.generate_content(model=MODEL, contents=said, config=config)
    assert said in find_marks(reply.parsed["fact"])
    rows = client.models.embed_content(model="gemini-embedding-001", contents=["one", "two"])
    assert [len(each.values) for each in rows.embeddings] == [3072, 3072]
    assert client.models.count_tokens(model=MODEL, contents="x" * 400).total_tokens == 100


async def test_adk_runs_a_tool(mirror: Mirror) -> None:
    """An agent of google-adk calls its tool and remembers the turn before."""
    adk = pytest.importorskip("google.adk.agents")
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    agent = adk.Agent(name="bot", model=MODEL, instruction="Be brief.", tools=[weather])
    runner = InMemoryRunner(agent, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    mirror.call_tool("weather", {"city": "Kiel"})
    for text in ("My order is 8892", "Where is it?"):
        content = types.Content(role="user", parts=[types.Part(text=text)])
        said = ""
        async for event in runner.run_async(
            user_id="u", session_id=session.id, new_message=content
        ):
            parts: Any = event.content.parts if event.content else []
            said += "".join(each.text or "" for each in parts)
        assert mirror.find_exchange(said) is mirror.exchanges[-1]
    assert "8892" in mirror.prompts[-1]
    assert "rain in Kiel" in mirror.prompts[-1]
    await runner.close()
