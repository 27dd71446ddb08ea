"""OpenAI Responses through the openai client and openai-agents."""

from typing import Any

import pytest

from goldfish.mirror import Mirror, find_marks
from tests.packages import Lazily

openai = Lazily("openai")


pytestmark = pytest.mark.filterwarnings("ignore")  # clients warn of what is theirs


@pytest.fixture
def client(mirror: Mirror) -> Any:
    return openai.OpenAI()


def ask(client: Any, given: Any, **options: Any) -> Any:
    create: Any = client.responses.create
    return create(model="gpt-4o-mini", input=given, **options)


FORECAST = {
    "type": "function",
    "name": "forecast",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def test_a_response_has_a_mark(mirror: Mirror, client: Any) -> None:
    """Whole and streamed; instructions are the system prompt."""
    reply = ask(client, "hello", instructions="Be brief.").output_text
    assert mirror.exchanges[0].reply == reply
    assert mirror.prompts[0].system == "Be brief."
    pieces = list(ask(client, "hello", stream=True))
    said = "".join(each.delta for each in pieces if each.type == "response.output_text.delta")
    assert said == mirror.exchanges[1].reply == pieces[-1].response.output_text


def test_a_stream_can_call_tools(mirror: Mirror, client: Any) -> None:
    """The arguments arrive in pieces."""
    mirror.call_tools(("forecast", {"city": "Kiel"}), ("forecast", {"city": "Ulm"}))
    *_, last = ask(client, "hello", stream=True, tools=[FORECAST])
    assert [each.arguments for each in last.response.output] == [
        '{"city": "Kiel"}',
        '{"city": "Ulm"}',
    ]


def test_a_response_continues_an_earlier_one(mirror: Mirror, client: Any) -> None:
    """The prompt has the provider's own history, and says how much of it is not the agent's."""
    first = ask(client, "my order is 8892")
    ask(client, "where is it?", previous_response_id=first.id)
    assert "8892" in mirror.prompts[1]
    assert mirror.prompts[1].earlier == 2
    with pytest.raises(openai.BadRequestError, match="not found"):
        ask(client, "where is it?", previous_response_id="resp_unknown")


def test_a_conversation_is_compacted(mirror: Mirror, client: Any) -> None:
    """The compaction has all marks, and can be sent back."""
    said = mirror.draw_mark()
    first = ask(client, said)
    compacted = client.responses.compact(model="gpt-4o-mini", previous_response_id=first.id)
    given: Any = [each.model_dump(exclude_none=True) for each in compacted.output]
    ask(client, [*given, {"role": "user", "content": "and now?"}])
    assert {said, mirror.exchanges[0].reply_mark} <= set(find_marks(mirror.prompts[-1].text))
    assert mirror.exchanges[1].is_main is False


def test_calls_and_results_belong_together(mirror: Mirror, client: Any) -> None:
    """Either without the other is refused in the provider's words."""
    call = {"type": "function_call", "call_id": "c1", "name": "forecast", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
    with pytest.raises(openai.BadRequestError, match="No tool output found for function call c1"):
        ask(client, [call])
    with pytest.raises(openai.BadRequestError, match="No tool call found for function call output"):
        ask(client, [result])
    ask(client, [call, result])
    assert [each.ended for each in mirror.exchanges] == ["refused", "refused", "answered"]


def test_calls_made_at_once_are_one_message(mirror: Mirror, client: Any) -> None:
    """As they are with every other provider; here each is an item of its own."""
    calls = [
        {"type": "function_call", "call_id": name, "name": "find", "arguments": "{}"}
        for name in ("c1", "c2")
    ]
    results = [
        {"type": "function_call_output", "call_id": name, "output": "found"}
        for name in ("c1", "c2")
    ]
    ask(client, [{"role": "user", "content": "hi"}, *calls, *results])
    said = mirror.prompts[-1].messages[-3]
    assert [each.id for each in said.calls] == ["c1", "c2"]


def test_thoughts_are_kept_with_what_follows_them(mirror: Mirror, client: Any) -> None:
    """A reasoning item without its neighbour, and the other way, is refused."""
    thinking = {"reasoning": {"effort": "low"}}
    output = ask(client, "hello", **thinking).output
    thought, said = [each.model_dump(exclude_none=True) for each in output]
    ask(client, [thought, said], **thinking)
    with pytest.raises(openai.BadRequestError, match="without its required following item"):
        ask(client, [thought], **thinking)
    with pytest.raises(openai.BadRequestError, match="without its required 'reasoning' item"):
        ask(client, [said], **thinking)


def test_a_schema_is_answered_with_an_instance_of_it(mirror: Mirror, client: Any) -> None:
    """The instance holds the marks that were shown."""
    import pydantic

    class Facts(pydantic.BaseModel):
        facts: list[str]
        certain: bool

    said = mirror.draw_mark()
    parsed = client.responses.parse(
        model="gpt-4o-mini", input=said, text_format=Facts
    ).output_parsed
    assert parsed is not None
    assert said in parsed.facts[0]


async def test_openai_agents_runs_a_tool(mirror: Mirror) -> None:
    """An agent of openai-agents calls its tool, and shows the result."""
    agents = pytest.importorskip("agents")

    def weather(city: str) -> str:
        """Return the weather."""
        return f"rain in {city}"

    # Its default client is made once per process; this one belongs to the loop of the test.
    model = agents.OpenAIResponsesModel("gpt-4o-mini", openai.AsyncOpenAI())
    tools = [agents.function_tool(weather)]
    agent = agents.Agent("bot", instructions="Be brief.", model=model, tools=tools)
    mirror.call_tool("weather", {"city": "Kiel"})
    result = await agents.Runner.run(agent, "hello")
    assert mirror.find_exchange(result.final_output) is mirror.exchanges[-1]
    assert "rain in Kiel" in mirror.prompts[-1]
