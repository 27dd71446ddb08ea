"""What the interview asks about messages that a memory may refuse: by contents or a field."""

from typing import Any
from uuid import uuid4

from goldfish.catalogue.support.refusals import is_rule
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory

SIZES = (1_000, 4_000, 10_000, 30_000, 60_000, 130_000, 400_000, 1_200_000)  # characters


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


async def are_all_message_ids_taken(memory: Memory) -> bool | None:
    """Return False if a plain id is refused, and a UUID is not."""
    if not await _is_refused(memory, id=f"Msg-{memory.random.getrandbits(64):x}-Q"):
        return True
    return None if await _is_refused(memory, id=str(uuid4())) else False


async def are_deep_metadata_taken(memory: Memory) -> bool | None:
    """Return False if metadata are refused that hold more than texts and numbers."""
    if await _is_refused(memory, metadata={"asked in": "interview", "n": 1}):
        return None
    deep = ({"deep": {"n": 1}}, {"deep": [1]}, {"deep": None})
    return not any([await _is_refused(memory, metadata=each) for each in deep])


async def are_system_messages_taken(memory: Memory) -> bool | None:
    """Return False if a message of the system is refused."""
    return not await _is_refused(memory, role="system")


async def are_tool_messages_taken(memory: Memory) -> bool | None:
    """Return False if the result of a tool is refused."""
    return not await _is_refused(memory, role="tool")


def is_rule_about_roles(refusal: StoreError) -> bool:
    """Return True if a role may have been refused on purpose: by a table of those known, too."""
    is_unknown = isinstance(refusal.error, LookupError | NotImplementedError | AssertionError)
    return is_rule(refusal) or is_unknown


async def _is_refused(memory: Memory, content: Any = None, **fields: Any) -> bool:
    """Return True if a rule refuses such a message, and nothing of it is there."""
    session = memory.session()
    refusal = await memory.client.offer(session, [memory.message(content, **fields)])
    is_chosen = is_rule_about_roles if "role" in fields else is_rule
    return refusal is not None and is_chosen(refusal) and not await memory.client.contents(session)
