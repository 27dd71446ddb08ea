"""Workloads: what a crowd of users asks of a memory, made from a seed and nothing else."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType
from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPARING = 0.6  # of all plans, those whose trims keep whatever is under way meanwhile
MOST_SPARED = 2.5  # times as much as can be under way
TURNS: Mapping[str, int] = MappingProxyType({"add": 6, "read": 4})


@dataclass(frozen=True)
class Operation:
    """One thing to ask: by whom, of which session, through which pod.

    ``value`` is the contents of an add, the number of a trim or of a read of the last ones; of a
    rollback, which of the snapshots that there are by then.
    """

    process: str
    pod: int
    session: str
    action: str
    value: Any = None


@dataclass(frozen=True)
class Workload:
    """How many ask how much of what.

    Each process asks one thing after the other, and each thing may be routed to another pod, as by
    a load balancer; without pods, all ask the one opening in this process. ``mix`` weighs the
    actions: add, read, last, trim, clear, save, rollback.
    """

    pods: int = 3
    processes: int = 6
    sessions: int = 1
    operations: int = 48
    batch: int = 3  # the most messages of one add
    least: int = 1  # and the fewest
    padding: int = 0  # characters that make each message longer
    mix: Mapping[str, int] = field(default_factory=lambda: TURNS)
    apart: bool = False  # every other pod is of a program that was started anew

    def plan(self, random: Random, *, first: int = 1, prefix: str = "s") -> list[Operation]:
        """Return what to ask, in the order of each process; ``first`` numbers the first call."""
        actions, weights = zip(*sorted(self.mix.items()), strict=True)
        sessions = [f"{prefix}{number + 1}" for number in range(self.sessions)]
        # A trim to the last few explains the loss of anything that was added meanwhile.
        plan, spares = [], "trim" in self.mix and random.random() < SPARING
        for number in range(first, first + self.operations):
            process = f"w{1 + (number - first) % self.processes}"
            action = random.choices(actions, weights)[0]
            session, pod = random.choice(sessions), random.randrange(max(1, self.pods))
            value = self._value(action, random, process, number, spares)
            plan.append(Operation(process, pod, session, action, value))
        return plan

    def _value(self, action: str, random: Random, process: str, number: int, spares: bool) -> Any:
        if action == "add":
            count = random.randint(self.least, self.batch)
            contents = (_make_content(process, number, at, count) for at in range(count))
            return tuple(content + self.padding * "." for content in contents)
        if action not in {"last", "trim", "rollback"}:
            return None
        if action == "trim" and spares:
            under_way = self.batch * self.processes
            return random.randint(under_way, round(MOST_SPARED * under_way))
        return random.randint(0, 2 * self.batch)

    def smaller(self) -> Iterator["Workload"]:
        """Yield workloads that are smaller in one way, much smaller ones first."""
        for name, least in (("operations", 1), ("sessions", 1), ("pods", 1), ("processes", 1)):
            now = getattr(self, name)
            for less in dict.fromkeys((now // 2, least, now * 3 // 4, now - 1)):
                if least <= less < now:
                    yield replace(self, **{name: less})

    def __str__(self) -> str:
        """Return the size in words."""
        places = _count(self.pods, "pod") if self.pods else "one process"
        if self.apart and self.pods > 1:
            places += " of two programs"
        rest = (self.processes, "caller"), (self.sessions, "session"), (self.operations, "call")
        return ", ".join([places, *(_count(number, what) for number, what in rest)])


def _make_content(process: str, number: int, at: int, count: int) -> str:
    """Return a text that says who wrote it and when: the short name in brackets is its tag."""
    letter = LETTERS[at] if at < len(LETTERS) else f"-{at + 1}"
    name = f"{process}.{number}" + (letter if count > 1 else "")
    return f"[{name}] message {at + 1} of {count} of call {number}, by {process}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
