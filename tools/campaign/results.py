"""What a campaign has seen, a line for each subject and seed: so it goes on where it was cut."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Condition = Literal["quiet", "busy"]
CONDITIONS: tuple[Condition, ...] = ("quiet", "busy")


@dataclass(frozen=True)
class Unit:
    """One subject with one seed, on a quiet or on a busy machine."""

    condition: Condition
    seed: int
    subject: str


@dataclass(frozen=True)
class Answer:
    """What one check said in a unit."""

    code: str
    verdict: str
    as_expected: bool
    summary: str = ""  # of what was not expected


@dataclass(frozen=True)
class Seen:
    """A unit with all answers; ``is_right`` says that the subject is a correct reference."""

    unit: Unit
    is_right: bool
    answers: tuple[Answer, ...]

    def as_line(self) -> str:
        """Return it as a line of the file."""
        unit, answers = vars(self.unit), [vars(answer) for answer in self.answers]
        return json.dumps({**unit, "is_right": self.is_right, "answers": answers})


def read_results(file: Path) -> Iterator[Seen]:
    """Yield what was seen so far; a line that was cut off is left out."""
    if not file.exists():
        return
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            yield _parse(json.loads(line))
        except (ValueError, KeyError, TypeError):
            continue


def add_result(file: Path, seen: Seen) -> None:
    """Add a line to the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(seen.as_line() + "\n")


def list_units(subjects: Sequence[str], condition: Condition, seeds: Iterable[int]) -> list[Unit]:
    """Return the work of one condition, everybody with one seed before the next seed."""
    return [Unit(condition, seed, each) for seed in seeds for each in subjects]


def _parse(read: dict[str, Any]) -> Seen:
    unit = Unit(read["condition"], read["seed"], read["subject"])
    return Seen(unit, read["is_right"], tuple(Answer(**answer) for answer in read["answers"]))
