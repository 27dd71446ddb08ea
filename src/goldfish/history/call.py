"""One call of a history, and the names that tell calls and messages apart."""

import re
from typing import Any, Literal, NamedTuple, get_args

from goldfish.history.origin import Origin

Outcome = Literal["ok", "fail", "unknown"]
OUTCOMES = get_args(Outcome)
FAULT = "fault"  # the action of what the harness does to the world

_TAG = re.compile(r"\[([^\]\s]+)\]")


class Call(NamedTuple):
    """One call; its effect, if any, took place at one instant between start and end.

    ``process`` is the caller, which has one call under way at a time. ``place`` is the pod that
    served it. ``value`` is what was passed: the contents of an add, the number of a trim or of a
    read of the last ones. ``result`` is what came back: the contents that a read found. ``fail``
    means that the caller saw an error; ``unknown`` that no answer came, and ``timed_out`` that the
    caller gave up waiting for one. Either may still have had its effect, at any time after start.
    ``origin`` is where an error was raised.
    """

    process: str
    session: str
    action: str
    value: Any
    result: Any
    start: float
    end: float
    outcome: Outcome = "ok"
    error: str = ""
    place: str = ""
    timed_out: bool = False
    origin: Origin | None = None

    def overlaps(self, other: "Call") -> bool:
        """Return True if neither call was over before the other began."""
        return self.start <= other.end and other.start <= self.end


def find_tag(content: object) -> str:
    """Return the short name of a message: the one in brackets at its beginning, or all of it."""
    if not isinstance(content, str):
        return repr(content)
    match = _TAG.match(content)
    return match.group(1) if match else content
