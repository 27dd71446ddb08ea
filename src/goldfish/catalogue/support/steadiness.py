"""Compares messages before and after some deed, field by field."""

from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.catalogue.support.comparison import parse_instant
from goldfish.findings.comparison import expect_contents, quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import MISSING, Memory, contents_of, field

Fields = dict[str, Any]


async def read_steady_fields(memory: Memory, session: str) -> list[Fields]:
    """Return the carried fields of each message on which two reads in a row agree."""
    first, second = [await memory.client.history(session) for _ in range(2)]
    names = ("content", *sorted(memory.target.carries - {"content"}))
    return [
        {name: plain(once, name) for name in names if plain(once, name) == plain(again, name)}
        for once, again in zip(first, second, strict=False)
    ]


def expect_steady(
    before: Sequence[Fields],
    after: Sequence[Any],
    deed: str,
    *,
    session: str,
    gone: Iterable[Any] = (),
) -> None:
    """Raise if the messages have changed, and name the deed that did it.

    ``gone`` are the contents that it has removed.
    """
    wanted = [each["content"] for each in before]
    expect_contents(wanted, contents_of(after), session=session, gone=gone)
    for fields, message in zip(before, after, strict=True):
        for name, value in fields.items():
            if plain(message, name) != value:
                raise Violation(
                    f"corrupted: {deed} turned {name} {quote(value)} "
                    f"into {quote(plain(message, name))}"
                )


def plain(message: Any, name: str) -> Any:
    """Return a field, with None for everything empty and times in UTC."""
    value = field(message, name)
    if name == "created_at":
        return parse_instant(value) or value
    empty = value is MISSING or value is None or value in ([], {}, ())
    return None if empty and name != "content" else value
