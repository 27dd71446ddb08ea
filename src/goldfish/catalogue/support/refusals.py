"""Tells a rule about ids, which is stated before anything is written, from an accident."""

import re

from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory


def is_rule_about_ids(refusal: StoreError) -> bool:
    """Return True if an id was refused on purpose: by a ValueError that is not an accident."""
    error = refusal.error
    return isinstance(error, ValueError) and not isinstance(error, UnicodeError)


def may_refuse_id(memory: Memory, name: str, refusal: StoreError) -> bool:
    """Return True if the memory may refuse this id: by its rule, declared or shown when asked."""
    if not is_rule_about_ids(refusal):
        return False
    if memory.target.ids is not None:
        return re.fullmatch(memory.target.ids, name, re.DOTALL) is None
    return not memory.target.holds("any_ids") or "/" in name or "\\" in name
