"""What every API has: a way to read requests, and to write answers whole and in pieces."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from goldfish.mirror.answers import CHARACTERS_PER_TOKEN, Answer
from goldfish.mirror.record import Exchange, Json, Prompt

PIECE = 4  # characters of a streamed reply that travel together


class Piece(NamedTuple):
    """A piece of a stream; some only frame what is said."""

    data: bytes
    is_content: bool = False


class Wire:
    """One API of one provider; ``api`` names its rules."""

    provider = ""
    api = ""
    event_stream = "text/event-stream"

    def expand(self, body: Json, path: Mapping[str, str]) -> Json:
        """Return the body with what the provider adds to it from its own memory, or the path."""
        return body

    def parse(self, body: Json, path: Mapping[str, str]) -> Prompt:
        """Return the prompt of a request."""
        raise NotImplementedError

    def count(self, body: Json) -> Json:
        """Return the answer of the route that counts tokens."""
        raise NotImplementedError

    def is_streamed(self, body: Json, path: Mapping[str, str]) -> bool:
        """Return True if the client wants the answer in pieces."""
        return bool(body.get("stream"))

    def render(self, answer: Answer, exchange: Exchange) -> Json:
        """Return the whole answer."""
        raise NotImplementedError

    def stream(self, answer: Answer, exchange: Exchange) -> Iterator[Piece]:
        """Yield the answer in pieces; the finish reason is in the pieces after the content."""
        raise NotImplementedError

    def render_error(self, status: int, message: str, code: str | None) -> Json:
        """Return the body of an error."""
        raise NotImplementedError


def split(text: str) -> Iterator[str]:
    """Yield a text in the pieces of a stream."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def count_tokens(text: str) -> int:
    """Return how many tokens a text has, by the number of its characters."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def send_event(data: Json, event: str | None = None) -> bytes:
    """Return one server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {dump(data)}\n\n".encode()


def dump(value: Any) -> str:
    """Return a value as compact JSON; lone surrogates stay escaped."""
    return json.dumps(value, separators=(",", ":"))


def join_texts(content: Any) -> str:
    """Return the text of a content that is a string, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return str(content)
    return "\n".join(filter(None, map(_text_of, content)))


def _text_of(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return str(part)
    for name in ("text", "refusal", "input_text", "output_text"):
        if isinstance(part.get(name), str):
            return str(part[name])
    return f"[{part.get('type', 'part')}]"


def as_dicts(value: Any) -> list[Json]:
    """Return the dicts of a list; nothing of what is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def as_text(arguments: Any) -> str:
    """Return the arguments of a call as JSON text."""
    return arguments if isinstance(arguments, str) else dump(arguments)


def as_object(arguments: str) -> Any:
    """Return the arguments of a call as a value."""
    return json.loads(arguments or "{}")
