"""Ollama's chat."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from goldfish.mirror.answers import Answer
from goldfish.mirror.record import Exchange, Json, Message, Prompt, Tool, ToolCall
from goldfish.mirror.wire.base import (
    Piece,
    Wire,
    as_dicts,
    as_object,
    as_text,
    count_tokens,
    dump,
    join_texts,
    split,
)


class Ollama(Wire):
    """``POST /api/chat``; a stream unless the client says otherwise."""

    provider = "ollama"
    api = "ollama"
    event_stream = "application/x-ndjson"

    def parse(self, body: Json, path: Mapping[str, str]) -> Prompt:
        functions = [each.get("function") for each in as_dicts(body.get("tools"))]
        return Prompt(
            messages=tuple(map(_parse_message, as_dicts(body.get("messages")))),
            tools=tuple(
                Tool(str(each.get("name")), each.get("parameters") or {}, _describe(each))
                for each in as_dicts(functions)
            ),
            raw=body,
            model=str(body.get("model", "")),
            max_tokens=_limit(body.get("options")),
            output=_parse_format(body.get("format")),
        )

    def is_streamed(self, body: Json, path: Mapping[str, str]) -> bool:
        return body.get("stream") is not False

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        return _render(answer.text, answer.calls, exchange, answer)

    def stream(self, answer: Answer, exchange: Exchange) -> Iterator[Piece]:
        for piece in split(answer.text):
            yield _line(_render(piece, (), exchange, None), is_content=True)
        if answer.calls:
            yield _line(_render("", answer.calls, exchange, None), is_content=True)
        yield _line(_render("", (), exchange, answer))

    def render_error(self, status: int, message: str, code: str | None) -> Json:
        return {"error": message}


def _line(chunk: Json, is_content: bool = False) -> Piece:
    return Piece(f"{dump(chunk)}\n".encode(), is_content)


def _parse_message(message: Json) -> Message:
    calls = tuple(
        ToolCall(
            str(each.get("id") or function.get("name", "")), str(function.get("name", "")), said
        )
        for each in as_dicts(message.get("tool_calls"))
        for function in as_dicts([each.get("function")])
        for said in [as_text(function.get("arguments") or {})]
    )
    name = message.get("tool_name") or message.get("name")
    call_id = message.get("tool_call_id") or name
    role = str(message.get("role", ""))
    text = join_texts(message.get("content"))
    return Message(role, text, calls, call_id if role == "tool" else None, name)


def _describe(function: Json) -> str:
    return str(function.get("description") or "")


def _limit(options: Any) -> int | None:
    limit = options.get("num_predict") if isinstance(options, dict) else None
    return limit if isinstance(limit, int) and limit > 0 else None


def _parse_format(form: Any) -> Json | None:
    if isinstance(form, dict):
        return form
    return {} if form == "json" else None


def _render(
    text: str, calls: tuple[ToolCall, ...], exchange: Exchange, answer: Answer | None
) -> Json:
    """Return a chunk; the whole answer is known in the last one, which says that it is."""
    message: Json = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": each.id, "function": {"name": each.name, "arguments": as_object(each.arguments)}}
            for each in calls
        ]
    made = datetime.fromtimestamp(exchange.began, UTC).isoformat().replace("+00:00", "Z")
    chunk: Json = {"model": exchange.prompt.model, "created_at": made, "message": message}
    if answer is None:
        return {**chunk, "done": False}
    counts = {
        "prompt_eval_count": count_tokens(exchange.prompt.text),
        "eval_count": count_tokens(answer.text),
        "total_duration": 1000,
        "load_duration": 0,
        "prompt_eval_duration": 500,
        "eval_duration": 500,
    }
    return {**chunk, "done": True, "done_reason": "stop", **counts}
