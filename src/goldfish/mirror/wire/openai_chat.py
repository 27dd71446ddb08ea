"""OpenAI Chat Completions."""

from collections.abc import Iterator, Mapping
from typing import Any

from goldfish.mirror.answers import Answer
from goldfish.mirror.record import Exchange, Json, Message, Prompt, Tool, ToolCall
from goldfish.mirror.wire.base import (
    Piece,
    Wire,
    as_dicts,
    as_text,
    count_tokens,
    join_texts,
    send_event,
    split,
)

ERRORS = {  # status: type and code
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", None),
    429: ("requests", "rate_limit_exceeded"),
}


class OpenAI(Wire):
    """What the APIs of OpenAI share."""

    provider = "openai"

    def render_error(self, status: int, message: str, code: str | None) -> Json:
        kind, usual = ERRORS.get(status, ("server_error", None))
        error = {"message": message, "type": kind, "param": None, "code": code or usual}
        return {"error": error}


class Chat(OpenAI):
    """``POST /v1/chat/completions``."""

    api = "openai-chat"

    def parse(self, body: Json, path: Mapping[str, str]) -> Prompt:
        return Prompt(
            messages=tuple(map(_parse_message, as_dicts(body.get("messages")))),
            tools=_parse_tools(body),
            raw=body,
            model=str(body.get("model", "")),
            max_tokens=body.get("max_completion_tokens") or body.get("max_tokens"),
            output=_parse_output(body.get("response_format")),
            forced=parse_choice(body.get("tool_choice") or body.get("function_call")),
        )

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        message: Json = {"role": "assistant", "content": answer.text or None, "refusal": None}
        if answer.calls:
            message["tool_calls"] = [_render_call(each) for each in answer.calls]
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": _finish(answer),
        }
        return {
            **_envelope(exchange, "chat.completion"),
            "choices": [choice],
            "usage": _count(answer, exchange),
        }

    def stream(self, answer: Answer, exchange: Exchange) -> Iterator[Piece]:
        envelope = _envelope(exchange, "chat.completion.chunk")

        def chunk(delta: Json, finish: str | None = None, is_content: bool = False) -> Piece:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return Piece(send_event({**envelope, "choices": [choice]}), is_content)

        yield chunk({"role": "assistant", "content": None if answer.calls else "", "refusal": None})
        for piece in split(answer.text):
            yield chunk({"content": piece}, is_content=True)
        for index, call in enumerate(answer.calls):
            yield chunk({"tool_calls": [{"index": index, **_render_call(call, arguments="")}]})
            for piece in split(call.arguments):
                delta = {"index": index, "function": {"arguments": piece}}
                yield chunk({"tool_calls": [delta]}, is_content=True)
        yield chunk({}, _finish(answer))
        if (exchange.prompt.raw.get("stream_options") or {}).get("include_usage"):
            yield Piece(send_event({**envelope, "choices": [], "usage": _count(answer, exchange)}))
        yield Piece(b"data: [DONE]\n\n")


def _parse_message(message: Json) -> Message:
    role = str(message.get("role", ""))
    calls = tuple(
        ToolCall(str(each.get("id", "")), *_parse_function(each))
        for each in as_dicts(message.get("tool_calls"))
    )
    if message.get("function_call"):
        calls += (ToolCall("", *_parse_function({"function": message["function_call"]})),)
    return Message(
        role={"developer": "system", "function": "tool"}.get(role, role),
        text=join_texts(message.get("content") or message.get("refusal")),
        calls=calls,
        call_id=message.get("tool_call_id"),
        name=message.get("name"),
    )


def _parse_function(call: Json) -> tuple[str, str]:
    function = call.get("function") or call.get("custom") or {}
    arguments = function.get("arguments", function.get("input", ""))
    return str(function.get("name", "")), as_text(arguments)


def _parse_tools(body: Json) -> tuple[Tool, ...]:
    functions = [each.get("function") or each.get("custom") for each in as_dicts(body.get("tools"))]
    return tuple(
        Tool(str(each.get("name")), each.get("parameters") or {}, each.get("description") or "")
        for each in as_dicts([*functions, *as_dicts(body.get("functions"))])
    )


def _parse_output(form: Any) -> Json | None:
    """Return the schema that the answer must follow, if there is one."""
    if not isinstance(form, dict) or form.get("type") in (None, "text"):
        return None
    schema = (form.get("json_schema") or {}).get("schema")
    return schema if isinstance(schema, dict) else {}


def parse_choice(choice: Any) -> str | None:
    """Return the tool that must be called, "" for any, None if none must."""
    if choice in ("required", "any"):
        return ""
    if isinstance(choice, dict):
        chosen = choice.get("function") or choice.get("custom") or choice
        return str(chosen.get("name", ""))
    return None


def _render_call(call: ToolCall, arguments: str | None = None) -> Json:
    arguments = call.arguments if arguments is None else arguments
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _finish(answer: Answer) -> str:
    return "tool_calls" if answer.calls else "stop"


def _envelope(exchange: Exchange, kind: str) -> Json:
    return {
        "id": f"chatcmpl-{exchange.number:08d}",
        "object": kind,
        "created": int(exchange.began),
        "model": exchange.prompt.model,
        "system_fingerprint": None,
    }


def _count(answer: Answer, exchange: Exchange) -> Json:
    shown = count_tokens(exchange.prompt.text)
    said = count_tokens(answer.text + "".join(each.arguments for each in answer.calls))
    return {"prompt_tokens": shown, "completion_tokens": said, "total_tokens": shown + said}
