"""What a memory never claimed: messages that left its window, limits that its documents state."""

from goldfish.catalogue.registry import Check, Window
from goldfish.findings.kinds import KINDS
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Memory
from goldfish.targets.declaration import Target


def excuse_what_left_the_window(check: Check, memory: Memory, violation: Violation) -> None:
    """Raise UnsupportedError if what is missing was never promised: the window holds less."""
    window, given = memory.target.window, memory.transcript.longest
    if window is None or given <= window or Window in check.needs:  # else it is what is checked
        return
    # Each message beyond the window takes a summary, and that is as slow as its model.
    waits = memory.target.summarises and violation.finding == "wedged"
    if KINDS[violation.finding].forgets or waits:
        memory.record.lost = 0
        told = f"it keeps the last {window} messages, and was given {given}"
        raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, told)) from violation


def find_documented(check: Check, target: Target) -> str:
    """Return what the memory's documentation says of a broken promise; empty if nothing."""
    for key in (check.code, check.family):
        if key in target.documented:
            return target.documented[key]
    for claims, said in target.documented.items():
        if any(claims in need.excluded_by for need in check.every_need):
            return said
    return ""
