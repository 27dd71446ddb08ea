"""What was measured, what follows from it, and what was aimed at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Workload = Literal["append", "at once", "read"]
Opponent = Literal["raw", "raw, one at a time", "best peer", "langchain-community"]
OPPONENTS: tuple[Opponent, ...] = get_args(Opponent)


@dataclass(frozen=True)
class Rate:
    """How many turns (or, when reading, messages) a contender did in a second."""

    workload: Workload
    size: int  # sessions at once, or messages in the history
    contender: str
    family: str
    per_second: float | None
    failure: str | None = None


@dataclass(frozen=True)
class Ratio:
    """Our rate divided by an opponent's; the target is the least that it should be."""

    backend: str
    workload: Workload
    size: int
    opponent: Opponent
    value: float
    target: float | None

    @property
    def met(self) -> bool | None:
        """Whether the target is reached, or None without one."""
        return None if self.target is None else self.value >= self.target


@dataclass(frozen=True)
class Growth:
    """What the same step costs in a small and in a large store."""

    backend: str
    step: str
    small: int
    large: int
    small_seconds: float
    large_seconds: float

    @property
    def value(self) -> float:
        """How many times as long the step takes in the large store."""
        return self.large_seconds / self.small_seconds

    @property
    def target(self) -> float:
        """The most that it should be."""
        return 1.3 if self.step in {"append", "remember"} else 2.0

    @property
    def met(self) -> bool:
        """Whether the store grows gracefully."""
        return self.value <= self.target


TARGETS: dict[tuple[str, Workload, Opponent], float] = {
    ("sqlite", "append", "raw"): 0.6,
    ("redis", "append", "raw"): 0.7,
    ("postgres", "append", "raw"): 0.6,
    ("sqlite", "append", "best peer"): 1.2,
    ("redis", "append", "best peer"): 1.5,
    ("sqlite", "at once", "raw, one at a time"): 3.5,
    ("redis", "at once", "raw"): 0.8,
    ("postgres", "at once", "raw"): 0.85,
    ("sqlite", "read", "raw"): 0.7,
    ("redis", "read", "raw"): 0.7,
    ("postgres", "read", "raw"): 0.7,
    ("sqlite", "read", "langchain-community"): 4.0,
    ("redis", "read", "langchain-community"): 4.0,
}

# What a long history should reach beyond that.
LONG = 10_000
LONG_TARGETS: dict[tuple[str, Workload, Opponent], float] = {
    ("sqlite", "read", "raw"): 1.2,
    ("sqlite", "read", "best peer"): 1.2,
}


def ratios(backend: str, rates: Sequence[Rate]) -> list[Ratio]:
    """Our rate in each workload, divided by those of the opponents that took part."""
    found = []
    for ours in rates:
        if ours.family == "goldfish" and ours.per_second:
            for opponent, theirs in _opponents(ours, rates).items():
                target = _find_target(backend, ours, opponent)
                value = ours.per_second / theirs
                found.append(Ratio(backend, ours.workload, ours.size, opponent, value, target))
    return found


def _find_target(backend: str, ours: Rate, opponent: Opponent) -> float | None:
    key = (backend, ours.workload, opponent)
    long = LONG_TARGETS.get(key) if ours.size >= LONG else None
    return long or TARGETS.get(key)


def _opponents(ours: Rate, rates: Sequence[Rate]) -> dict[Opponent, float]:
    """The rates to compare with, as far as there are any."""
    same = [rate for rate in rates if (rate.workload, rate.size) == (ours.workload, ours.size)]
    lone = [rate for rate in rates if ours.workload == "at once" and rate.workload == "append"]
    best: dict[Opponent, float] = {
        "raw": _best(same, "raw"),
        "raw, one at a time": _best(lone, "raw"),
        "best peer": _best(same, "langchain-community", "openai-agents"),
        "langchain-community": _best(same, "langchain-community"),
    }
    return {opponent: rate for opponent, rate in best.items() if rate}


def _best(rates: Sequence[Rate], *families: str) -> float:
    return max((rate.per_second or 0.0 for rate in rates if rate.family in families), default=0.0)
