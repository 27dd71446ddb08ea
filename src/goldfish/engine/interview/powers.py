"""What the interview asks first: which methods are there in name only."""

from collections.abc import Sequence
from typing import Any

from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError, is_not_implemented
from goldfish.harness.memory import Memory
from goldfish.harness.patience import Patience
from goldfish.history.operations import METHODS, Method

LONGEST = 10.0  # seconds: of a slow memory less is asked, and the checks meet the rest
VALUES: dict[str, Any] = {
    "text": "Ann keeps bees in Lisbon",
    "query": "bees",
    "values": {"mood": "calm"},
    "seconds": 60,
    "keep_last": 1,
    "ids": ["m1"],
    "fact_id": "f1",
    "snapshot_id": "s1",
}


async def find_unimplemented(memory: Memory) -> list[str]:
    """Return the methods that raise NotImplementedError twice, where others make a memory."""
    found, patience = [], Patience(LONGEST)
    for method in _list_optional(memory):
        if patience.is_over:
            break
        try:
            if await patience.spend_on(_is_unimplemented(memory, method)):
                found.append(method.name)
        except Violation:  # it never returned, which is for the checks to tell
            await memory.reopen()
            break
    return found


def _list_optional(memory: Memory) -> Sequence[Method]:
    """Return the methods that a store can do without, and that do not end it or empty all of it."""
    seen = memory.client.interface
    return [
        each
        for each in METHODS.values()
        if each.name in seen.methods
        and each.name not in seen.needed
        and (each.positional or each.only_shows)
    ]


async def _is_unimplemented(memory: Memory, method: Method) -> bool:
    for _ in range(2):
        arguments, options = _fill(memory, method)
        try:
            await memory.client.call(method.name, *arguments, **options)
        except StoreError as error:
            if is_not_implemented(error.error):
                continue
        return False
    return True


def _fill(memory: Memory, method: Method) -> tuple[list[Any], dict[str, Any]]:
    """Return ordinary arguments of a method, for a session or a user that is new."""
    name = memory.session()
    values = {**VALUES, "session_ids": [name]}
    taken = [each for each in method.keywords if memory.client.spells(method.name, each)]
    arguments = [values.get(each, name) for each in method.positional]
    return arguments, {each: values.get(each, name) for each in taken}
