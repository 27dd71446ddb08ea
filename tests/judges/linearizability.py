"""Brute force: whether any order of the calls explains what they returned."""

from collections.abc import Iterable, Sequence
from math import inf

from goldfish.history import Call


def linearizable(calls: Iterable[Call]) -> bool:
    """Whether every session can be explained by one instant for each of its calls.

    Calls that failed or got no answer may have had their effect at any time after their start, or
    never. Tries all orders, so keep the history small.
    """
    sessions: dict[str, list[Call]] = {}
    for call in calls:
        if call.action != "read" or call.outcome == "ok":
            sessions.setdefault(call.session, []).append(call)
    return all(_Search(of_session).succeeds(0, (), 0) for of_session in sessions.values())


class _Search:
    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._ends = [call.end if call.outcome == "ok" else inf for call in calls]
        self._certain = sum(1 << i for i, call in enumerate(calls) if call.outcome == "ok")
        self._dead: set[tuple[int, tuple[object, ...], int]] = set()

    def succeeds(self, done: int, log: tuple[object, ...], front: int) -> bool:
        """Whether the calls that are not done yet can follow in some order."""
        if done & self._certain == self._certain:
            return True
        state = (done, log, front)
        if state in self._dead:
            return False
        left = [i for i in range(len(self._calls)) if not done >> i & 1]
        horizon = min(self._ends[i] for i in left)
        for i in left:
            if self._calls[i].start <= horizon and self._step(i, *state):
                return True
        self._dead.add(state)
        return False

    def _step(self, i: int, done: int, log: tuple[object, ...], front: int) -> bool:
        call, done = self._calls[i], done | 1 << i
        if call.action == "add":
            return self.succeeds(done, log + tuple(call.value), front)
        if call.action == "read":
            begin = front if call.value is None else max(front, len(log) - call.value)
            return log[begin:] == tuple(call.result) and self.succeeds(done, log, front)
        keep = call.value if call.action == "trim" else 0
        return self.succeeds(done, log, max(front, len(log) - keep))
