"""The calls in the lines of a saved history: parsed by msgspec where that is installed.

Whatever msgspec refuses, and whatever a plain line does not have, is left to ``parse_call``: so
both read the same calls and find the same faults.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import inf
from typing import Any

from goldfish.history.model import parse_call
from goldfish.history.packed import Head, PackedCalls

Decode = Callable[[str | bytes], Any]

_ABSENT = object()
_RARE = ("outcome", "error", "timed_out", "origin")  # what a call has that was not just answered
_NO_RESULT = (b"", b"null")


def parse_lines(lines: Iterable[str]) -> PackedCalls:
    """Return the calls; a ValueError, TypeError or KeyError says what is wrong with a line."""
    decoders = _find_decoders()
    parser = _Parser() if decoders is None else _QuickParser(*decoders)
    for line in lines:
        parser.parse(line)
    return parser.calls


class _Parser:
    """Parses any line."""

    def __init__(self) -> None:
        self.calls = PackedCalls()

    def parse(self, line: str) -> None:
        """Add the call in the line."""
        self.calls.append(parse_call(json.loads(line)))


class _QuickParser(_Parser):
    """Parses plain lines with msgspec.

    Most reads begin with all that the last read of their session showed: where the bytes are the
    same, only what comes after them is parsed.
    """

    def __init__(self, decode_line: Decode, decode_texts: Decode) -> None:
        super().__init__()
        self._decode_line, self._decode_texts = decode_line, decode_texts
        self._shown: dict[str, tuple[bytes, int]] = {}  # the last list without its end, by session

    def parse(self, line: str) -> None:
        """Add the call in the line."""
        try:
            is_plain = self._add_plain(self._decode_line(line))
        except (ValueError, RecursionError):
            is_plain = False
        if not is_plain:
            super().parse(line)

    def _add_plain(self, fields: Sequence[Any]) -> bool:
        """Add the call if ``parse_call`` would accept it; return False if that is not certain."""
        process, action, start, end, session, value, place, result, *rare = fields
        if rare.count(_ABSENT) < len(_RARE) or not -inf < start <= end < inf:
            return False
        has_list, shown = type(value) is list, bytes(result)
        if has_list != (action == "add") or (shown in _NO_RESULT) == (action == "read"):
            return False
        if has_list:
            self.calls.add(session, (process, action, None, place, "value"), value, start, end)
        elif action == "read":
            texts, like = self._find_texts(session, shown)
            head: Head = (process, action, value, place, "result")
            self.calls.add(session, head, texts, start, end, like)
        else:
            self.calls.add(session, (process, action, value, place, None), (), start, end)
        return True

    def _find_texts(self, session: str, shown: bytes) -> tuple[list[str], int | None]:
        """Return the texts of a list, beyond those of an earlier call whose number comes second."""
        begun, like = self._shown.get(session, (b"", None))
        rest = shown[len(begun) :] if like is not None and shown.startswith(begun) else b""
        if rest == b"]":
            texts = []
        elif rest.startswith(b","):
            texts = self._decode_texts(b"[" + rest[1:])
        else:
            texts, like = self._decode_texts(shown), None
        self._shown[session] = shown[:-1], len(self.calls)
        return texts, like


@cache
def _find_decoders() -> tuple[Decode, Decode] | None:
    """Return msgspec's decoders of a plain line and of a list of texts.

    They are imported late, as few processes load a history.
    """
    try:
        from msgspec import Raw, defstruct
        from msgspec.json import Decoder
        from msgspec.structs import astuple
    except ImportError:
        return None
    line = defstruct(
        "Line",
        [
            ("process", str),
            ("action", str),
            ("start", float),
            ("end", float),
            ("session", str, ""),
            ("value", list[str] | int | None, None),
            ("place", str, ""),
            ("result", Raw, Raw()),
            *((name, Any, _ABSENT) for name in _RARE),
        ],
        gc=False,
    )
    decode = Decoder(line).decode
    return lambda text: astuple(decode(text)), Decoder(list[str]).decode
