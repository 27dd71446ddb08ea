"""The proof of a finding: the smallest history that shows it, with the faults around it."""

from collections.abc import Iterable, Iterator, Sequence

from goldfish.findings.kinds import Sign, has_sign
from goldfish.history import FAULT, Call, History
from goldfish.history.notation import draw_history
from goldfish.history.operations import has_effect
from goldfish.history.rivals import find_rival, is_at_once
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
    history = history.select({finding.session, *(call.session for call in finding.calls)})
    shown = find_smallest(history, finding)
    alike = [each for each in judge(shown).findings if each.kind == finding.kind]
    told = (alike or [finding])[0]
    if not finding.elements:
        shown += _find_neighbours(history.calls, finding.calls[0])
    rivals = _find_rivals(history.calls, told, shown)
    calls = _mark_gaps(_add_faults([*shown, *rivals], history.calls), history.calls, rivals)
    return told, list(calls)


def _find_rivals(calls: Iterable[Call], finding: Finding, shown: Sequence[Call]) -> list[Call]:
    """Return the write that undid what the finding is about, unless it is shown already."""
    victim, read = _find_victim(finding), _find_read(finding)
    if victim is None or read is None:
        return []
    if finding.kind == "resurrected":  # only a write puts something back
        calls = [call for call in calls if has_effect(call.action, "write")]
    rival = find_rival(calls, victim, read)
    known = {(call.process, call.start) for call in shown}
    if rival is None or (rival.process, rival.start) in known or not is_at_once(rival, victim):
        return []
    return [rival]


def _find_victim(finding: Finding) -> Call | None:
    """Return the write that is missing from a read, or the removal that was undone."""
    if finding.kind == "resurrected":
        return next((call for call in finding.calls if has_effect(call.action, "remove")), None)
    if not has_sign(finding.kind, Sign.ABSENCE):
        return None
    return next((call for call in finding.calls if call.action == "add"), None)


def _find_read(finding: Finding) -> Call | None:
    reads = [call for call in finding.calls if call.action == "read"]
    return max(reads, key=lambda call: call.start, default=None)


def _find_neighbours(calls: Iterable[Call], refused: Call) -> Sequence[Call]:
    """Return other calls of the session at the same moment: a refusal alone tells little.

    Where there are none, the writes before it: the last one, and the last that was cut off.
    """
    others = [call for call in calls if call.session == refused.session and call != refused]
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


def _mark_gaps(
    calls: Iterable[Call], whole: Iterable[Call], rivals: Iterable[Call]
) -> Iterator[Call]:
    """Yield the calls, with a gap in reads where contents were left out."""
    of_rivals = {each for call in rivals if call.action == "add" for each in call.value}
    before = {(call.process, call.start): call for call in whole if call.action == "read"}
    for call in calls:
        original = before.get((call.process, call.start))
        if original is None or not original.result or call.action != "read":
            yield call
        else:
            result = tuple(_mark_gap(original.result, of_rivals.union(call.result)))
            yield call._replace(result=result, value=original.value)


def _mark_gap(contents: Iterable[str], kept: set[str]) -> Iterator[str]:
    in_gap = False
    for content in contents:
        if content in kept:
            yield content
        elif not in_gap:
            yield GAP
        in_gap = content not in kept
