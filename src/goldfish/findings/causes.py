"""Findings with one mechanism, told as one: grouped by what their evidence has in common."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from goldfish.findings.kinds import KINDS, are_related, is_telling, rank
from goldfish.findings.result import Result, Verdict
from goldfish.history.conditions import (
    AT_ONCE,
    CUT_SHORT,
    HARMED,
    KILLED,
    PROCESSES,
    REOPENED,
)
from goldfish.history.operations import has_effect

CIRCUMSTANCES = frozenset({AT_ONCE, REOPENED, PROCESSES, KILLED, HARMED, CUT_SHORT})
OPENINGS = frozenset({REOPENED, PROCESSES})
LONG = "CTX12"  # an agent that breaks no earlier promise breaks this one in 26 turns, not in seven
DISTURBED = frozenset({KILLED, HARMED})
# What every promise about facts calls: having it in common says nothing.
_ORDINARY = frozenset({"remember", "recall", "list_facts"})
# Whether an ordinary fact is recalled at all, on which all that recalls one hangs.
_RECALLED = "REC01"

# A JSON merge patch keeps what a new dict lacks, and removes what is null.
_MERGED = frozenset({"FID41", "FID43"})


class Mechanism(StrEnum):
    """What the findings of one cause have in common."""

    ERROR = "error"  # the same exception, raised in the same line
    CROSSING = "crossing"  # state that outlives its storage, or is shared by two of them
    RACE = "race"  # it breaks when calls come at once, and holds when they do not
    OPENING = "opening"  # what one opening of the storage wrote, another does not have
    BASE = "base"  # a simpler promise is broken, on which the others build
    ALONE = "alone"  # one finding


@dataclass(frozen=True)
class Cause:
    """One mechanism: the result that shows it with the least, and those that hang on it."""

    mechanism: Mechanism
    first: Result
    others: tuple[Result, ...] = ()

    @property
    def results(self) -> tuple[Result, ...]:
        """All of its results, the clearest first."""
        return (self.first, *self.others)

    @property
    def codes(self) -> tuple[str, ...]:
        """The checks that it breaks."""
        return tuple(result.code for result in self.results)


_SHOWING = frozenset({"list_facts", "recall", "get_fact"})
# Families about one method or one subject: in each, a bug of that method shows in any way.
_NARROW = frozenset({"TRM", "CLR", "TTL", "SNP", "ORD", "DUP"})
_TAG = re.compile(r"\[([A-Z]{3}\d\d)-\d+\]")


def find_causes(results: Iterable[Result]) -> list[Cause]:
    """Return the causes of what is broken, in the order in which their first promises come."""
    results = list(results)
    places = {id(each): place for place, each in enumerate(results)}
    by_simplicity = partial(_rate_simplicity, places)
    left = sorted((each for each in results if each.verdict is Verdict.BROKEN), key=by_simplicity)
    causes = []
    while left:
        first, *rest = left
        mechanism, others = _claim(first, rest)
        causes.append(Cause(mechanism, first, tuple(others)))
        claimed = {id(each) for each in others}
        left = [each for each in rest if id(each) not in claimed]
    return [
        _sort_others(cause, places)
        for cause in sorted(causes, key=lambda each: places[id(each.first)])
    ]


def _sort_others(cause: Cause, places: Mapping[int, int]) -> Cause:
    return replace(cause, others=tuple(sorted(cause.others, key=lambda each: places[id(each)])))


def _claim(first: Result, rest: Sequence[Result]) -> tuple[Mechanism, list[Result]]:
    """Return the mechanism that the simplest result shows, and what else it explains."""
    if has_crossed(first):
        return Mechanism.CROSSING, [each for each in rest if has_crossed(each)]
    # What breaks by a kill or a fault alone is theirs: a race shows without them.
    if AT_ONCE in first.conditions and not first.conditions & {KILLED, HARMED}:
        return Mechanism.RACE, [
            each for each in rest if _is_of_race(first, each) or _is_same_error(first, each)
        ]
    races = [each for each in rest if _is_plain_race(each)]
    if _is_plain(first):
        # Calls that nothing disturbs explain what comes at once. A kill explains what only breaks
        # with one, and no race that needs none.
        is_quiet = first.conditions <= OPENINGS
        races = [] if is_quiet else [each for each in races if not each.conditions & DISTURBED]
    others = [
        each
        for each in rest
        if (_hangs_on(each, first) and not any(_is_of_race(race, each) for race in races))
        or _needs_no_race(first, each)
        or _are_parts(first, each, races)
        or _are_of_last(first, each)
    ]
    if first.origin is not None:
        return Mechanism.ERROR, others
    if _is_plain(first) and first.conditions and first.conditions <= OPENINGS:
        return Mechanism.OPENING, others
    return (Mechanism.BASE if others else Mechanism.ALONE), others


def _rate_simplicity(
    places: Mapping[int, int], result: Result
) -> tuple[bool, bool, bool, int, int, int, bool, int, bool, int]:
    """Return how much it takes to break the promise: little first.

    Of races the gravest comes first, told by a promise about races (one about kills would suggest
    another cause), and then the one that fewest calls show: which methods a check called says
    little, since one that was refused never came to its reads.
    """
    circumstances = result.conditions & CIRCUMSTANCES
    at_once = AT_ONCE in circumstances
    methods = result.conditions - circumstances
    return (
        not has_crossed(result),
        at_once,
        not _is_plain(result),
        len(circumstances - OPENINGS if at_once else circumstances),
        len(methods - _ORDINARY if at_once else methods),
        -1 if _is_late(result) else rank(result.finding),
        at_once and result.family != "CON",  # others name a kill, say, that a race does not need
        len(result.excerpt.calls) if at_once and result.excerpt else 0,
        result.finding in KINDS and result.family != KINDS[result.finding].home,
        places[id(result)],
    )


def _is_late(result: Result) -> bool:
    """Return True if a plain read misses a write that another read, or a later one, shows.

    That may look like any loss or disorder, and neither of them looks like that.
    """
    return result.finding == "stale" and _is_plain(result) and result.conditions <= OPENINGS


def has_crossed(result: Result) -> bool:
    """Return True if a read returned what another check said, in another storage."""
    if result.excerpt is None:
        return False
    shown = [
        str(each)
        for call in result.excerpt.calls
        if isinstance(call.result, tuple)
        for each in call.result
    ]
    said = {code for text in shown for code in _TAG.findall(text)}
    return bool(said - {result.code})


def _is_plain_race(result: Result) -> bool:
    return AT_ONCE in result.conditions and _is_plain(result)


def _is_of_race(first: Result, other: Result) -> bool:
    """Return True if the other breaks when calls come at once; its kill is not to blame then.

    Who opens the storage while others do it may fail; what those lose who succeeded is their own.
    """
    if AT_ONCE not in other.conditions or _fails_to_open(first) > _fails_to_open(other):
        return False
    return _get_subject(first) == _get_subject(other) or first.finding == other.finding


def _fails_to_open(result: Result) -> bool:
    return result.origin is not None and result.origin.method == "opening"


def _hangs_on(other: Result, first: Result) -> bool:
    """Return True if the first, which takes less, explains why the other is broken."""
    if _are_cut_short(first, other) or _are_left_unusable(first, other):
        return True
    if _is_known_of_another(first) and _is_known_of_another(other):
        return True
    if {first.code, other.code} == _MERGED or _stops_anyway(first, other):
        return True
    if _fails_to_open(other) and first.origin is None:
        return False  # no answer of a call explains why the storage cannot be opened
    if first.origin is not None:  # an error explains errors, and nothing that succeeded
        return _is_same_error(first, other)
    if first.conditions <= _list_implied(other) and _is_plain(first):
        return _get_subject(first) <= _get_subject(other)
    if _are_apart(first, other):
        return False
    methods = first.conditions - CIRCUMSTANCES - _ORDINARY
    if first.family == "ISO" and "list_sessions" in other.conditions:
        return True  # ids that are changed on their way in
    if first.family == other.family:
        is_same_method = first.family in _NARROW and bool(methods & other.conditions)
        if first.finding == "reordered" and other.finding == "swallowed":
            return False  # in which order it lists says nothing of what it refuses
        return is_same_method or _are_retries(first, other) or _is_related(first, other)
    if not _is_related(first, other):
        return False
    if first.code == _RECALLED and "recall" in other.conditions:
        return True
    if first.finding == other.finding and is_telling(first.finding):
        return True
    if not first.conditions - {"get_ttl"} <= other.conditions:  # a read takes no part in it
        circumstances = first.conditions & CIRCUMSTANCES
        return _removes(first) and _removes(other) and circumstances <= other.conditions
    return bool(methods)


def _are_apart(first: Result, other: Result) -> bool:
    """Return True if promises about agents are broken by two causes, though the words agree.

    An agent that hides errors of its model loses nothing by that. What only a long conversation
    shows does not explain what two turns at once lose in a short one.
    """
    if not first.family == other.family == "CTX":
        return False
    words = first.finding, other.finding
    if first.code == LONG and AT_ONCE in other.conditions:
        return True
    return words[0] != words[1] and "swallowed" in words


def _are_cut_short(first: Result, other: Result) -> bool:
    """Return True if both show what is left in plain files by a write that did not get to its end.

    Whether a kill ended it or a full disk, and whatever then comes of half a file.
    """
    return all(
        CUT_SHORT in each.conditions and each.backend == "files" for each in (first, other)
    ) and _get_subject(first) == _get_subject(other)


def _is_known_of_another(result: Result) -> bool:
    """Return True if a fact is missing that another user was told, too."""
    if result.finding != "lost" or result.excerpt is None:
        return False
    told = [call for call in result.excerpt.calls if call.action == "remember"]
    users = {call.session for call in told if str(call.value) in result.excerpt.about}
    reads = {call.session for call in result.excerpt.calls if call.action in _SHOWING}
    return bool(reads) and bool(users - reads)


def _are_left_unusable(first: Result, other: Result) -> bool:
    """Return True if the same error is all that comes, wherever it is met, after a fault."""
    names = [
        each.origin.error
        for each in (first, other)
        if each.origin is not None
        and HARMED in each.conditions
        and each.finding in {"wedged", "refused"}
    ]
    return len(names) == 2 and len(set(names)) == 1 and _get_subject(first) == _get_subject(other)


def _stops_anyway(first: Result, other: Result) -> bool:
    """Return True if it stops answering without a fault, too, as by a lock that an error keeps."""
    is_wedged = first.finding == other.finding == "wedged"
    return (
        is_wedged
        and not first.conditions & DISTURBED
        and _get_subject(first) == _get_subject(other)
    )


def _are_retries(first: Result, other: Result) -> bool:
    """Return True if both are about messages that are added again, which may end in any way."""
    is_of_messages = not _get_subject(first) | _get_subject(other)
    return first.family == other.family == "DUP" and is_of_messages


def _is_related(first: Result, other: Result) -> bool:
    if _get_subject(first) != _get_subject(other):
        return False
    return are_related(first.finding, other.finding)


def _needs_no_race(first: Result, other: Result) -> bool:
    """Return True if the same shows when nothing is done at once, and nothing disturbed."""
    if first.conditions & DISTURBED:
        return False
    is_order = first.finding == "reordered" and other.finding in {"reordered", "torn"}
    return (is_order and _is_related(first, other)) or _is_same_error(first, other)


def _are_parts(first: Result, other: Result, races: Iterable[Result]) -> bool:
    """Return True if both have a part of a batch, which is then not stored as a whole.

    In a race that loses messages as well, a part is what was not overwritten. One that is refused
    is another bug.
    """
    is_torn = first.finding == other.finding == "torn" and _is_related(first, other)
    if AT_ONCE not in other.conditions:
        return is_torn
    return is_torn and all(each.finding == "torn" or each.origin for each in races)


def _are_of_last(first: Result, other: Result) -> bool:
    """Return True if a read of the last messages is wrong by itself, and the other shows one."""
    if first.conditions & {AT_ONCE, *DISTURBED} or first.origin or other.origin:
        return False
    asked = _list_lasts(first)[-1:]
    return first.family == "ORD" and asked != [] and asked != [None] and any(_list_lasts(other))


def _list_lasts(result: Result) -> list[object]:
    """Return how many messages each read that it shows asked for; None for a whole one."""
    calls = result.excerpt.calls if result.excerpt else ()
    return [each.value for each in calls if each.action == "read"]


def _removes(result: Result) -> bool:
    return any(has_effect(each, "remove") for each in result.conditions)


def _is_plain(result: Result) -> bool:
    """Return True if the promise is about ordinary calls with ordinary values."""
    return result.is_basic and not result.conditions - CIRCUMSTANCES


def _get_subject(result: Result) -> frozenset[str]:
    """Return what it is about, by the methods it called: facts, state, or neither."""
    subjects = {"remember": "facts", "set_state": "state"}
    return frozenset(subjects[each] for each in result.conditions if each in subjects)


def _list_implied(result: Result) -> frozenset[str]:
    """Return the conditions, with what they imply: callers at once have openings of their own."""
    if result.conditions & {AT_ONCE, PROCESSES}:
        return result.conditions | {REOPENED}
    return result.conditions


def _is_same_error(first: Result, other: Result) -> bool:
    if first.origin is None or other.origin is None:
        return False
    return _get_key(first) == _get_key(other) or _is_left_behind(first, other)


def _is_left_behind(first: Result, other: Result) -> bool:
    """Return True if one call left what makes others fail, in whichever line they fail.

    A transaction that a deletion leaves open is refused by each call that begins another.
    """
    origins = first.origin, other.origin
    said = {(each.error, each.message) for each in origins if each is not None}
    before = (first.conditions & other.conditions) - CIRCUMSTANCES - _ORDINARY
    return len(said) == 1 and all(message for _, message in said) and bool(before)


def _get_key(result: Result) -> tuple[object, ...]:
    """Return what two errors have in common if they are one: the type, and the line or method."""
    origin = result.origin
    assert origin is not None
    place = origin.inner or origin.own
    return (origin.error, *(place[:2] if place else (origin.method, origin.message)))
