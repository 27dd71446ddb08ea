"""The proof of a finding: the smallest history that shows it, with the faults around it."""

from collections.abc import Iterable, Iterator, Sequence

from goldfish.history import FAULT, Call, History
from goldfish.history.notation import draw_history
from goldfish.judges import Finding, judge
from goldfish.judges.findings import sort_distinct
from goldfish.judges.smallest import find_smallest

FAULTS = 3  # that are shown: a storm has many
NEIGHBOURS = 3  # calls that are shown beside one that was refused
GAP = "…"


def draw_proof(history: History, finding: Finding) -> tuple[Finding, list[str]]:
    """Return the finding of the same kind with the smallest proof, and that proof as lines."""
    shown, calls = find_proof(history, finding)
    return shown, draw_history(calls)


def find_proof(history: History, finding: Finding) -> tuple[Finding, list[Call]]:
    """Return the finding of the same kind with the smallest proof, and the calls of the proof."""
    shown = find_smallest(history, finding)
    alike = [each for each in judge(shown).findings if each.kind == finding.kind]
    if not finding.elements:
        shown += _find_neighbours(history.calls, finding.calls[0])
    calls = _mark_gaps(_add_faults(shown, history.calls), history.calls)
    return (alike or [finding])[0], list(calls)


def _find_neighbours(calls: Iterable[Call], refused: Call) -> Sequence[Call]:
    """Return other calls of the session at the same moment: a refusal alone tells little.

    Where there are none, the writes before it: the last one, and the last that was cut off.
    """
    others = [call for call in calls if call.session == refused.session and call is not refused]
    if beside := [call for call in others if call.overlaps(refused)]:
        return beside[:NEIGHBOURS]
    writes = [call for call in others if call.action == "add" and call.end < refused.start]
    cut_off = [call for call in writes if call.outcome == "unknown"]
    return sort_distinct([*writes[-1:], *cut_off[-1:]])


def _add_faults(calls: Sequence[Call], whole: Iterable[Call]) -> list[Call]:
    """Return the calls, and the last faults between the first of them and the last."""
    plain = [call for call in calls if call.action != FAULT]
    begin, end = min(call.start for call in plain), max(call.end for call in plain)
    faults = [call for call in whole if call.action == FAULT]
    return (
        plain + [fault for fault in faults if fault.start <= end and begin <= fault.end][-FAULTS:]
    )


def _mark_gaps(calls: Iterable[Call], whole: Iterable[Call]) -> Iterator[Call]:
    """Yield the calls, with a gap in reads where contents were left out."""
    before = {(call.process, call.start): call for call in whole if call.action == "read"}
    for call in calls:
        original = before.get((call.process, call.start))
        if original is None or not original.result or call.action != "read":
            yield call
        else:
            result = tuple(_mark_gap(original.result, set(call.result)))
            yield call._replace(result=result, value=original.value)


def _mark_gap(contents: Iterable[str], kept: set[str]) -> Iterator[str]:
    in_gap = False
    for content in contents:
        if content in kept:
            yield content
        elif not in_gap:
            yield GAP
        in_gap = content not in kept
