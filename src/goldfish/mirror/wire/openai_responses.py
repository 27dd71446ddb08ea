"""OpenAI Responses, and the compaction of a conversation."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from goldfish.mirror.answers import Answer
from goldfish.mirror.marks import find_marks
from goldfish.mirror.record import Exchange, Json, Message, Prompt, Tool, ToolCall
from goldfish.mirror.wire.base import (
    Piece,
    as_dicts,
    as_text,
    count_tokens,
    dump,
    join_texts,
    send_event,
    split,
)
from goldfish.mirror.wire.openai_chat import OpenAI, parse_choice

CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
EARLIER = "goldfish_earlier_items"  # as many come from the provider's memory, not the agent's
RESULTS = ("function_call_output", "custom_tool_call_output")


class Responses(OpenAI):
    """``POST /v1/responses``; ``kept`` has the items of each response, and each item by its id."""

    api = "openai-responses"

    def __init__(self, kept: dict[str, list[Json]]) -> None:
        self._kept = kept

    def expand(self, body: Json, path: Mapping[str, str]) -> Json:
        given = [self._resolve(each) for each in read_items(body)]
        earlier = self._kept.get(str(body.get("previous_response_id")))
        if earlier is None:
            return {**body, "input": given}
        return {**body, "input": [*earlier, *given], EARLIER: len(earlier)}

    def _resolve(self, item: Json) -> Json:
        """Return what an item refers to, if the provider still has it."""
        is_reference = item.get("type") == "item_reference"
        return self._kept.get(str(item.get("id")), [item])[0] if is_reference else item

    def parse(self, body: Json, path: Mapping[str, str]) -> Prompt:
        messages = _join_calls(message for item in body["input"] for message in _parse_item(item))
        if body.get("instructions"):
            messages.insert(0, Message("system", str(body["instructions"])))
        return Prompt(
            messages=tuple(messages),
            tools=tuple(
                Tool(str(each["name"]), each.get("parameters") or {}, each.get("description") or "")
                for each in as_dicts(body.get("tools"))
                if each.get("name")
            ),
            raw=body,
            model=str(body.get("model", "")),
            max_tokens=body.get("max_output_tokens"),
            output=_parse_format((body.get("text") or {}).get("format")),
            forced=parse_choice(body.get("tool_choice")),
            earlier=int(body.get(EARLIER, 0)),
        )

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        output = _render_output(answer, exchange)
        self._keep(exchange, output)
        return _render_response(exchange, "completed", output, _count(answer, exchange))

    def stream(self, answer: Answer, exchange: Exchange) -> Iterator[Piece]:
        events = _Events()
        begun = _render_response(exchange, "in_progress", [], None)
        yield events.send("response.created", response=begun)
        yield events.send("response.in_progress", response=begun)
        output = _render_output(answer, exchange)
        for index, item in enumerate(output):
            yield from _stream_item(events, index, item)
        self._keep(exchange, output)
        whole = _render_response(exchange, "completed", output, _count(answer, exchange))
        yield events.send("response.completed", response=whole)

    def _keep(self, exchange: Exchange, output: list[Json]) -> None:
        if exchange.prompt.raw.get("store") is not False:
            self._kept[_name(exchange)] = [*exchange.prompt.raw["input"], *output]
            self._kept.update({each["id"]: [each] for each in output})


class Compaction(Responses):
    """``POST /v1/responses/compact``: the user's messages, and one item for all the rest."""

    def is_streamed(self, body: Json, path: Mapping[str, str]) -> bool:
        return False

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        items: list[Json] = exchange.prompt.raw["input"]
        said = [each for each in items if each.get("role") == "user"]
        shown = " ".join(find_marks(exchange.prompt.text)) or answer.text
        number = f"cmp_{exchange.number:08d}"
        kept = {"type": "compaction", "id": number, "encrypted_content": shown}
        output = [_as_sent(at, each) for at, each in enumerate(said)] + [kept]
        return {
            "id": _name(exchange),
            "object": "response.compaction",
            "created_at": int(exchange.began),
            "output": output,
            "usage": _count(answer, exchange),
        }


class _Events:
    """The numbered events of one stream."""

    def __init__(self) -> None:
        self._number = -1

    def send(self, kind: str, *, is_content: bool = False, **fields: Any) -> Piece:
        self._number += 1
        event = {"type": kind, "sequence_number": self._number, **fields}
        return Piece(send_event(event, kind), is_content)


