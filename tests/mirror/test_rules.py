"""Every rule refuses the request that breaks it, and nothing refuses a right one."""

from typing import Any

import httpx
import pytest

from goldfish.mirror import Mirror
from goldfish.mirror.rules import RULES, find_refusal, refuse_length
from goldfish.mirror.wire.anthropic import sign

USER = {"role": "user", "content": "hello"}


def chat(*messages: Any, **options: Any) -> Any:
    return {"messages": list(messages), **options}


def call(name: str = "f", number: str = "c1") -> Any:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": "{}"}}


CALLED = {"role": "assistant", "content": None, "tool_calls": [call()]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
USED = {"role": "assistant", "content": [USE]}
GIVEN = {"type": "tool_result", "tool_use_id": "t1", "content": ""}
GAVE = {"role": "user", "content": [GIVEN]}
THINKS = {"thinking": {"type": "enabled"}}
FUNCTION_CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
THOUGHT = {"type": "reasoning", "id": "rs_00000001", "summary": []}
SAID = {"type": "message", "id": "msg_00000001r", "role": "assistant", "content": "hi"}


def turn(role: str, *parts: Any) -> Any:
    return {"role": role, "parts": list(parts)}


ASKS, ANSWERS = turn("user", {"text": "hello"}), turn("model", {"text": "hi"})
CALL_PART = {"functionCall": {"name": "f", "args": {}}}
RESPONSE_PART = {"functionResponse": {"name": "f", "response": {}}}

BREACHES: dict[tuple[str, str], Any] = {
    ("openai-chat", "empty messages"): chat(),
    ("openai-chat", "unknown role"): chat({"role": "bot", "content": "hi"}),
    ("openai-chat", "empty calls"): chat({"role": "assistant", "content": "a", "tool_calls": []}),
    ("openai-chat", "call without result"): chat(USER, CALLED, USER, RESULT),
    ("openai-chat", "result without call"): chat(USER, RESULT),
    ("openai-chat", "tool name"): chat(USER, tools=[call("get weather")]),
    ("openai-responses", "unknown previous response"): {"input": [], "previous_response_id": "x"},
    ("openai-responses", "unknown item"): {"input": [{"type": "item_reference", "id": "fc_1"}]},
    ("openai-responses", "unknown role"): {"input": [{"role": "tool", "content": "x"}]},
    ("openai-responses", "call without result"): {"input": [USER, FUNCTION_CALL]},
    ("openai-responses", "result without call"): {"input": [OUTPUT, USER]},
    ("openai-responses", "reasoning alone"): {"input": [THOUGHT, USER]},
    ("openai-responses", "reasoning lost"): {"input": [USER, SAID]},
    ("openai-responses", "tool name"): {
        "input": [USER],
        "tools": [{"type": "function", "name": "a.b"}],
    },
    ("anthropic", "empty messages"): chat(),
    ("anthropic", "unknown role"): chat(USER, {"role": "system", "content": "x"}),
    ("anthropic", "first message"): chat({"role": "assistant", "content": "hi"}, USER),
    ("anthropic", "empty message"): chat({"role": "user", "content": ""}),
    ("anthropic", "empty text"): chat({"role": "user", "content": [{"type": "text", "text": ""}]}),
    ("anthropic", "white text"): chat({"role": "user", "content": " \n"}),
    ("anthropic", "call without result"): chat(USER, USED, USER),
    ("anthropic", "result without call"): chat(USER, GAVE),
    ("anthropic", "two results"): chat(USER, USED, {"role": "user", "content": [GIVEN, GIVEN]}),
    ("anthropic", "repeated calls"): chat(USER, USED, GAVE, USED, GAVE),
    ("anthropic", "tool name"): chat(USER, tools=[{"name": "a b"}]),
    ("anthropic", "thought without signature"): chat(
        USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}
    ),
    ("anthropic", "wrong signature"): chat(
        USER,
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "x", "signature": "y"}]},
    ),
    ("anthropic", "thought lost"): chat(USER, USED, GAVE, **THINKS),
    ("gemini", "empty contents"): {"contents": []},
    ("gemini", "unknown role"): {"contents": [turn("assistant", {"text": "hi"})]},
    ("gemini", "empty parts"): {"contents": [turn("user")]},
    ("gemini", "call turn"): {"contents": [turn("model", CALL_PART), turn("user", RESPONSE_PART)]},
    ("gemini", "response turn"): {"contents": [ASKS, turn("user", RESPONSE_PART)]},
    ("gemini", "response count"): {
        "contents": [ASKS, turn("model", CALL_PART, CALL_PART), turn("user", RESPONSE_PART)]
    },
    ("gemini", "thought signature"): {
        "model": "gemini-3-pro",
        "contents": [ASKS, turn("model", CALL_PART), turn("user", RESPONSE_PART)],
    },
    ("gemini", "tool name"): {
        "contents": [ASKS],
        "tools": [{"functionDeclarations": [{"name": "1st"}]}],
    },
}
SIGNED = {"type": "thinking", "thinking": "x", "signature": sign("x")}
RIGHT = [
    ("openai-chat", chat(USER, USER, CALLED, RESULT, USER, tools=[call()])),
    ("openai-chat", chat({"role": "developer", "content": "x"}, USER)),
    ("openai-responses", {"input": [USER, THOUGHT, SAID, FUNCTION_CALL, OUTPUT, USER]}),
    ("anthropic", chat(USER, USER, USED, GAVE, {"role": "assistant", "content": "hi"}, USER)),
    ("anthropic", chat(USER, {"role": "assistant", "content": [SIGNED, USE]}, GAVE, **THINKS)),
    ("gemini", {"contents": [ASKS, turn("model", CALL_PART), turn("user", RESPONSE_PART)]}),
    ("gemini", {"contents": [ASKS, ANSWERS, ASKS, ASKS]}),
    (  # of calls at once the first is signed, and older turns may have lost their signatures
        "gemini",
        {
            "model": "gemini-3-pro",
            "contents": [
                *(ASKS, turn("model", CALL_PART), turn("user", RESPONSE_PART), ANSWERS, ASKS),
                turn("model", {**CALL_PART, "thoughtSignature": "eA=="}, CALL_PART),
                turn("user", RESPONSE_PART, RESPONSE_PART),
            ],
        },
    ),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.api}, {rule.code}")
