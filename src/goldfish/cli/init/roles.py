"""Writes what a class that has one method for each role is called with, and what it refuses."""

from collections.abc import Callable, Iterator

from goldfish.cli.init.calls import CallWriter
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.parameters import Call

METHODS = {"assistant": "reply", "system": "system", "tool": "tool"}  # by FoundMemory.others


def has_methods_of_roles(found: FoundMemory) -> bool:
    """Return True if a memory has another method for the assistant than for the user."""
    write = found.write
    is_said = write is None or write.part("role", "many") is not None
    return found.kind == "messages" and "reply" in found.others and not is_said


def write_by_role(
    found: FoundMemory, writer: CallWriter, given: dict[str, str], locate: Callable[[Call], str]
) -> Iterator[str]:
    """Yield the calls of the methods of the roles, and the refusal of the others."""
    methods = {role: found.others.get(name) for role, name in METHODS.items()}
    branch = "if"
    for role, call in {**methods, "user": found.write}.items():
        if call is None:
            continue
        theirs = {**given, "text": "each.content"}
        if parameter := call.part("text", "one"):
            theirs[parameter.part] = writer.message(parameter)
        yield f'            {branch} each.role == "{role}":\n'
        yield f"                {writer.call(call, theirs)}  # GUESS: {locate(call)}\n"
        branch = "elif"
    yield "            else:\n"
    yield '                raise ValueError(f"it has no method for the role {each.role}")\n'
