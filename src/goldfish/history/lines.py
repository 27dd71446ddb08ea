"""The calls in the lines of a saved history: parsed by msgspec where that is installed.

Whatever msgspec refuses, and whatever a plain line does not have, is left to ``parse_call``: so
both read the same calls and find the same faults. Equal texts of a session become one: a history is
mostly reads that show the same messages again and again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from sys import intern
from typing import Any

from goldfish.history.model import Call, parse_call

Decode = Callable[[str], Any]
Texts = dict[str, str]  # each by itself
Known = dict[str, Texts]  # by session: a small table is faster than a large one

_ABSENT = object()
_RARE = ("outcome", "error", "timed_out", "origin")  # what a call has that was not just answered


def parse_lines(lines: Iterable[str]) -> list[Call]:
    """Return the calls; a ValueError, TypeError or KeyError says what is wrong with a line."""
    known: Known = {}
    decode = _find_decoder()
    if decode is None:
        return [_parse_slowly(line, known) for line in lines]
    return list(_parse_quickly(lines, decode, known))


def _parse_slowly(line: str, known: Known) -> Call:
    call = parse_call(json.loads(line))
    texts = known.setdefault(call.session, {call.session: call.session})
    return call._replace(
        process=intern(call.process),
        session=texts[call.session],
        action=intern(call.action),
        value=_share_contents(call.value, texts),
        result=_share_contents(call.result, texts),
    )


def _parse_quickly(lines: Iterable[str], decode: Decode, known: Known) -> Iterator[Call]:
    # No more calls for each line than it takes: there may be millions of them.
    make = Call._make
    for line in lines:
        try:
            process, action, start, end, session, value, result, place, *rare = decode(line)
        except (ValueError, RecursionError):
            rare = [line]
        if rare.count(_ABSENT) < len(_RARE) or not _is_plain(action, value, result, start, end):
            yield _parse_slowly(line, known)
            continue
        texts = known.get(session)
        if texts is None:
            texts = known[session] = {session: session}
        share = texts.setdefault
        if type(value) is list:
            value = tuple(map(share, value, value))
        if result is not None:
            result = tuple(map(share, result, result))
        names = intern(process), texts[session], intern(action)
        yield make((*names, value, result, start, end, "ok", "", intern(place), False, None))


def _is_plain(action: str, value: Any, result: Any, start: float, end: float) -> bool:
    """Return True if the call is one that ``parse_call`` would accept."""
    if action == "add":
        return type(value) is list and start <= end
    return start <= end and (action != "read" or result is not None)


def _share_contents(contents: Any, texts: Texts) -> Any:
    """Return the contents, each text the same object as its equals before."""
    if type(contents) is tuple and all(type(each) is str for each in contents):
        return tuple(map(texts.setdefault, contents, contents))
    return contents  # parts, or a number: 1 equals True, and is not the same


@cache
def _find_decoder() -> Decode | None:
    """Return msgspec's decoder of a plain line; imported late, as few processes load a history."""
    try:
        from msgspec import defstruct
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
            ("result", list[str] | None, None),
            ("place", str, ""),
            *((name, Any, _ABSENT) for name in _RARE),
        ],
        gc=False,
    )
    decode = Decoder(line).decode
    return lambda text: astuple(decode(text))
