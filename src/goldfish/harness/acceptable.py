"""What is asked of a memory that refuses some messages in the quiet, too: what it takes."""

import contextlib
import json
from typing import Any
from uuid import UUID, uuid5

from goldfish.targets.declaration import Target

# By a role that a memory may refuse: the trait that it lacks then, and who speaks in its place.
STAND_INS = {"system": ("system_messages", "user"), "tool": ("tool_messages", "assistant")}
OURS = UUID("6f1c1d1e-5a0e-4f0b-9d52-3c8f6f0c9a11")  # any fixed one


def make_acceptable(fields: dict[str, Any], target: Target) -> dict[str, Any]:
    """Return the fields of a message, of which those that the memory refuses have others.

    Equal ids stay equal, and different ones different.
    """
    made = {"role": "user", **fields}
    if made["role"] == "tool":
        made.setdefault("tool_call_id", "call_0")  # without one, it would be no result
    trait, other = STAND_INS.get(made["role"], ("", made["role"]))
    if not target.holds(trait):
        made["role"] = other
    if "id" in made:
        made["id"] = make_acceptable_id(made["id"], target)
    if "metadata" in made and not target.holds("deep_metadata"):
        made["metadata"] = {name: _flatten(each) for name, each in made["metadata"].items()}
    return made


def make_acceptable_id(name: str, target: Target) -> str:
    """Return the id, or the UUID that stands for it where ids have to be such."""
    if target.holds("any_message_ids"):
        return name
    with contextlib.suppress(ValueError):
        UUID(name)
        return name
    return str(uuid5(OURS, name))


def _flatten(value: Any) -> Any:
    """Return the value, or a text in the place of a list, a dict or None, if there is one."""
    if value is None or isinstance(value, dict | list):
        with contextlib.suppress(TypeError, ValueError):
            return json.dumps(value)
    return value
