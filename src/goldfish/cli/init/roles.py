"""Writes what a class that has one method for each role is called with, and what it refuses."""

from collections.abc import Callable, Iterator

from goldfish.cli.init.calls import CallWriter
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.parameters import Call

METHODS = {"assistant": "reply", "system": "system", "tool": "tool"}  # by FoundMemory.others
# The checks that write messages in roles for which few classes have a method.
CHECKS = {
    "system": {"CLR01", "DUR08", "FID09", "FID20", "FID30", "ORD09"},
    "tool": {"CLR01", "DUR08", "FID09", "FID20", "FID30", "ORD10"},
}


def has_methods_of_roles(found: FoundMemory) -> bool:
    """Return True if a memory has another method for the assistant than for the user."""
    write = found.write
    is_said = write is None or write.part("role", "many") is not None
    return found.kind == "messages" and "reply" in found.others and not is_said


def name_missing_roles(found: FoundMemory) -> list[str]:
    """Return the roles that it has no method for."""
    return [role for role in CHECKS if METHODS[role] not in found.others]


def list_unheard(found: FoundMemory) -> Iterator[str]:
    """Yield the list of checks that write in other roles, which a memory refuses."""
    if roles := name_missing_roles(found):
        codes = sorted({code for role in roles for code in CHECKS[role]})
        listed = ", ".join(f'"{code}"' for code in codes)
        yield f"# What writes in a role that has no method: {' or '.join(roles)}.\n"
        yield f'OTHER_ROLES = dict.fromkeys([{listed}], "no method writes it")\n\n\n'


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
