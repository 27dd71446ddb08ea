"""What undid a write or a removal, in one sentence: the rival call, or the kill."""

from collections.abc import Sequence

from goldfish.findings.kinds import Sign, has_sign
from goldfish.findings.result import Result
from goldfish.history import FAULT, Call
from goldfish.history.conditions import KILLED
from goldfish.history.excerpt import Excerpt
from goldfish.history.faults import parse_pod_fault
from goldfish.history.operations import has_effect
from goldfish.history.rivals import find_rival, is_at_once
from goldfish.report.highlight import Highlight, find_highlight, get_contents, has_any, join_names

NAMED = 3  # messages
ROLLBACKS = {"rollback", "rollback_to_snapshot"}


def tell_story(result: Result) -> str | None:
    """Return how it came to the finding, as far as its calls show it; None if they do not."""
    if result.is_limited and result.remainder is not None:
        left = result.remainder
        return f"Only the {left.end} {left.count:,} of {left.total:,} messages are there."
    if result.excerpt is None:
        return None
    highlight = find_highlight(result.excerpt, result.finding)
    read = highlight.culprit
    if read is None or not has_effect(read.action, "read") or read.outcome != "ok":
        return None
    if result.finding == "resurrected":
        return _tell_of_return(result.excerpt, highlight, read)
    if has_sign(result.finding, Sign.ABSENCE):
        # A race that shows without its kills is told without them.
        is_killed = KILLED in result.conditions
        return _tell_of_absence(result.excerpt, highlight, read, is_killed=is_killed)
    return None


def find_culprits(excerpt: Excerpt, finding: str | None) -> list[Call]:
    """Return the calls and faults that undid what the finding is about, as far as they show."""
    highlight = find_highlight(excerpt, finding)
    victim = _find_victim(highlight)
    if victim is None or highlight.culprit is None:
        return []
    kill = _find_kill(excerpt, victim, highlight.culprit)
    rival = find_rival(excerpt.calls, victim, highlight.culprit)
    return [each for each in (kill, rival) if each is not None]


def _find_victim(highlight: Highlight) -> Call | None:
    if highlight.finding == "resurrected":
        return highlight.removal
    read = highlight.culprit
    done = [call for call in highlight.writes if call.outcome == "ok"]
    return next((call for call in done if read and call.end <= read.start), None)


def _tell_of_absence(
    excerpt: Excerpt, highlight: Highlight, read: Call, *, is_killed: bool
) -> str | None:
    victim = _find_victim(highlight)
    if victim is None or (highlight.finding == "lost" and _has_all(read, excerpt.about)):
        return None  # it is there, less often than it was written
    names, is_lost = _name(victim, excerpt.about, highlight.finding)
    if kill := _find_kill(excerpt, victim, read):
        text = f"{victim.process} was told that {names} was stored; then {_describe(kill)}"
        return f"{text}: {names} {is_lost}."
    if is_killed and (kill := _find_kill(excerpt, victim, read, anywhere=True)):
        return f"{victim.process} wrote {names}; then {_describe(kill)}: {names} {is_lost}."
    rival = find_rival(excerpt.calls, victim, read)
    if rival is None:
        return None
    if _is_rolled_back(excerpt, rival, read):
        return (
            f"{victim.process} wrote {names}; after {_describe(rival)}, the rollback did not bring "
            f"{'it' if is_lost.startswith('is') else 'them'} back."
        )
    undone = highlight.finding == "lost"
    return _tell_of_rival(rival, victim, read, f"{names} {is_lost}", undone=undone)


def _is_rolled_back(excerpt: Excerpt, removal: Call, read: Call) -> bool:
    """Return True if a rollback came between a removal and the read, and was to undo it."""
    if not has_effect(removal.action, "remove"):
        return False
    return any(
        call.action in ROLLBACKS and removal.end <= call.start and call.end <= read.start
        for call in excerpt.calls
    )


def _has_all(read: Call, about: Sequence[str]) -> bool:
    return bool(about) and set(about) <= set(get_contents(read))


def _tell_of_rival(
    rival: Call, victim: Call, read: Call, outcome: str, *, undone: bool
) -> str | None:
    """Return what the rival did; what is torn or not there yet was not written over."""
    names, who, other = join_names(get_contents(victim), NAMED), victim.process, rival.process
    if not is_at_once(rival, victim):
        return _tell_of_later(rival, victim, read, outcome)
    if not has_effect(rival.action, "write"):
        return f"{other} called {_describe(rival)} while {who} wrote {names}: {outcome}."
    shown = join_names(get_contents(rival), 1)
    if rival.start <= victim.start:
        begin = f"{who} wrote {names} while {other}'s write ({shown}) was under way"
    else:
        begin = f"{other}'s write ({shown}) began while {who} wrote {names}"
    if undone and has_any(read, get_contents(rival)):
        return f"{begin}; {other}'s write is there, and {outcome}."
    return f"{begin}: {outcome}."


def _tell_of_later(rival: Call, victim: Call, read: Call, outcome: str) -> str | None:
    """Return what came between the write and the read, without a word about why."""
    names, who = join_names(get_contents(victim), NAMED), victim.process
    then = "then" if rival.process == who else f"then {rival.process}"
    if not has_effect(rival.action, "write"):
        return f"{who} wrote {names}; {then} called {_describe(rival)}: {outcome}."
    if not has_any(read, get_contents(rival)):
        return None
    return f"{who} wrote {names}; {then} wrote {join_names(get_contents(rival), 1)}: {outcome}."


def _tell_of_return(excerpt: Excerpt, highlight: Highlight, read: Call) -> str | None:
    removal = highlight.removal
    if removal is None:
        return None
    back = [each for each in get_contents(read) if each in excerpt.about]
    names = join_names(back, NAMED)
    verb = "is" if len(back) == 1 else "are"
    writes = [call for call in excerpt.calls if has_effect(call.action, "write")]
    rival = find_rival(writes, removal, read)
    done = f"{removal.process} called {_describe(removal)}"
    if rival is None or not is_at_once(rival, removal):
        return None
    wrote = f"{rival.process}'s write ({join_names(get_contents(rival), 1)})"
    return f"{done} while {wrote} was under way; after that write {names} {verb} there again."


def _find_kill(
    excerpt: Excerpt, victim: Call, read: Call, *, anywhere: bool = False
) -> Call | None:
    """Return the kill that hit the process of a write, at some time between it and the read.

    With ``anywhere`` it is the kill of any process.
    """
    for call in excerpt.calls:
        if call.action != FAULT or not victim.start <= call.end or call.start > read.start:
            continue
        fault = parse_pod_fault(call.value)
        if fault and fault.deed == "kill" and (anywhere or fault.place in {None, victim.place}):
            return call
    return None


def _describe(call: Call) -> str:
    """Return a fault in the passive, and any other call by its name and value."""
    if call.action != FAULT:
        value = "" if call.value is None else f" {join_names([str(call.value)])}"
        return f"{call.action}{value}"
    fault = parse_pod_fault(call.value)
    if fault is None:
        return str(call.value)
    return f"{fault.place} was killed" if fault.place else "all processes were killed"


def _name(victim: Call, about: Sequence[str], finding: str | None) -> tuple[str, str]:
    """Return the messages in question, and what became of them."""
    missing = [each for each in get_contents(victim) if each in about] or get_contents(victim)
    verb = "is" if len(missing) == 1 else "are"
    words = {"torn": "torn apart", "stale": "not there yet"}
    return join_names(missing, NAMED), f"{verb} {words.get(str(finding), 'lost')}"
