"""Values of a state as a memory takes them that knows texts, numbers and booleans only."""

import json
from collections.abc import Mapping
from types import NoneType
from typing import Any

MARK = "goldfish-json:"


def flatten(values: Any) -> Any:
    """Return values by name with each list, dict and None as a text."""
    if not isinstance(values, Mapping):
        return values
    return {name: _write(value) if _is_deep(value) else value for name, value in values.items()}


def unflatten(values: Any) -> Any:
    """Return values by name with what ``flatten`` wrote as it was."""
    if not isinstance(values, Mapping):
        return values
    return {name: _read(value) for name, value in values.items()}


def _is_deep(value: Any) -> bool:
    """Return True for what JSON has and such a memory has not; odd values stay as they are."""
    if not isinstance(value, list | dict | NoneType):
        return False
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False


def _write(value: Any) -> str:
    return f"{MARK}{json.dumps(value)}"


def _read(value: Any) -> Any:
    is_written = isinstance(value, str) and value.startswith(MARK)
    return json.loads(value.removeprefix(MARK)) if is_written else value
