"""Anthropic Messages."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import blake2b
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
    join_texts,
    send_event,
    split,
)

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
THOUGHT = "The user waits for an answer."


class Messages(Wire):
    """``POST /v1/messages``."""

    provider = "anthropic"
    api = "anthropic"

    def parse(self, body: Json, path: Mapping[str, str]) -> Prompt:
        messages = [each for sent in as_dicts(body.get("messages")) for each in _parse(sent)]
        system = join_texts(body.get("system"))
        return Prompt(
            messages=tuple([Message("system", system), *messages] if system else messages),
            tools=tuple(
                Tool(str(each.get("name")), each.get("input_schema") or {}, _describe(each))
                for each in as_dicts(body.get("tools"))
            ),
            raw=body,
            model=str(body.get("model", "")),
            max_tokens=body.get("max_tokens"),
            output=_parse_format(body),
            forced=_parse_choice(body.get("tool_choice")),
        )

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        said = _count_output(answer)
        stopped = {"stop_reason": _finish(answer), "stop_sequence": None}
        usage = {"input_tokens": count_tokens(exchange.prompt.text), "output_tokens": said}
        return {
            **_envelope(exchange),
            "content": _blocks(answer, exchange),
            **stopped,
            "usage": usage,
        }

    def stream(self, answer: Answer, exchange: Exchange) -> Iterator[Piece]:
        usage = {"input_tokens": count_tokens(exchange.prompt.text), "output_tokens": 1}
        empty: Json = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        yield _event("message_start", message={**_envelope(exchange), **empty})
        yield _event("ping")
        for index, block in enumerate(_blocks(answer, exchange)):
            yield from _stream_block(index, block)
        stopped = {"stop_reason": _finish(answer), "stop_sequence": None}
        usage = {"output_tokens": _count_output(answer)}
        yield _event("message_delta", delta=stopped, usage=usage)
        yield _event("message_stop")

    def count(self, body: Json) -> Json:
        return {"input_tokens": count_tokens(self.parse(body, {}).text)}

    def render_error(self, status: int, message: str, code: str | None) -> Json:
        error = {"type": ERRORS.get(status, "api_error"), "message": message}
        return {"type": "error", "error": error, "request_id": "req_goldfish"}


def sign(thought: str) -> str:
    """Return the signature of a thought, which only the mirror can make."""
    return b64encode(blake2b(thought.encode(), key=b"goldfish").digest()).decode()


def _event(kind: str, is_content: bool = False, **fields: Any) -> Piece:
    return Piece(send_event({"type": kind, **fields}, kind), is_content)


def _stream_block(index: int, block: Json) -> Iterator[Piece]:
    def delta(is_content: bool = True, **fields: Any) -> Piece:
        return _event("content_block_delta", is_content, index=index, delta=fields)

    kind = block["type"]
    empty = {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}
    start = {**block, **empty.get(kind, {"input": {}})}
    yield _event("content_block_start", index=index, content_block=start)
    if kind == "text":
        for piece in split(block["text"]):
            yield delta(type="text_delta", text=piece)
    elif kind == "thinking":
        yield delta(False, type="thinking_delta", thinking=block["thinking"])
        yield delta(False, type="signature_delta", signature=block["signature"])
    else:
        for piece in split(as_text(block["input"])):
            yield delta(type="input_json_delta", partial_json=piece)
    yield _event("content_block_stop", index=index)


def _parse(message: Json) -> Iterator[Message]:
    """Yield the results of tools first, as messages of their own, then the rest."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_dicts(content)
    for block in blocks:
        if block.get("type") == "tool_result":
            yield Message(
                "tool", join_texts(block.get("content")), call_id=block.get("tool_use_id")
            )
    calls = tuple(
        ToolCall(str(each.get("id", "")), str(each.get("name", "")), as_text(each.get("input")))
        for each in blocks
        if each.get("type") == "tool_use"
    )
    apart = ("tool_result", "tool_use", "thinking", "redacted_thinking")
    others = [each for each in blocks if each.get("type") not in apart]
    if others or calls or not blocks:
        yield Message(str(message.get("role", "")), join_texts(others), calls)


def _describe(tool: Json) -> str:
    return str(tool.get("description") or "")


def _parse_format(body: Json) -> Json | None:
    form = (body.get("output_config") or {}).get("format") or body.get("output_format")
    if not isinstance(form, dict):
        return None
    schema = form.get("schema")
    return schema if isinstance(schema, dict) else {}


def _parse_choice(choice: Any) -> str | None:
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind == "tool":
        return str(choice.get("name", ""))
    return "" if kind == "any" else None


def _blocks(answer: Answer, exchange: Exchange) -> list[Json]:
    thinking = exchange.prompt.raw.get("thinking") or {}
    blocks: list[Json] = []
    if thinking.get("type") in ("enabled", "adaptive"):
        blocks.append({"type": "thinking", "thinking": THOUGHT, "signature": sign(THOUGHT)})
    if answer.text:
        blocks.append({"type": "text", "text": answer.text})
    for call in answer.calls:
        named = {"type": "tool_use", "id": call.id, "name": call.name}
        blocks.append({**named, "input": as_object(call.arguments)})
    return blocks


def _envelope(exchange: Exchange) -> Json:
    number = f"msg_{exchange.number:08d}"
    return {"id": number, "type": "message", "role": "assistant", "model": exchange.prompt.model}


def _finish(answer: Answer) -> str:
    return "tool_use" if answer.calls else "end_turn"


def _count_output(answer: Answer) -> int:
    return count_tokens(answer.text + "".join(each.arguments for each in answer.calls))