def _stream_item(events: _Events, index: int, item: Json) -> Iterator[Piece]:
    place: Json = {"output_index": index, "item_id": item["id"]}
    if item["type"] == "message":
        (part,) = item["content"]
        within = {**place, "content_index": 0}
        empty = {**item, "status": "in_progress", "content": []}
        yield events.send("response.output_item.added", output_index=index, item=empty)
        bare = {**part, "text": ""}
        yield events.send("response.content_part.added", part=bare, **within)
        for piece in split(part["text"]):
            fields = {"delta": piece, "logprobs": [], **within}
            yield events.send("response.output_text.delta", is_content=True, **fields)
        fields = {"text": part["text"], "logprobs": [], **within}
        yield events.send("response.output_text.done", **fields)
        yield events.send("response.content_part.done", part=part, **within)
    elif item["type"] == "function_call":
        empty = {**item, "status": "in_progress", "arguments": ""}
        yield events.send("response.output_item.added", output_index=index, item=empty)
        kind = "response.function_call_arguments"
        for piece in split(item["arguments"]):
            yield events.send(f"{kind}.delta", is_content=True, delta=piece, **place)
        fields = {"arguments": item["arguments"], "name": item["name"], **place}
        yield events.send(f"{kind}.done", **fields)
    else:
        yield events.send("response.output_item.added", output_index=index, item=item)
    yield events.send("response.output_item.done", output_index=index, item=item)


def read_items(body: Json) -> list[Json]:
    """Return the input as a list of items; a text is a message of the user."""
    given = body.get("input")
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    return as_dicts(given)


def _parse_item(item: Json) -> Iterator[Message]:
    kind = item.get("type", "message")
    if kind == "message":
        role = str(item.get("role", ""))
        text = join_texts(item.get("content"))
        yield Message("system" if role == "developer" else role, text)
    elif kind in CALLS:
        arguments = as_text(item.get(CALLS[kind], ""))
        call = ToolCall(str(item.get("call_id", "")), str(item.get("name", "")), arguments)
        yield Message("assistant", calls=(call,))
    elif kind in RESULTS:
        yield Message("tool", join_texts(item.get("output")), call_id=item.get("call_id"))
    elif kind == "compaction":
        yield Message("assistant", str(item.get("encrypted_content", "")))


def _join_calls(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with tool calls that were made at once in one of them.

    Each is an item of its own here, and part of one message of all other providers.
    """
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1].calls and message.calls:
            message = replace(message, calls=(*joined.pop().calls, *message.calls))
        joined.append(message)
    return joined


def _parse_format(form: Any) -> Json | None:
    if not isinstance(form, dict) or form.get("type") in (None, "text"):
        return None
    schema = form.get("schema")
    return schema if isinstance(schema, dict) else {}


def _render_output(answer: Answer, exchange: Exchange) -> list[Json]:
    """Return the items of an answer. Ids of items that follow a thought have an ``r``."""
    number = f"{exchange.number:08d}"
    effort = (exchange.prompt.raw.get("reasoning") or {}).get("effort")
    thinks = effort not in (None, "none")
    items: list[Json] = []
    if thinks:
        thought: Json = {"type": "reasoning", "id": f"rs_{number}", "summary": []}
        items.append({**thought, "encrypted_content": None, "status": None})
        number += "r"
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        message = {"type": "message", "id": f"msg_{number}", "status": "completed"}
        items.append({**message, "role": "assistant", "content": [part]})
    for at, call in enumerate(answer.calls):
        named = {"type": "function_call", "id": f"fc_{number}_{at}", "call_id": call.id}
        said = {"name": call.name, "arguments": call.arguments, "status": "completed"}
        items.append({**named, **said})
    return items


def _render_response(
    exchange: Exchange, status: str, output: list[Json], usage: Json | None
) -> Json:
    body = exchange.prompt.raw
    return {
        "id": _name(exchange),
        "object": "response",
        "created_at": int(exchange.began),
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "metadata": body.get("metadata") or {},
        "model": exchange.prompt.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": body.get("previous_response_id"),
        "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
        "store": body.get("store") is not False,
        "temperature": 1.0,
        "text": body.get("text") or {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "user": None,
    }


def _as_sent(at: int, item: Json) -> Json:
    """Return a message of the user as the provider returns it."""
    content = item.get("content")
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    whole = {"type": "message", "id": f"msg_u{at:06d}", "status": "completed"}
    return {**whole, "role": "user", "content": parts}


def _name(exchange: Exchange) -> str:
    return f"resp_{exchange.number:08d}"


def _count(answer: Answer, exchange: Exchange) -> Json:
    shown = count_tokens(exchange.prompt.text)
    said = count_tokens(answer.text + dump([each.arguments for each in answer.calls]))
    return {
        "input_tokens": shown,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": said,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": shown + said,
    }
