"""Every call of a run: who asked what of which session, when, and how it ended."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from goldfish.errors import HistoryError

Outcome = Literal["ok", "fail", "unknown"]
SCHEMA = 1
FAULT = "fault"  # the action of what the harness does to the world

_TAG = re.compile(r"\[([^\]\s]+)\]")


class Call(NamedTuple):
    """One call; its effect, if any, took place at one instant between start and end.

    ``process`` is who asked: it has one call under way at a time. ``place`` is the pod that served
    it. ``value`` is what was handed in: the contents of an add, the number of a trim or of a read
    of the last ones. ``result`` is what came back: the contents that a read found. ``fail`` says
    that the caller saw an error; ``unknown`` that no answer came. Either may still have had its
    effect, at any time after start.
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


@dataclass(frozen=True)
class About:
    """Where a history comes from: the line that opens its file."""

    target: str = ""
    code: str = ""
    seed: int = 0
    judged: bool = True  # False: its check looked at single answers, not at the history


@dataclass
class History:
    """Calls, in the order in which they ended."""

    calls: list[Call] = field(default_factory=list)
    about: About = field(default_factory=About)

    def save(self, path: Path) -> None:
        """Write the history as lines of JSON: what it is about, then a call each."""
        with path.open("w", encoding="ascii") as file:
            file.write(json.dumps({"goldfish": SCHEMA, **vars(self.about)}) + "\n")
            file.writelines(_line(call) for call in self.calls)


def load(path: Path) -> History:
    """The history that a file holds; a HistoryError says what is wrong with it."""
    try:
        with path.open(encoding="utf-8") as file:
            about = _about(json.loads(file.readline()))
            return History([call_of(json.loads(line)) for line in file], about)
    except OSError as error:
        raise HistoryError(f"{path} cannot be read: {error.strerror}: give a saved run") from error
    except (ValueError, TypeError, KeyError) as error:
        raise HistoryError(
            f"{path} is not a history of goldfish ({type(error).__name__}: {error}): "
            "give a file or directory that --save-runs wrote"
        ) from error


def _line(call: Call) -> str:
    return json.dumps(fields_of(call), default=repr) + "\n"


def fields_of(call: Call) -> dict[str, Any]:
    """The call by the names of its fields, without what is empty, so that a person can read it."""
    return {name: value for name, value in call._asdict().items() if value not in (None, "", "ok")}


def _about(found: dict[str, Any]) -> About:
    if found.pop("goldfish") != SCHEMA:
        raise ValueError("it was written by a newer goldfish")
    return About(**found)


def call_of(found: dict[str, Any]) -> Call:
    """The call that ``fields_of`` spelled out."""
    get = found.get
    value, result = get("value"), get("result")
    return Call(
        found["process"],
        get("session", ""),
        found["action"],
        tuple(value) if type(value) is list else value,
        tuple(result) if type(result) is list else result,
        found["start"],
        found["end"],
        get("outcome", "ok"),
        get("error", ""),
        get("place", ""),
    )


def tag(content: object) -> str:
    """The short name of a message: the one in brackets at its beginning, or all of it."""
    if not isinstance(content, str):
        return repr(content)
    match = _TAG.match(content)
    return match.group(1) if match else content
