"""Edits that a caller may make to what it passed in or got back."""

import contextlib
from typing import Any

from goldfish.harness.memory import field


def edit_message(message: Any) -> None:
    """Change whatever can be changed in a message; what is frozen stays as it is."""
    for name in ("metadata", "tool_calls", "content"):
        with contextlib.suppress(Exception):
            edit_inside(field(message, name))
    with contextlib.suppress(Exception):
        if isinstance(message, dict):
            message["content"] = "edited"
        else:
            message.content = "edited"


def edit_inside(value: Any) -> None:
    """Change a dict or a list in place, and those inside it."""
    if isinstance(value, dict):
        for each in list(value.values()):
            edit_inside(each)
        value["edited"] = True
        if "n" in value:
            value["n"] = 2
    elif isinstance(value, list):
        for each in value:
            edit_inside(each)
        value.append("edited")
