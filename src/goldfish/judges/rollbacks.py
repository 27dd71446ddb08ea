"""Sessions that were rolled back: what can still be judged is what came after the last rollback.

A rollback puts the log back to a state that was saved. What of the earlier messages is there then
depends on which state that was, so each of them may be there or not, alone and in any order; and
whatever happens later is judged as ever.
"""

from collections.abc import Iterator, Sequence

from goldfish.history import Call

ROLLBACK = "rollback"
REMOVALS = {"trim", "clear"}


def forget_rolled_back(calls: Sequence[Call]) -> Sequence[Call]:
    """Return the calls of a session as they stand after its last rollback, if there was one."""
    rollbacks = [call for call in calls if call.action == ROLLBACK]
    if not rollbacks:
        return calls
    if any(call.outcome != "ok" for call in rollbacks):
        return []  # it may yet take effect, at any time
    return list(_keep_later(calls, rollbacks))


def _keep_later(calls: Sequence[Call], rollbacks: Sequence[Call]) -> Iterator[Call]:
    over = max(call.end for call in rollbacks)
    # The one that took effect last did so after the last of them began.
    undone_by = max(call.start for call in rollbacks)
    for call in calls:
        if call.start >= over:
            yield call
        elif call.action == "add":
            yield from _split_batch(call)
        elif call.action in REMOVALS and (call.end >= undone_by or call.outcome != "ok"):
            yield call._replace(outcome="unknown")


def _split_batch(add: Call) -> Iterator[Call]:
    """Yield the messages of a batch, as if each had been added alone and without an answer.

    A state may hold a part of a batch, where a trim had taken the rest before it was saved.
    """
    for content in add.value:
        yield add._replace(value=(content,), outcome="unknown")
