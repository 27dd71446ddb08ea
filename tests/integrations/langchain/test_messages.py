"""Each field of a message finds its place in LangChain, and the way back."""

from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.messages import ChatMessage as RoleMessage

from goldfish.integrations.langchain.messages import from_langchain, to_langchain
from goldfish.integrations.times import NO_TIME
from goldfish.messages import ChatMessage

OPENAI = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
NATIVE = {"type": "tool_call", "id": "c1", "name": "f", "args": {"a": 1}}
INVALID = {"type": "invalid_tool_call", "id": "c2", "name": "g", "args": "{", "error": "cut"}


def round_trip(message: ChatMessage) -> ChatMessage:
    """Through LangChain's own form on disk, as its histories write it."""
    (back,) = messages_from_dict([message_to_dict(to_langchain(message))])
    return from_langchain(back)


def said(**fields: Any) -> ChatMessage:
    """A message without a time, which LangChain has no place for."""
    return ChatMessage(**{"role": "user", "content": "hello", "created_at": NO_TIME, **fields})


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"role": "user"}, HumanMessage),
        ({"role": "assistant"}, AIMessage),
        ({"role": "system"}, SystemMessage),
        ({"role": "tool", "tool_call_id": "c1"}, ToolMessage),
        ({"role": "function", "name": "f"}, FunctionMessage),
        ({"role": "developer"}, RoleMessage),
        ({"role": "human"}, RoleMessage),
        ({"role": "User"}, RoleMessage),
        ({"role": "tool"}, RoleMessage),
        ({"role": "function"}, RoleMessage),
    ],
)
def test_a_role_is_a_class_of_langchain_and_comes_back(
    fields: dict[str, Any], kind: type[BaseMessage]
) -> None:
    """A role without a class, or without what its class demands, is a message that names it."""
    message = said(**fields)
    assert type(to_langchain(message)) is kind
    assert round_trip(message) == message


@pytest.mark.parametrize(
    "fields",
    [
        {"content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"u": 1}}]},
        {"content": ""},
        {"content": []},
        {"id": "007", "name": "Ann O'Brien"},
        {"content": "a\x00b \ud83d \U0001f420"},
        {"metadata": {"deep": [{"x": None, "n": 2**60 + 1}], "langchain_fields": "mine"}},
        {"metadata": {"tool_calls": [1], "role": "x", "additional_kwargs": {"y": 2}}},
        {"metadata": {"langchain_fields": {"unheard_of": 1}}},
        {"metadata": {"langchain_fields": {"content": "another"}}},
        {"tool_call_id": "c1"},
    ],
)
def test_the_fields_come_back_as_they_were(fields: dict[str, Any]) -> None:
    """Contents, ids, names and metadata, also those that are named as fields of LangChain."""
    message = said(**fields)
    assert round_trip(message) == message


@pytest.mark.parametrize("role", ["assistant", "user"])
@pytest.mark.parametrize(
    "calls",
    [
        [OPENAI],
        [NATIVE],
        [NATIVE, INVALID],
        [INVALID, NATIVE],
        [INVALID],
        [OPENAI, NATIVE],
        [{"name": "f", "args": {"a": 1}, "id": "t1", "index": 0}],
        [{**OPENAI, "function": {"name": "f", "arguments": '{"cut'}}],
        [{**OPENAI, "function": {"name": "f", "arguments": {"a": [1]}}}],
    ],
)
def test_tool_calls_come_back_in_the_form_in_which_they_were_given(
    role: str, calls: list[dict[str, Any]]
) -> None:
    """LangChain's own form, the provider's, or anybody's; in their order."""
    message = said(role=role, tool_calls=calls)
    assert round_trip(message) == message


def test_langchain_understands_the_calls_that_it_is_given() -> None:
    """A call in either form is a tool call of the message to every user of LangChain."""
    for call in (NATIVE, OPENAI):
        carried = to_langchain(said(role="assistant", tool_calls=[call]))
        assert isinstance(carried, AIMessage)
        assert carried.tool_calls == [NATIVE]


@pytest.mark.parametrize(
    "message",
    [
        HumanMessage("a", id="1", additional_kwargs={"x": 1}, response_metadata={"y": 2}),
        AIMessage(
            "a",
            id="1",
            additional_kwargs={"tool_calls": [OPENAI], "refusal": None},
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            response_metadata={"model_name": "m"},
        ),
        ToolMessage("a", id="1", tool_call_id="c1", artifact={"raw": [1]}, status="error"),
        RoleMessage(content="a", id="1", role="critic"),
        FunctionMessage(content="a", id="1", name="f"),
        SystemMessage(["a", {"type": "text", "text": "b"}], id="1"),
    ],
)
def test_what_only_langchain_has_is_kept_in_the_metadata_and_goes_back(
    message: BaseMessage,
) -> None:
    """Usage, artifacts, status and further arguments survive there and back again."""
    assert to_langchain(from_langchain(message)) == message


def test_a_chunk_of_an_answer_is_an_answer() -> None:
    """Streaming leaves chunks in histories."""
    assert from_langchain(AIMessageChunk(content="a")).role == "assistant"


def test_a_message_without_an_id_gets_none_that_looks_real() -> None:
    """Two reads agree, and neither invents an id or a time."""
    first, second = from_langchain(HumanMessage("a")), from_langchain(HumanMessage("a"))
    assert first == second
    assert first.id == ""


def test_nothing_is_copied_that_langchain_does_not_copy() -> None:
    """A dict that a library shares with its callers is shared with ours: aliasing is not hidden."""
    inner = {"tags": ["a"]}
    carried = to_langchain(said(metadata={"user": inner}))
    inner["tags"].append("edited")
    assert carried.response_metadata == {"user": {"tags": ["a", "edited"]}}
    assert from_langchain(carried).metadata is carried.response_metadata


def test_what_langchain_refuses_is_raised() -> None:
    """A call whose arguments are no arguments to LangChain is not made right on the way."""
    with pytest.raises(ValueError, match="args"):
        to_langchain(said(role="assistant", tool_calls=[{**NATIVE, "args": "no dict"}]))
