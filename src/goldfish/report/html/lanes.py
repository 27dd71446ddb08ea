"""The rows of a timeline: one lane for each process that served calls, one row for each call."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from goldfish.history import FAULT, Call
from goldfish.history.excerpt import Excerpt
from goldfish.history.faults import parse_pod_fault

HEAD, ROW, THIN, GAP = 20.0, 36.0, 7.0, 8.0  # heights: name of a lane, call, call beside, between
MOST_THIN = 5


@dataclass
class Lane:
    """The calls of one process; ``rows`` has the calls beside, packed into as few rows as go."""

    name: str
    top: float
    calls: list[Call]
    rows: list[list[Call]] = field(default_factory=list)

    @property
    def bottom(self) -> float:
        """Where the lane ends."""
        thin = len(self.rows) * THIN + (GAP if self.rows else 0)
        return self.top + HEAD + len(self.calls) * ROW + thin

    def place_calls(self) -> Iterator[tuple[Call, float]]:
        """Yield the calls with the tops of their rows."""
        for at, call in enumerate(self.calls):
            yield call, self.top + HEAD + at * ROW

    def place_beside(self) -> Iterator[tuple[Call, float]]:
        """Yield the other calls of that time, with the tops of their thin rows."""
        below = self.top + HEAD + len(self.calls) * ROW
        for at, row in enumerate(self.rows):
            for call in row:
                yield call, below + at * THIN


def make_lanes(excerpt: Excerpt, top: float, *, has_beside: bool) -> list[Lane]:
    """Return the lanes from top to bottom, by the names of the processes."""
    calls = [call for call in excerpt.calls if call.action != FAULT]
    beside = excerpt.beside if has_beside else ()
    lanes: list[Lane] = []
    faults = [call for call in excerpt.calls if call.action == FAULT]
    struck = {name for fault in faults if (name := _find_struck_place(fault))}
    for name in sorted(struck | {call.place for call in calls}, key=_sort_naturally):
        own = [call for call in calls if call.place == name]
        others = [call for call in beside if call.place == name]
        lanes.append(Lane(name, top, own, pack_rows(others)))
        top = lanes[-1].bottom + GAP
    return lanes


def pack_rows(calls: Iterable[Call]) -> list[list[Call]]:
    """Return rows in which no two calls overlap; what does not fit into them is left out."""
    rows: list[list[Call]] = []
    for call in sorted(calls, key=lambda each: each.start):
        free = next((row for row in rows if row[-1].end <= call.start), None)
        if free is not None:
            free.append(call)
        elif len(rows) < MOST_THIN:
            rows.append([call])
    return rows


def find_struck_lanes(fault: Call, there: Sequence[Lane]) -> Sequence[Lane]:
    """Return the lane of the pod that a fault strikes; all lanes, if it strikes no single pod."""
    place = _find_struck_place(fault)
    return [lane for lane in there if lane.name == place] or there


def _find_struck_place(fault: Call) -> str | None:
    of_pod = parse_pod_fault(fault.value)
    return of_pod.place if of_pod else None


def _sort_naturally(name: str) -> tuple[str, int]:
    digits = re.search(r"\d+$", name)
    return (name[: digits.start()], int(digits.group())) if digits else (name, 0)
