"""The calls that a process has under way, in a file, so that they are known if it crashes."""

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST = 80  # characters of one argument
_numbers = itertools.count()
_file: int | None = None


def open_spool(path: str) -> None:
    """Write each call of this process to the file from now on."""
    global _file
    _file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def describe_call(method: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> str:
    """Return a call as a line of a spool has it; empty if this process has none."""
    if _file is None:
        return ""
    named = [f"{name}={_shorten(each)}" for name, each in options.items()]
    return f"{method}({', '.join([*map(_shorten, arguments), *named])})"


def note_start(call: str) -> int:
    """Note that a call begins; return its number."""
    number = next(_numbers)
    if _file is not None:
        os.write(_file, f"{number} {call}\n".encode("ascii", "backslashreplace"))
    return number


def note_end(number: int) -> None:
    """Note that a call is over."""
    if _file is not None:
        os.write(_file, b"-%d\n" % number)


def list_calls(lines: Sequence[str]) -> list[tuple[str, bool]]:
    """Return the calls that the lines tell of, in order, and whether each was over."""
    over = {line[1:] for line in lines if line.startswith("-")}
    begun = [line.partition(" ") for line in lines if not line.startswith("-")]
    return [(call, number in over) for number, _, call in begun if call]


def _shorten(value: Any) -> str:
    """Return a value as a short text; of many messages, how many there are and the first one."""
    if isinstance(value, list | tuple) and value:
        more = f" and {len(value) - 1} more" if len(value) > 1 else ""
        return f"[{_shorten(value[0])}{more}]"
    content = getattr(value, "content", value)
    if isinstance(content, str):
        return repr(content[:LONGEST])
    is_plain = content is None or isinstance(content, int | float)
    return repr(content) if is_plain else f"<{type(content).__name__}>"
