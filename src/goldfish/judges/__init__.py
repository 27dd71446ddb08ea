"""Judges: pure functions from a history to findings, each of which no correct memory allows.

A session is a log with two ends that only move forward: an add appends its batch, a read shows
what lies between the ends (or the last of it), a trim and a clear move the front; after a rollback
it begins anew, with some of what was there. Every call takes
effect at one instant between its start and its end; one that failed or got no answer may have done
so at any time after its start, or never. A finding means that no such instants exist.
"""

import gc
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from goldfish.history import FAULT, Call, History
from goldfish.judges.answers import unanswered
from goldfish.judges.bounds import Bounds
from goldfish.judges.contents import Everywhere, readings
from goldfish.judges.findings import (
    IN_ALL,
    PER_KIND,
    Finding,
    Judgement,
    first_of_each,
    headlines,
)
from goldfish.judges.order import Order
from goldfish.judges.presence import Presence
from goldfish.judges.removals import Removals
from goldfish.judges.resurrection import resurrected
from goldfish.judges.rollbacks import settled
from goldfish.judges.sessions import Session
from goldfish.judges.strands import braided
from goldfish.judges.tally import Tally

__all__ = ["Finding", "Judgement", "judge"]


def judge(history: History | Iterable[Call]) -> Judgement:
    """What the calls prove about the memory that answered them."""
    # A long history is many objects that stay: to look through them again and again for garbage
    # would make the time grow faster than the history.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _judgement(history)
    finally:
        if collects:
            gc.enable()


def _judgement(history: History | Iterable[Call]) -> Judgement:
    calls = history.calls if isinstance(history, History) else list(history)
    sessions: dict[str, list[Call]] = defaultdict(list)
    unusual: list[Call] = []
    for call in calls:
        sessions[call.session].append(call)
        if call.outcome != "ok" or call.action == FAULT:
            unusual.append(call)
    findings = list(islice(unanswered(unusual), IN_ALL))
    everywhere, tally = Everywhere(sessions), Tally()
    for name, of_session in sessions.items():
        findings += _judged(name, of_session, everywhere, tally)
    return tally.judgement(headlines(findings))


def _judged(
    name: str, calls: Sequence[Call], everywhere: Everywhere, tally: Tally
) -> list[Finding]:
    """The findings of one session; what it acknowledged and lost is added to the tally."""
    session = Session(name, settled(calls))
    findings = readings(session, everywhere)
    strands, clashes = braided(session)
    removals = Removals(session, Bounds(session, strands))
    presence = Presence(session, removals)
    if session.removals:
        findings += resurrected(session, removals, presence)
    presence.search()
    order = Order(session, strands, removals, presence)
    findings += islice(order.contradictions(), PER_KIND)
    order.holes(clashes)
    findings += presence.findings()
    findings += islice(order.torn(clashes), 2 * PER_KIND)
    findings += islice(order.disagreements(clashes), PER_KIND)
    tally.add(session, presence)
    return first_of_each(findings)
