"""Gemini: generateContent, whole and streamed."""

import re
from collections.abc import Iterator, Mapping
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
    send_event,
    split,
)

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


SIGNING = re.compile(r"(?:models/)?gemini-(?:[3-9]|\d\d)")
SIGNATURE = "Z29sZGZpc2g="  # in base64, as clients want it


class Gemini(Wire):
    """``POST /v1beta/models/{model}:generateContent``."""

    provider = "gemini"
    api = "gemini"

    def expand(self, body: Json, path: Mapping[str, str]) -> Json:
        return {**body, "model": str(path.get("model", ""))}  # by which some rules differ

    def parse(self, body: Json, path: Mapping[str, str]) -> Prompt:
        messages = [each for sent in as_dicts(body.get("contents")) for each in _parse(sent)]
        system = _join(pick(body, "systemInstruction"))
        settings = pick(body, "generationConfig")
        return Prompt(
            messages=tuple([Message("system", system), *messages] if system else messages),
            tools=tuple(_parse_tools(body)),
            raw=body,
            model=str(path.get("model", "")),
            max_tokens=settings.get("maxOutputTokens") or settings.get("max_output_tokens"),
            output=_parse_format(settings),
            forced=_parse_choice(pick(pick(body, "toolConfig"), "functionCallingConfig")),
        )

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        parts = [{"text": answer.text}] if answer.text else []
        return _render([*parts, *_render_calls(answer, exchange)], exchange, answer)

    def stream(self, answer: Answer, exchange: Exchange) -> Iterator[Piece]:
        for piece in split(answer.text):
            chunk = _render([{"text": piece}], exchange, None)
            yield Piece(send_event(chunk), is_content=True)
        for part in _render_calls(answer, exchange):
            yield Piece(send_event(_render([part], exchange, None)), is_content=True)
        yield Piece(send_event(_render([{"text": ""}], exchange, answer)))

    def count(self, body: Json) -> Json:
        whole = pick(body, "generateContentRequest") or body
        return {"totalTokens": count_tokens(self.parse(whole, {}).text)}

    def render_error(self, status: int, message: str, code: str | None) -> Json:
        named = STATUSES.get(status, "INTERNAL")
        return {"error": {"code": status, "message": message, "status": named}}


class GeminiStream(Gemini):
    """``POST /v1beta/models/{model}:streamGenerateContent``."""

    def is_streamed(self, body: Json, path: Mapping[str, str]) -> bool:
        return True


def pick(body: Json, name: str) -> Json:
    """Return a part by its name in camel case, or in snake case, which is accepted too."""
    snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
    found = body.get(name) or body.get(snake)
    return found if isinstance(found, dict) else {}


def find_parts(content: Json, name: str) -> list[Json]:
    """Return the parts of one kind, as functionCall, of a content."""
    return [found for each in as_dicts(content.get("parts")) if (found := pick(each, name))]


def _parse(content: Json) -> Iterator[Message]:
    """Yield the results of functions first, as messages of their own, then the rest."""
    for result in find_parts(content, "functionResponse"):
        text = dump(result.get("response"))
        name = str(result.get("name", ""))
        yield Message("tool", text, call_id=str(result.get("id") or name), name=name)
    calls = tuple(
        ToolCall(
            str(each.get("id") or each.get("name", "")), str(each.get("name", "")), _args(each)
        )
        for each in find_parts(content, "functionCall")
    )
    text = _join(content)
    if text or calls:
        role = content.get("role") or "user"
        yield Message("assistant" if role == "model" else str(role), text, calls)


def _args(call: Json) -> str:
    return as_text(call.get("args") or {})


def _join(content: Any) -> str:
    if not isinstance(content, dict):
        return ""
    texts = [each.get("text") for each in as_dicts(content.get("parts")) if not each.get("thought")]
    return "\n".join(each for each in texts if isinstance(each, str) and each)


def _parse_tools(body: Json) -> Iterator[Tool]:
    for tool in as_dicts(body.get("tools")):
        declared = tool.get("functionDeclarations") or tool.get("function_declarations")
        for each in as_dicts(declared):
            schema = pick(each, "parametersJsonSchema") or pick(each, "parameters")
            yield Tool(str(each.get("name", "")), schema, str(each.get("description") or ""))


def _parse_format(settings: Json) -> Json | None:
    kind = settings.get("responseMimeType") or settings.get("response_mime_type")
    if kind != "application/json":
        return None
    return pick(settings, "responseJsonSchema") or pick(settings, "responseSchema")


def _parse_choice(config: Json) -> str | None:
    if config.get("mode") != "ANY":
        return None
    names = config.get("allowedFunctionNames") or config.get("allowed_function_names") or [""]
    return str(names[0])


def signs_thoughts(model: str) -> bool:
    """Return True for a model that signs its thoughts, and wants the signatures back."""
    return bool(SIGNING.match(model))


def _render_calls(answer: Answer, exchange: Exchange) -> list[Json]:
    """Return the calls as parts; of several at once, the first is signed."""
    named = [
        {"id": each.id, "name": each.name, "args": as_object(each.arguments)}
        for each in answer.calls
    ]
    parts: list[Json] = [{"functionCall": each} for each in named]
    if parts and signs_thoughts(exchange.prompt.model):
        parts[0]["thoughtSignature"] = SIGNATURE
    return parts


def _render(parts: list[Json], exchange: Exchange, answer: Answer | None) -> Json:
    """Return a chunk; the whole answer is known in the last one, which says that it is."""
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    chunk: Json = {"candidates": [candidate], "modelVersion": exchange.prompt.model}
    chunk["responseId"] = f"goldfish-{exchange.number:08d}"
    if answer is not None:
        candidate["finishReason"] = "STOP"
        shown = count_tokens(exchange.prompt.text)
        said = count_tokens(answer.text + "".join(each.arguments for each in answer.calls))
        counts = {"promptTokenCount": shown, "candidatesTokenCount": said}
        chunk["usageMetadata"] = {**counts, "totalTokenCount": shown + said}
    return chunk
