"""Every call of a run: who asked what of which session, when, and how it ended."""

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from goldfish.errors import HistoryError

Outcome = Literal["ok", "fail", "unknown"]
OUTCOMES = get_args(Outcome)
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
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise HistoryError(
            f"{path} is not a history of goldfish ({type(error).__name__}: {error!s:.200}): "
            "give a file or directory that --save-runs wrote"
        ) from error


def _line(call: Call) -> str:
    return json.dumps(fields_of(call), default=repr) + "\n"


def fields_of(call: Call) -> dict[str, Any]:
    """The call by the names of its fields, without what is empty, so that a person can read it."""
    return {name: value for name, value in call._asdict().items() if value not in (None, "", "ok")}


def _about(found: Any) -> About:
    if _given(found, "goldfish", int) != SCHEMA:
        raise ValueError("it was written by a newer goldfish")
    about = About(**{name: value for name, value in found.items() if name != "goldfish"})
    for name, usual in vars(About()).items():
        _given(vars(about), name, type(usual))
    return about


def call_of(found: Any) -> Call:
    """The call that ``fields_of`` spelled out; a ValueError names what is not as it should be.

    A file may come from anybody, and what is in it becomes the code of a test.
    """
    start, end = (float(_given(found, name, float)) for name in ("start", "end"))
    if not -math.inf < start <= end < math.inf:
        raise ValueError(f"'start' and 'end' must be a span of time, and are {start} and {end}")
    get = found.get
    action, outcome = _given(found, "action", str), get("outcome", "ok")
    value, result = (_plain(get(name)) for name in ("value", "result"))
    if outcome not in OUTCOMES:
        raise ValueError(f"'outcome' must be ok, fail or unknown, and is {outcome!r:.40}")
    if action == "add" and not isinstance(value, tuple):
        raise ValueError("'value' of an add must be a list of messages")
    if action == "read" and outcome == "ok" and not isinstance(result, tuple):
        raise ValueError("'result' of a read must be a list of messages")
    process, session = _given(found, "process", str), _given(found, "session", str, "")
    error, place = _given(found, "error", str, ""), _given(found, "place", str, "")
    return Call(process, session, action, value, result, start, end, outcome, error, place)


def _plain(value: Any) -> Any:
    return tuple(value) if type(value) is list else value


def _given(found: Any, name: str, kind: type, default: Any = None) -> Any:
    """The field of a record, if it is of its kind."""
    if not isinstance(found, dict):
        raise ValueError(f"a line must be a record, and is a {type(found).__name__}")
    value = found[name] if default is None else found.get(name, default)
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise ValueError(f"{name!r} must be of type {kind.__name__}, not {type(value).__name__}")


def tag(content: object) -> str:
    """The short name of a message: the one in brackets at its beginning, or all of it."""
    if not isinstance(content, str):
        return repr(content)
    match = _TAG.match(content)
    return match.group(1) if match else content
