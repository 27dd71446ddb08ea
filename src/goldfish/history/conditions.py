"""Under which conditions calls were made: by several processes, at once, after a kill, with a trim.

A promise that breaks under few conditions explains one that breaks under the same and more.
"""

from collections.abc import Iterable, Sequence

from goldfish.history.call import FAULT, Call
from goldfish.history.operations import ACTIONS, METHODS

AT_ONCE = "at once"
REOPENED = "reopened"
PROCESSES = "processes"
KILLED = "killed"
HARMED = "harmed"
CUT_SHORT = "cut short"
ORDINARY = {"add", "read", "last", "aclose", "close"}


def list_conditions(calls: Sequence[Call], openings: int = 1) -> frozenset[str]:
    """Return the conditions of a check: what it did beside writing and reading alone."""
    asked = [call for call in calls if call.action != FAULT]
    faults = [str(call.value) for call in calls if call.action == FAULT]
    conditions = set(_list_methods(asked))
    if _has_overlap(asked):
        conditions.add(AT_ONCE)
    if openings > 1:
        conditions.add(REOPENED)
    if any(call.place.startswith("pod") for call in asked):
        conditions.add(PROCESSES)
    if any("kill" in what for what in faults):
        conditions.add(KILLED)
    if any("kill" not in what for what in faults):
        conditions.add(HARMED)
    if any("kill" in what or "disk is full" in what for what in faults):
        conditions.add(CUT_SHORT)  # a write may have been
    return frozenset(conditions)


def _list_methods(calls: Iterable[Call]) -> Iterable[str]:
    """Yield the methods that were called, by their names in the protocol of a store."""
    for action in {call.action for call in calls} - ORDINARY:
        method = ACTIONS.get(action) or METHODS.get(action)
        yield method.name if method else action


def _has_overlap(calls: Sequence[Call]) -> bool:
    latest = float("-inf")
    for call in sorted(calls, key=lambda call: call.start):
        if call.start < latest:
            return True
        latest = max(latest, call.end)
    return False
