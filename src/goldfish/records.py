"""Stored messages as dicts of all their fields, parsed by msgspec where that is installed.

It makes times and empty fields on the way, without a line of Python for each message. What it
answers is what ``json`` would: integers of any length, floats to the last bit, the last of two
equal keys. What it would not give back as it was (lone surrogates, NaN, a named zone) it refuses.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Annotated, Any

Record = dict[str, Any]


def parse_records(text: str | bytes) -> list[Record] | None:
    """Return the messages in a JSON array; None if msgspec refuses them or is not installed."""
    parse = _find_parser()
    if parse is None:
        return None
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


@cache
def _find_parser() -> Callable[[str | bytes], list[Record]] | None:
    """Return msgspec's parser of messages; imported late, for those who read little."""
    try:
        from msgspec import Meta, defstruct
        from msgspec.json import Decoder
        from msgspec.structs import asdict
    except ImportError:
        return None
    stored = defstruct(
        "Stored",
        [
            ("role", Any),
            ("content", Any),
            ("id", Any),
            ("created_at", Annotated[datetime, Meta(tz=True)]),
            ("name", Any, None),
            ("tool_calls", Any, []),
            ("tool_call_id", Any, None),
            ("metadata", Any, {}),
        ],
        gc=False,
    )
    decode = Decoder(list[stored]).decode  # type: ignore[valid-type] # it is made here
    return lambda text: list(map(asdict, decode(text)))
