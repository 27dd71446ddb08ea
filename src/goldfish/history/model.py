"""The model of a history: calls, what they are about, and the JSON that spells them out."""

import json
import math
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldfish.history.call import FAULT, OUTCOMES, Call
from goldfish.history.origin import parse_origin
from goldfish.history.packed import PackedCalls

SCHEMA = 1


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

    calls: list[Call] | PackedCalls = field(default_factory=list)
    about: About = field(default_factory=About)

    def select(self, sessions: Collection[str]) -> "History":
        """Return the history of these sessions alone, with the faults."""
        if isinstance(self.calls, PackedCalls):
            return History(self.calls.select(sessions), self.about)
        wanted = (call for call in self.calls if call.session in sessions or call.action == FAULT)
        return History(list(wanted), self.about)

    def save(self, path: Path) -> None:
        """Write the history as lines of JSON: what it is about, then a line for each call."""
        lines = ({"goldfish": SCHEMA, **vars(self.about)}, *map(spell_out_call, self.calls))
        with path.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(line, default=repr) + "\n" for line in lines)


def spell_out_call(call: Call) -> dict[str, Any]:
    """Return the fields of a call by name, without the empty ones, so that a person can read it."""
    usual = {"value": None, "result": None, "session": "", **Call._field_defaults}
    fields = call._asdict()
    if call.origin is not None:
        fields["origin"] = call.origin.spell_out()
    return {
        name: value for name, value in fields.items() if name not in usual or value != usual[name]
    }


def parse_about(fields: Any) -> About:
    """Return what a history is about, from the first line of its file."""
    if _get(fields, "goldfish", int) != SCHEMA:
        raise ValueError("it was written by a newer goldfish")
    about = About(**{name: value for name, value in fields.items() if name != "goldfish"})
    for name, usual in vars(About()).items():
        _get(vars(about), name, type(usual))
    return about


def parse_call(fields: Any) -> Call:
    """Return the call that ``spell_out_call`` spelled out; a ValueError names a bad field.

    A file may come from anybody, and what is in it becomes the code of a test.
    """
    start, end = (float(_get(fields, name, float)) for name in ("start", "end"))
    if not -math.inf < start <= end < math.inf:
        raise ValueError(f"'start' and 'end' must be a span of time (got {start} and {end})")
    action, outcome = _get(fields, "action", str), fields.get("outcome", "ok")
    value, result = (_freeze(fields.get(name)) for name in ("value", "result"))
    if outcome not in OUTCOMES:
        raise ValueError(f"'outcome' must be ok, fail or unknown (got {outcome!r:.40})")
    if action == "add" and not isinstance(value, tuple):
        raise ValueError("'value' of an add must be a list of messages")
    if action == "read" and outcome == "ok" and not isinstance(result, tuple):
        raise ValueError("'result' of a read must be a list of messages")
    return Call(
        _get(fields, "process", str),
        _get(fields, "session", str, ""),
        action,
        value,
        result,
        start,
        end,
        outcome,
        _get(fields, "error", str, ""),
        _get(fields, "place", str, ""),
        _get(fields, "timed_out", bool, False),
        parse_origin(_get(fields, "origin", dict)) if "origin" in fields else None,
    )


def _freeze(value: Any) -> Any:
    return tuple(value) if type(value) is list else value


def _get(fields: Any, name: str, kind: type, default: Any = None) -> Any:
    """Return a field; raise a ValueError if it is of another type."""
    if not isinstance(fields, dict):
        raise ValueError(f"a line must be a record, not a {type(fields).__name__}")
    value = fields[name] if default is None else fields.get(name, default)
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise ValueError(f"{name!r} must be of type {kind.__name__}, not {type(value).__name__}")
