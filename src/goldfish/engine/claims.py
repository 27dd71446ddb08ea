"""What a memory never claimed: messages that left its window, limits that its documents state."""

from goldfish.catalogue.registry import Check, Window
from goldfish.findings.kinds import KINDS
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError, is_not_implemented, is_out_of_time
from goldfish.harness.memory import Memory
from goldfish.harness.patience import (
    SHORTEST_TIME_OUT,
    LateError,
    is_machine_late,
    is_second_try,
    was_machine_late,
)
from goldfish.history import Call
from goldfish.history.operations import METHODS
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


def excuse_what_a_rule_refuses(memory: Memory, error: Violation | StoreError) -> None:
    """Raise UnsupportedError if a message was refused that the memory refuses also in the quiet."""
    is_refusal = isinstance(error, StoreError) or error.finding == "refused"
    failed = [each for each in memory.record.history.calls if each.outcome == "fail"]
    if not is_refusal or not failed:
        return
    if failed[-1].action == "remember":
        longest = memory.transcript.dialect.largest_fact
        if longest is not None and len(str(failed[-1].value)) > longest:
            told = f"it refuses facts of more than {longest:,} characters"
            raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, told)) from error
    if failed[-1].action != "add":
        return
    said = [str(each) for each in failed[-1].value or ()]
    target, largest = memory.target, memory.transcript.dialect.largest
    if largest is not None and any(len(each) > largest for each in said):
        told = f"it refuses contents of more than {largest:,} characters"
        raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, told)) from error
    if not target.holds("blank_contents") and not all(each.strip() for each in said):
        told = "it refuses messages without a word"
        raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, told)) from error


def excuse_what_is_not_implemented(memory: Memory, error: Violation | StoreError) -> None:
    """Raise UnsupportedError if a method that a memory need not have says that it is none."""
    refusal = error if isinstance(error, StoreError) else error.__cause__
    if isinstance(refusal, StoreError):
        name = refusal.method if is_not_implemented(refusal.error) else ""
    elif isinstance(error, Violation) and error.finding == "refused":
        failed = [each for each in memory.record.history.calls if each.outcome == "fail"]
        name = _name_unimplemented(failed[-1]) if failed else ""
    else:
        return
    if name in METHODS and name not in memory.client.interface.needed:
        told = f"{name} raises NotImplementedError"
        raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, told)) from error


def _name_unimplemented(call: Call) -> str:
    """Return the method of a call, if it raised that there is none; else nothing."""
    origin = call.origin
    return origin.method if origin and origin.error == NotImplementedError.__name__ else ""


def excuse_time_outs(memory: Memory, error: Violation | StoreError) -> None:
    """Raise LateError if the memory's own clock ran out on a machine that is late.

    Tried again alone, only a machine that is late at that very moment excuses it.
    """
    refusal = error if isinstance(error, StoreError) else error.__cause__
    is_late = is_machine_late() or (was_machine_late() and not is_second_try.get())
    if is_late and isinstance(refusal, StoreError):
        failed = [each for each in memory.record.history.calls if each.outcome == "fail"]
        seconds = failed[-1].end - failed[-1].start if failed else SHORTEST_TIME_OUT
        if seconds >= SHORTEST_TIME_OUT and is_out_of_time(refusal.error, seconds):
            raise LateError(f"refused: {refusal}") from error


def excuse_haste(memory: Memory, violation: Violation) -> None:
    """Raise LateError if facts are known later than they are told, and were not waited for long.

    How long was learnt in the quiet: the check is tried again, with more patience.
    """
    if memory.transcript.dialect.settles and not is_second_try.get():
        raise LateError(str(violation)) from violation


def find_documented(check: Check, target: Target) -> str:
    """Return what the memory's documentation says of a broken promise; empty if nothing."""
    for key in (check.code, check.family):
        if key in target.documented:
            return target.documented[key]
    for claims, said in target.documented.items():
        if any(claims in need.excluded_by for need in check.every_need):
            return said
    return ""
