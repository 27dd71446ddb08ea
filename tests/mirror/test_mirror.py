"""The mirror records, answers by script, and breaks off, as seen through the openai client."""

from typing import Any

import httpx
import pytest

from goldfish.mirror import Mirror, find_marks
from tests.packages import Lazily

openai = Lazily("openai")


@pytest.fixture(scope="module")
def client(server: Mirror) -> Any:
    return openai.OpenAI(base_url=server.url, api_key="none")


def say(client: Any, *texts: str, **options: Any) -> Any:
    roles = "user", "assistant"
    messages: Any = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    create: Any = client.chat.completions.create
    return create(model="gpt-4o-mini", messages=messages, **options)


def stream(client: Any, *texts: str) -> str:
    chunks = say(client, *texts, stream=True)
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def test_a_reply_has_a_mark_of_its_own(mirror: Mirror, client: Any) -> None:
    """The request that made an answer is found by the mark in it."""
    first, second = (say(client, "hello").choices[0].message.content for _ in range(2))
    assert first != second
    found = mirror.find_exchange(f"The model says: {first}")
    assert found is mirror.exchanges[0]
    assert found.reply_mark in first
    assert found.ended == "answered"
    assert "hello" in found.prompt


def test_a_stream_says_what_a_whole_reply_says(mirror: Mirror, client: Any) -> None:
    """The pieces join to the recorded reply."""
    text = stream(client, "hello")
    assert text == mirror.exchanges[0].reply
    assert mirror.exchanges[0].is_streamed


def test_a_failure_lasts_until_the_turn_ends(mirror: Mirror, client: Any) -> None:
    """The client's own retries fail too, and the next turn is answered."""
    with mirror.turn() as turn:
        turn.fail(500, times=None)
        with pytest.raises(openai.InternalServerError):
            say(client, "hello")
    assert [each.ended for each in turn.exchanges] == ["failed"] * 3
    assert say(client, "again").choices[0].finish_reason == "stop"


def test_a_scripted_reply_waits_for_its_request(mirror: Mirror, client: Any) -> None:
    """``when`` names a text of the prompt."""
    mirror.reply("It is on its way.", when="parcel")
    assert say(client, "hello").choices[0].message.content != "It is on its way."
    assert say(client, "my parcel?").choices[0].message.content == "It is on its way."
    assert say(client, "my parcel?").choices[0].message.content != "It is on its way."


def test_a_stream_can_be_cut(mirror: Mirror, client: Any) -> None:
    """By a reset, which raises, or cleanly, which some clients take for an answer."""
    mirror.hang_up(after=3)
    with pytest.raises((openai.APIConnectionError, httpx.ReadError)):  # by version of the client
        stream(client, "hello")
    mirror.hang_up(after=3, clean=True)
    assert stream(client, "hello") == "Understood. "
    assert [each.ended for each in mirror] == ["cut", "cut"]


def test_tools_are_called_with_arguments_made_from_their_schema(
    mirror: Mirror, client: Any
) -> None:
    """Strings have marks of their own."""
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    }
    tools = [{"type": "function", "function": {"name": "forecast", "parameters": schema}}]
    mirror.call_tool("forecast")
    (call,) = say(client, "hello", tools=tools).choices[0].message.tool_calls
    assert call.function.name == "forecast"
    assert len(find_marks(call.function.arguments)) == 1
    assert '"days"' in call.function.arguments


def test_an_auxiliary_request_gets_all_marks_that_it_was_shown(mirror: Mirror, client: Any) -> None:
    """What a summary loses then was lost by the agent."""
    said = mirror.draw_mark()
    reply = say(client, f"My order is {said}").choices[0].message.content
    assert mirror.learn(reply) is mirror.exchanges[0]
    system = {"role": "system", "content": "Summarise the conversation."}
    shown: Any = [system, {"role": "user", "content": f"user: {said}\nbot: {reply}"}]
    summary = client.chat.completions.create(model="gpt-4o-mini", messages=shown)
    assert mirror.exchanges[1].is_main is False
    assert find_marks(str(summary.choices[0].message.content))[:-1] == find_marks(f"{said} {reply}")


def test_what_is_put_behind_a_short_system_prompt_leaves_a_request_a_main_one(
    mirror: Mirror, client: Any
) -> None:
    """Else the answer would quote all marks, and hide what the agent loses."""
    for system in ("You sell tea.", "You sell tea.\nKnown of the user: she likes green tea."):
        shown: Any = [
            {"role": "system", "content": system},
            {"role": "user", "content": f"My order is {mirror.draw_mark()}"},
        ]
        reply = client.chat.completions.create(model="gpt-4o-mini", messages=shown)
        mirror.learn(str(reply.choices[0].message.content))
        assert str(reply.choices[0].message.content).startswith("Understood.")


def test_a_main_request_for_json_gets_a_mark_of_its_own_alone(mirror: Mirror, client: Any) -> None:
    """Once such replies were seen to reach the user; else each would quote all that came before."""
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    wanted: Any = {"type": "json_schema", "json_schema": {"name": "form", "schema": schema}}
    said = mirror.draw_mark()
    counts = []
    for _ in range(2):
        reply = say(client, f"My order is {said}", response_format=wanted).choices[0].message
        counts.append(len(find_marks(reply.content)))
        mirror.learn(reply.content)
    assert counts == [2, 1]


def test_a_main_request_may_say_the_same_words_again(mirror: Mirror, client: Any) -> None:
    """It is not taken for a summary because its newest mark stood in an earlier message too."""
    said = mirror.draw_mark()
    reply = say(client, f"Yes, {said}").choices[0].message.content
    talk: Any = [
        {"role": "user", "content": f"Yes, {said}"},
        {"role": "assistant", "content": reply},
        {"role": "user", "content": f"Yes, {said}"},
    ]
    client.chat.completions.create(model="gpt-4o-mini", messages=talk)
    assert mirror.exchanges[-1].is_main


def test_an_unknown_route_is_named(mirror: Mirror, client: Any) -> None:
    """The 404 says which route it was."""
    with pytest.raises(openai.NotFoundError, match="POST /v1/images/generations"):
        client.images.generate(model="x", prompt="a fish")
