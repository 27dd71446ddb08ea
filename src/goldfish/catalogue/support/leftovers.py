"""What a removal leaves of a message beside its text, and gives to the next one in its place."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory, field
from goldfish.messages import ChatMessage

FIELDS = ("name", "metadata", "tool_calls", "tool_call_id")
Remove = Callable[[str, Sequence[ChatMessage]], Awaitable[Any]]


async def expect_nothing_inherited(memory: Memory, remove: Remove) -> None:
    """Remove messages with fields, add plain ones, and raise if these have the fields of those.

    Only values that the removed ones had are looked for: a store may note something of its own.
    """
    session, word = memory.session(), memory.session("left")
    call = {"id": word, "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    batch = [
        memory.message(name=word, metadata={"note": word}),
        memory.message(role="assistant", tool_calls=[call]),
        memory.message(role="tool", tool_call_id=word),
    ]
    await memory.client.add(session, batch)
    await remove(session, batch)
    await memory.client.add(session, memory.messages(len(batch)))
    for message in await memory.client.history(session):
        for name in sorted(memory.target.carries.intersection(FIELDS)):
            if word in str(value := field(message, name)):
                raise Violation(
                    f"resurrected: a removed message had {name} {quote(value)}, and a new one in "
                    "its place has it now",
                    f"the new one is {quote(field(message, 'content'))}",
                    session=session,
                )
