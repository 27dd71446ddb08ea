"""What goes wrong with a command before it serves as a memory, and what it said last."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from goldfish.errors import TargetError, mask

# What node says of a program that is newer than node itself.
NEWER_THAN_NODE = re.compile(
    r"ERR_UNKNOWN_BUILTIN_MODULE|No such built-in module|ERR_UNKNOWN_FILE_EXTENSION|bad option:"
    r"|ERR_REQUIRE_ESM|does not provide an export named|is not a function|EBADENGINE"
    r"|SyntaxError: (Unexpected|Invalid|Cannot use import)|node.*(too old|or newer|or later)",
    re.IGNORECASE,
)
NODE_VERSION = re.compile(r"^Node\.js (v\d+\.\d+\.\d+)", re.MULTILINE)


class ProtocolError(Exception):
    """A command does not speak the protocol; the text is a sentence about it.

    ``log`` has the last lines of its standard error, or is None if it never ran.
    """

    def __init__(self, sentence: str, log: Sequence[str] | None = None) -> None:
        super().__init__(sentence)
        self.log = log


def explain(command: str, error: ProtocolError) -> TargetError:
    """Return the error that a user sees: one sentence, and what the command said last."""
    text = f"cmd:{command} {error}"
    if error.log is None:
        return TargetError(text)
    said = "\n".join(error.log)
    if version := _find_old_node(command, said):
        text += f"; node {version} is probably too old for it: install a newer one"
    last = f"; its last lines:\n{mask(said)}" if said else "; it wrote nothing to standard error"
    return TargetError(text + last)


def _find_old_node(command: str, said: str) -> str:
    """Return the version of a node that seems older than its program, or nothing."""
    program = PurePath(command.split()[0]).name if command.split() else ""
    found = NODE_VERSION.search(said)
    if not found and program not in {"node", "npx", "tsx"}:
        return ""
    return (found[1] if found else "itself") if NEWER_THAN_NODE.search(said) else ""
