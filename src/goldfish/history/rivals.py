"""The rival of a call: the other write or removal that may have undone it."""

from collections.abc import Iterable

from goldfish.history.call import Call
from goldfish.history.operations import has_effect


def find_rival(calls: Iterable[Call], victim: Call, read: Call) -> Call | None:
    """Return the change that is likeliest to have undone another before a read showed that.

    It is a write or a removal in the same session that could take effect after the victim did. One
    that overlaps the victim comes first, and of those a removal: were the writes to blame, they
    would undo each other where nobody removes anything, and be told of by that. Then comes one
    whose contents the read shows, then the nearest.
    """
    candidates = [call for call in calls if _may_undo(call, victim, read)]
    return min(candidates, key=lambda call: _rank(call, victim, read), default=None)


def is_at_once(rival: Call, victim: Call) -> bool:
    """Return True if the two calls were under way at the same time."""
    return rival.overlaps(victim) and rival.process != victim.process


def _may_undo(call: Call, victim: Call, read: Call) -> bool:
    if call.session != victim.session:
        return False
    if not has_effect(call.action, "write") and not has_effect(call.action, "remove"):
        return False
    same = (call.process, call.start) == (victim.process, victim.start)
    return not same and call.end >= victim.start and call.start <= read.end


def _rank(call: Call, victim: Call, read: Call) -> tuple[bool, bool, bool, bool, float]:
    shown = set(map(repr, read.result)) if isinstance(read.result, tuple | list) else set()
    contents = call.value if isinstance(call.value, tuple | list) else ()
    is_seen = any(repr(each) in shown for each in contents)
    return (
        not is_at_once(call, victim),
        is_at_once(call, victim) and not has_effect(call.action, "remove"),
        not is_seen,
        call.end < victim.end,
        abs(call.end - victim.end),
    )
