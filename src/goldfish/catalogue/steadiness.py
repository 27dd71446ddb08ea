"""Whether messages are after some deed what they were before, field by field."""

from collections.abc import Sequence
from typing import Any

from goldfish.diagnosis import judge, shown
from goldfish.driver import Memory, field
from goldfish.verdict import Violation

Fields = dict[str, Any]


async def steady(memory: Memory, session: str) -> list[Fields]:
    """The carried fields of each message, as far as two reads in a row agree on them."""
    first, second = [await memory.client.history(session) for _ in range(2)]
    return [
        {
            name: field(once, name)
            for name in ("content", *sorted(memory.target.carries - {"content"}))
            if field(once, name) == field(again, name)
        }
        for once, again in zip(first, second, strict=False)
    ]


def expect_steady(before: Sequence[Fields], after: Sequence[Any], deed: str) -> None:
    """Raise if the messages are no longer what they were, and say what did it."""
    was, now = [each["content"] for each in before], [field(each, "content") for each in after]
    judge(was, now, session=deed)
    for fields, message in zip(before, after, strict=True):
        for name, value in fields.items():
            if field(message, name) != value:
                raise Violation(
                    f"corrupted: {deed} turned {name} {shown(value)} "
                    f"into {shown(field(message, name))}"
                )
