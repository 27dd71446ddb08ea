"""Judges: pure functions from a history to findings, each of which no correct memory allows.

A session is a log with two ends that only move forward: an add appends its batch, a read shows
what lies between the ends (or the last of it), a trim and a clear move the front; after a rollback
it begins anew, with some of what was there. Every call takes effect at one instant between its
start and its end; one that failed or got no answer may have done so at any time after its start,
or never. A finding means that no such instants exist.

Judges import the history and the table of kinds, and nothing else: no clock, no I/O, no randomness.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from goldfish.history import Call, History
from goldfish.history.collector import pause_collector
from goldfish.history.packed import PackedCalls, is_unusual
from goldfish.judges.answers import find_unanswered
from goldfish.judges.bounds import Bounds
from goldfish.judges.contents import Everywhere, fill_reads
from goldfish.judges.findings import (
    IN_ALL,
    PER_KIND,
    Finding,
    Judgement,
    choose_headlines,
    keep_first_of_each,
)
from goldfish.judges.order import Order
from goldfish.judges.presence import Presence
from goldfish.judges.removals import Removals
from goldfish.judges.resurrection import find_resurrected
from goldfish.judges.rollbacks import forget_rolled_back
from goldfish.judges.sessions import Session
from goldfish.judges.strands import braid
from goldfish.judges.tally import Tally

__all__ = ["Finding", "Judgement", "judge"]


def judge(history: History | Iterable[Call]) -> Judgement:
    """Return what the calls prove about the memory that answered them."""
    with pause_collector():
        return _judge_all(history)


def _judge_all(history: History | Iterable[Call]) -> Judgement:
    calls = history.calls if isinstance(history, History) else list(history)
    sessions, unusual = _index(calls)
    findings = list(islice(find_unanswered(unusual), IN_ALL))
    everywhere, tally = Everywhere(sessions), Tally()
    for name, of_session in sessions.items():
        findings += _judge_session(name, of_session, everywhere, tally)
    return tally.make_judgement(choose_headlines(findings))


def _index(calls: list[Call] | PackedCalls) -> tuple[Mapping[str, list[Call]], list[Call]]:
    """Return the calls of each session, and those of all that are not just answers."""
    if isinstance(calls, PackedCalls):
        return calls.group_by_session(), calls.select_unusual()
    sessions: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        sessions[call.session].append(call)
    return sessions, list(filter(is_unusual, calls))


def _judge_session(
    name: str, calls: Sequence[Call], everywhere: Everywhere, tally: Tally
) -> list[Finding]:
    """Return the findings of one session; add what it acknowledged and lost to the tally."""
    session = Session(name, forget_rolled_back(calls))
    findings = fill_reads(session, everywhere)
    strands, clashes = braid(session)
    removals = Removals(session, Bounds(session, strands))
    presence = Presence(session, removals)
    if session.removals:
        findings += find_resurrected(session, removals, presence)
    presence.search()
    order = Order(session, strands, removals, presence)
    findings += islice(order.find_contradictions(), PER_KIND)
    order.note_holes(clashes)
    findings += presence.list_findings()
    findings += islice(order.find_torn(clashes), 2 * PER_KIND)
    findings += islice(order.find_disagreements(clashes), PER_KIND)
    tally.add(session, strands, presence)
    return keep_first_of_each(findings)
