"""The numbers of a history for plots: pace around faults, cost by size, loss by concurrency."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from goldfish.history import FAULT, Call

MOST_CALLS = 120  # of a pace
MOST_FAULTS = 12
MOST_POINTS = 60  # of a growth
LEAST_CALLS = 12  # of a pace: fewer show nothing
LEAST_POINTS, LEAST_MESSAGES = 4, 100  # of a growth
T = TypeVar("T")
WORKLOAD = {"add", "read"}  # what can be done to a session without removing anything


@dataclass(frozen=True)
class Figures:
    """The numbers of one check; each is empty where its calls do not give any.

    ``pace``: start, seconds and outcome of calls around faults; ``faults``: start, end and what.
    ``growth``: how many messages a session had, and the seconds that adding one more took.
    ``crowd``: other adds under way in the session, messages acknowledged then, and lost of them.
    ``prompts``: of an agent, the turn, the bytes of its prompt, and how many of them, from the
    beginning, are as in the prompt before.
    """

    pace: tuple[tuple[float, float, str], ...] = ()
    faults: tuple[tuple[float, float, str], ...] = ()
    growth: tuple[tuple[int, float], ...] = ()
    crowd: tuple[tuple[int, int, int], ...] = ()
    prompts: tuple[tuple[int, int, int], ...] = ()


def measure(calls: Sequence[Call]) -> Figures | None:
    """Return the figures of a history; None if it has none."""
    asked = [call for call in calls if call.action != FAULT]
    faults = [call for call in calls if call.action == FAULT]
    by_session: dict[str, list[Call]] = defaultdict(list)
    for call in asked:
        by_session[call.session].append(call)
    pace, disturbed = _measure_pace(asked, faults) if faults else ((), ())
    found = Figures(pace, disturbed, _measure_growth(by_session), _measure_crowd(by_session))
    return found if found != Figures() else None


def _measure_pace(calls: Sequence[Call], faults: Sequence[Call]) -> tuple[Any, Any]:
    """Return calls and faults with times from the first call; of many calls, a sample."""
    if len(calls) < LEAST_CALLS:
        return (), ()
    ordered = sorted(calls, key=lambda call: call.start)
    origin = ordered[0].start
    chosen = _thin_out(ordered, MOST_CALLS)
    return (
        tuple(
            (round(call.start - origin, 5), round(call.end - call.start, 6), str(call.outcome))
            for call in chosen
        ),
        tuple(
            (round(fault.start - origin, 5), round(fault.end - origin, 5), str(fault.value))
            for fault in faults[:MOST_FAULTS]
            if fault.end >= origin
        ),
    )


def _measure_growth(by_session: dict[str, list[Call]]) -> tuple[tuple[int, float], ...]:
    """Return the cost of adding, in the session that grew largest by one add after the other."""
    best: list[tuple[int, float]] = []
    for calls in by_session.values():
        points = _list_costs(calls)
        tells = len(points) >= LEAST_POINTS and points[-1][0] >= LEAST_MESSAGES
        if tells and (not best or points[-1][0] > best[-1][0]):
            best = points
    return tuple(_thin_out(best, MOST_POINTS))


def _list_costs(calls: Sequence[Call]) -> list[tuple[int, float]]:
    if any(call.action not in WORKLOAD for call in calls):
        return []
    adds = sorted((call for call in calls if call.action == "add"), key=lambda call: call.start)
    there, over, points = 0, 0.0, []
    for add in adds:
        if add.start < over:
            return []  # at the same moment as another: its time is not its own
        if add.outcome != "ok":
            break
        if add.value:
            points.append((there, round((add.end - add.start) / len(add.value), 7)))
        there, over = there + len(add.value), add.end
    return points


def _measure_crowd(by_session: dict[str, list[Call]]) -> tuple[tuple[int, int, int], ...]:
    """Return how many messages were acknowledged and lost, by the number of other adds."""
    acknowledged: dict[int, int] = defaultdict(int)
    lost: dict[int, int] = defaultdict(int)
    for calls in by_session.values():
        for others, count, gone in _find_fates(calls):
            acknowledged[others] += count
            lost[others] += gone
    if not any(lost.values()):
        return ()
    return tuple((others, acknowledged[others], lost[others]) for others in sorted(acknowledged))


def _find_fates(calls: Sequence[Call]) -> Iterable[tuple[int, int, int]]:
    """Yield, for each add, the number of others at that time, its messages, and the lost ones."""
    if any(call.action not in WORKLOAD or call.process == call.place for call in calls):
        return
    adds = [call for call in calls if call.action == "add"]
    reads = [call for call in calls if _is_whole_read(call)]
    last = max(reads, key=lambda call: call.start, default=None)
    if last is None:
        return
    there = set(last.result)
    starts, ends = sorted(call.start for call in adds), sorted(call.end for call in adds)
    for add in adds:
        if add.outcome == "ok" and add.end < last.start:
            others = bisect_right(starts, add.end) - bisect_left(ends, add.start) - 1
            yield others, len(add.value), sum(content not in there for content in add.value)


def _is_whole_read(call: Call) -> bool:
    return call.action == "read" and call.outcome == "ok" and call.value is None


def _thin_out(items: Sequence[T], most: int) -> list[T]:
    """Return at most so many items, evenly taken, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(at * (len(items) - 1) / (most - 1))] for at in range(most)]
