"""What the interview asks about messages that a memory may refuse: by content, and by role."""

from collections.abc import Callable
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


async def are_system_messages_taken(memory: Memory) -> bool | None:
    """Return False if a message of the system is refused."""
    return not await _is_refused(memory, role="system", is_rule=is_rule_about_roles)


async def are_tool_messages_taken(memory: Memory) -> bool | None:
    """Return False if the result of a tool is refused."""
    return not await _is_refused(memory, role="tool", is_rule=is_rule_about_roles)


def is_rule_about_roles(refusal: StoreError) -> bool:
    """Return True if a role may have been refused on purpose: also by a table or a constraint."""
    names = {each.__name__ for each in type(refusal.error).__mro__}
    is_chosen = isinstance(refusal.error, LookupError | NotImplementedError | AssertionError)
    return is_rule(refusal) or is_chosen or "IntegrityError" in names


async def _is_refused(
    memory: Memory,
    content: Any = None,
    *,
    role: str = "user",
    is_rule: Callable[[StoreError], bool] = is_rule,
) -> bool:
    """Return True if a rule refuses such a message, and nothing of it is there."""
    session = memory.session()
    refusal = await memory.client.offer(session, [memory.message(content, role=role)])
    return refusal is not None and is_rule(refusal) and not await memory.client.contents(session)
