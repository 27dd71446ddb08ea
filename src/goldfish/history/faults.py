"""Faults of pods, as histories write them: "kill pod1", "stop pod2", "kill all pods"."""

import re
from dataclasses import dataclass
from typing import Literal

_TEXT = re.compile(r"kill all pods|(?P<deed>kill|stop) (?P<place>pod\d+)")


@dataclass(frozen=True)
class PodFault:
    """A kill or a stop of one pod, by its name; without a name, of all pods."""

    deed: Literal["kill", "stop"]
    place: str | None = None

    @property
    def number(self) -> int | None:
        """The number in the name of the pod, from 1; None for all pods."""
        return None if self.place is None else int(self.place.removeprefix("pod"))

    def __str__(self) -> str:
        """Return the fault as a history has it."""
        return f"{self.deed} {self.place or 'all pods'}"


def parse_pod_fault(text: object) -> PodFault | None:
    """Return the fault of pods that a history tells; None if it is another kind of fault."""
    match = _TEXT.fullmatch(str(text))
    if match is None:
        return None
    return PodFault("stop" if match["deed"] == "stop" else "kill", match["place"])
