"""What the interview asks about contents that a memory may refuse: empty ones and long ones."""

from typing import Any

from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory

SIZES = (1_000, 4_000, 10_000, 30_000, 60_000, 130_000, 400_000, 1_200_000)  # characters


def is_rule(refusal: StoreError) -> bool:
    """Return True if something was refused on purpose, and not by an accident of its encoding."""
    error = refusal.error
    return isinstance(error, ValueError | TypeError) and not isinstance(error, UnicodeError)


async def find_largest(memory: Memory) -> int | None:
    """Return the length of the longest content that is taken, if a rule refuses longer ones."""
    longest = SIZES[-1]
    if not await _is_refused(memory, "x" * longest):
        return None
    taken = [size for size in SIZES if not await _is_refused(memory, "x" * size)]
    return max(taken, default=None)


async def are_blanks_taken(memory: Memory) -> bool | None:
    """Return False if a message without a word is refused."""
    return not (await _is_refused(memory, "") or await _is_refused(memory, " "))


async def are_parts_taken(memory: Memory) -> bool | None:
    """Return False if contents in parts are refused."""
    return not await _is_refused(memory, [{"type": "text", "text": memory.text()}])


async def _is_refused(memory: Memory, content: Any) -> bool:
    """Return True if a rule refuses a message with this content, and nothing of it is there."""
    session = memory.session()
    refusal = await memory.client.offer(session, [memory.message(content)])
    return refusal is not None and is_rule(refusal) and not await memory.client.contents(session)
