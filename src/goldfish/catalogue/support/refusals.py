"""Tells a rule, which is stated before anything is written, from an accident."""

import re
from collections.abc import Sequence

from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory
from goldfish.messages import ChatMessage

CONSTRAINTS = frozenset({"IntegrityError", "DataError"})  # of all drivers: a column refused it


def is_rule(refusal: StoreError) -> bool:
    """Return True if something was refused on purpose, and not by an accident of its encoding."""
    error = refusal.error
    if isinstance(error, UnicodeError):
        return False
    names = {each.__name__ for each in type(error).__mro__}
    return isinstance(error, ValueError | TypeError) or bool(names & CONSTRAINTS)


def is_rule_about_ids(refusal: StoreError) -> bool:
    """Return True if an id was refused on purpose."""
    return is_rule(refusal) and not isinstance(refusal.error, TypeError)


def may_refuse_id(memory: Memory, name: str, refusal: StoreError) -> bool:
    """Return True if the memory may refuse this id: by its rule, declared or shown when asked."""
    if not is_rule_about_ids(refusal):
        return False
    if memory.target.ids is not None:
        return re.fullmatch(memory.target.ids, name, re.DOTALL) is None
    return not memory.target.holds("any_ids") or "/" in name or "\\" in name


async def is_taken(memory: Memory, session: str, batch: Sequence[ChatMessage]) -> bool:
    """Add a batch; return False if the memory refuses the id by its rule."""
    refusal = await memory.client.offer(session, batch)
    if refusal is not None and not may_refuse_id(memory, session, refusal):
        raise refusal
    return refusal is None
