"""A finding as a person can follow it: the smallest history that shows it, drawn."""

from collections.abc import Iterable, Iterator, Sequence

from goldfish.history import FAULT, Call, History
from goldfish.history.notation import draw_history
from goldfish.judges import Finding, judge
from goldfish.judges.findings import distinct
from goldfish.judges.smallest import find_smallest

FAULTS = 3  # that are shown: a storm has many
NEIGHBOURS = 3  # calls that are shown beside one that was refused
GAP = "…"


def draw_proof(history: History, finding: Finding) -> tuple[Finding, list[str]]:
    """The finding that can be shown with the fewest calls, of the same kind, and the lines."""
    shown, calls = find_proof(history, finding)
    return shown, draw_history(calls)


def find_proof(history: History, finding: Finding) -> tuple[Finding, list[Call]]:
    """The finding that can be shown with the fewest calls, of the same kind, and those calls."""
    shown = find_smallest(history, finding)
    alike = [each for each in judge(shown).findings if each.kind == finding.kind]
    if not finding.elements:
        shown += _neighbours(history.calls, finding.calls[0])
    calls = _with_gaps(_with_faults(shown, history.calls), history.calls)
    return (alike or [finding])[0], list(calls)


def _neighbours(calls: Iterable[Call], refused: Call) -> Sequence[Call]:
    """Other calls of the session at the same moment, for a refusal alone tells little.

    Where there are none, the writes before it: the last one, and the last that was cut off.
    """
    others = [call for call in calls if call.session == refused.session and call is not refused]
    if beside := [call for call in others if _overlap(call, refused)]:
        return beside[:NEIGHBOURS]
    writes = [call for call in others if call.action == "add" and call.end < refused.start]
    cut_off = [call for call in writes if call.outcome == "unknown"]
    return distinct([*writes[-1:], *cut_off[-1:]])


def _with_faults(calls: Sequence[Call], whole: Iterable[Call]) -> list[Call]:
    """The calls, and the last faults between the first of them and the last."""
    plain = [call for call in calls if call.action != FAULT]
    begin, end = min(call.start for call in plain), max(call.end for call in plain)
    faults = [call for call in whole if call.action == FAULT]
    return (
        plain + [fault for fault in faults if fault.start <= end and begin <= fault.end][-FAULTS:]
    )


def _with_gaps(calls: Iterable[Call], whole: Iterable[Call]) -> Iterator[Call]:
    """The calls, where reads say in which places they showed more than is told of them."""
    before = {(call.process, call.start): call for call in whole if call.action == "read"}
    for call in calls:
        original = before.get((call.process, call.start))
        if original is None or not original.result or call.action != "read":
            yield call
        else:
            kept = _with_gap(original.result, set(call.result))
            yield call._replace(result=tuple(kept), value=original.value)


def _with_gap(contents: Iterable[str], told: set[str]) -> Iterator[str]:
    in_gap = False
    for content in contents:
        if content in told:
            yield content
        elif not in_gap:
            yield GAP
        in_gap = content not in told


def _overlap(one: Call, other: Call) -> bool:
    return one.start <= other.end and other.start <= one.end