def test_a_rule_refuses_what_breaks_it(rule: Any) -> None:
    """In the provider's words, with where they are documented."""
    refusal = find_refusal(rule.api, BREACHES[rule.api, rule.code])
    assert refusal is not None
    assert refusal.code == rule.code
    assert "{" not in refusal.message.replace("{1,128}", "")
    assert rule.source.startswith("https://")


@pytest.mark.parametrize(("api", "body"), RIGHT)
def test_a_right_request_passes(api: str, body: Any) -> None:
    """Consecutive messages of the user too."""
    assert find_refusal(api, body) is None


def test_a_prompt_can_be_too_long(mirror: Mirror) -> None:
    """The script sets the context; the code is the provider's."""
    mirror.limit_context(10)
    url = f"{mirror.url}/chat/completions"
    assert httpx.post(url, json=chat(USER)).status_code == 200
    answer = httpx.post(url, json=chat({"role": "user", "content": "x" * 400}))
    assert answer.json()["error"]["code"] == "context_length_exceeded"
    assert refuse_length("ollama", 100, 10) is None  # Ollama cuts prompts, and says nothing


def test_a_lenient_mirror_answers_everything() -> None:
    """``strict=False`` switches the rules off."""
    with Mirror(strict=False) as mirror:
        answer = httpx.post(f"{mirror.url}/chat/completions", json=chat(USER, RESULT))
    assert answer.status_code == 200


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"\xff"'])
def test_a_body_that_is_no_object_is_refused(mirror: Mirror, body: bytes) -> None:
    """With a 400 in the provider's form."""
    answer = httpx.post(f"{mirror.url}/chat/completions", content=body)
    assert answer.status_code == 400
    assert "JSON" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        {"messages": "hello"},
        {"messages": [1, None, "x"], "tools": "none"},
        {"messages": [{"role": 3, "content": {"x": 1}, "tool_calls": {"a": 1}}]},
        {"input": {"a": 1}, "tools": [None]},
        {"contents": {"parts": 3}, "systemInstruction": "x", "generationConfig": [], "tools": [1]},
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/v1beta/models/m:generateContent",
        "/api/chat",
        "/v1/embeddings",
    ],
)
def test_malformed_requests_do_not_break_the_mirror(mirror: Mirror, path: str, body: Any) -> None:
    """They are answered or refused, never with a failure of the mirror's own."""
    assert httpx.post(mirror.root + path, json=body).status_code in (200, 400)
