"""Anthropic Messages through the anthropic client and langchain-anthropic."""

from typing import Any

import pytest

from goldfish.mirror import Mirror, find_marks
from tests.packages import Lazily, needs

pytestmark = [
    needs("anthropic"),
    pytest.mark.filterwarnings("ignore"),  # clients warn of what is theirs
]

anthropic = Lazily("anthropic")
FORECAST = {
    "name": "forecast",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


@pytest.fixture
def client(mirror: Mirror) -> Any:
    return anthropic.Anthropic()


def ask(client: Any, *messages: Any, **options: Any) -> Any:
    sent = [
        {"role": "user", "content": each} if isinstance(each, str) else each for each in messages
    ]
    settings = {"model": "claude-sonnet-4-5", "max_tokens": 2000}
    return client.messages.create(messages=sent, **settings, **options)


def test_a_message_has_a_mark(mirror: Mirror, client: Any) -> None:
    """Whole and streamed; the system prompt is apart."""
    reply = ask(client, "hello", system="Be brief.").content[0].text
    assert mirror.exchanges[0].reply == reply
    assert mirror.prompts[0].system == "Be brief."
    settings = {"model": "claude-sonnet-4-5", "max_tokens": 100}
    with client.messages.stream(messages=[{"role": "user", "content": "hi"}], **settings) as stream:
        assert stream.get_final_text() == mirror.exchanges[1].reply


def test_a_tool_is_called_and_its_result_is_shown(mirror: Mirror, client: Any) -> None:
    """The result is a message of its own in the record."""
    mirror.call_tool("forecast")
    called = ask(client, "hello", tools=[FORECAST])
    (use,) = called.content
    assert find_marks(use.input["city"])
    result = {"type": "tool_result", "tool_use_id": use.id, "content": "rain"}
    ask(
        client,
        "hello",
        {"role": "assistant", "content": called.content},
        {"role": "user", "content": [result, {"type": "text", "text": "and then?"}]},
    )
    shown = mirror.prompts[-1].messages
    assert [each.role for each in shown] == ["user", "assistant", "tool", "user"]
    assert shown[2].call_id == shown[1].calls[0].id


def test_a_result_must_follow_its_call_directly(mirror: Mirror, client: Any) -> None:
    """As the provider wants it, and in its words."""
    use = {"type": "tool_use", "id": "t1", "name": "forecast", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "rain"}
    called = {"role": "assistant", "content": [use]}
    with pytest.raises(anthropic.BadRequestError, match="without `tool_result` blocks immediately"):
        ask(client, "hello", called, "never mind")
    with pytest.raises(anthropic.BadRequestError, match="unexpected `tool_use_id`"):
        ask(client, "hello", {"role": "user", "content": [result]})
    with pytest.raises(anthropic.BadRequestError, match="first message must use the"):
        ask(client, called, {"role": "user", "content": [result]})
    ask(client, "hello", "is anybody there?")  # consecutive messages of the user pass


def test_a_thought_keeps_its_signature(mirror: Mirror, client: Any) -> None:
    """Calls that lost their thought, or a thought without its signature, are refused."""
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    mirror.call_tool("forecast", {"city": "Kiel"})
    thought, use = ask(client, "hello", tools=[FORECAST], **thinking).content
    result = {"type": "tool_result", "tool_use_id": use.id, "content": "rain"}
    last = {"role": "user", "content": [result]}
    ask(client, "hello", {"role": "assistant", "content": [thought, use]}, last, **thinking)
    with pytest.raises(anthropic.BadRequestError, match="Expected `thinking`"):
        ask(client, "hello", {"role": "assistant", "content": [use]}, last, **thinking)
    bare = {"type": "thinking", "thinking": thought.thinking, "signature": "forged"}
    with pytest.raises(anthropic.BadRequestError, match="Invalid `signature`"):
        ask(client, "hello", {"role": "assistant", "content": [bare, use]}, last, **thinking)


def test_tokens_are_counted(mirror: Mirror, client: Any) -> None:
    """By characters; no prompt is recorded for it."""
    messages = [{"role": "user", "content": "x" * 400}]
    counted = client.messages.count_tokens(model="claude-sonnet-4-5", messages=messages)
    assert counted.input_tokens == 100
    assert mirror.prompts == []


def test_an_overloaded_provider_is_retried(mirror: Mirror, client: Any) -> None:
    """529 once, then an answer."""
    mirror.fail(529)
    ask(client, "hello")
    assert [each.status for each in mirror.exchanges] == [529, 200]


def test_langchain_anthropic_is_answered(mirror: Mirror) -> None:
    """ChatAnthropic reads the environment, calls tools, and parses structured output."""
    langchain = pytest.importorskip("langchain_anthropic")
    model = langchain.ChatAnthropic(model="claude-sonnet-4-5")
    assert model.invoke("hello").content == mirror.exchanges[0].reply
    assert "".join(each.text for each in model.stream("hello")) == mirror.exchanges[1].reply
    schema = {"title": "Facts", "type": "object", "properties": {"fact": {"type": "string"}}}
    said = mirror.draw_mark()
    assert said in model.with_structured_output(schema).invoke(said)["fact"]
