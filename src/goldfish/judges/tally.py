"""The counts of a history: how much was acknowledged, and what became of it."""

from math import inf

from goldfish.judges.findings import Finding, Judgement
from goldfish.judges.presence import Presence
from goldfish.judges.sessions import FRONT, Session
from goldfish.judges.strands import Strands


class Tally:
    """The counts, added up session by session."""

    def __init__(self) -> None:
        self._acknowledged = self._lost = self._confirmed = self._never_read = 0

    def add(self, session: Session, strands: Strands, presence: Presence) -> None:
        """Count the messages of one session."""
        ends, looked = session.ends, _find_last_look(session)
        shown = _find_shown(session, strands)
        settled = shown.union(presence.missed)
        late = (number for number, end in enumerate(ends) if looked <= end < inf)
        self._acknowledged += len(ends) - 1 - ends.count(inf)
        self._confirmed += sum(ends[number] < inf for number in shown)
        self._lost += sum(ends[x] < inf and presence.is_lost(x) for x in presence.missed)
        self._never_read += sum(number not in settled for number in late if number != FRONT)

    def make_judgement(self, findings: tuple[Finding, ...]) -> Judgement:
        """Return the counts with the findings."""
        return Judgement(
            findings, self._acknowledged, self._lost, self._confirmed, self._never_read
        )


def _find_shown(session: Session, strands: Strands) -> set[int]:
    """Return all that reads showed: what is in a strand, and what is in a read that is in none."""
    laid = {number for number, row in enumerate(strands.row_of) if row >= 0}
    laid.discard(FRONT)
    loose = [read.shown for read in session.reads if read.row < 0 or session.repeated]
    return laid.union(*loose)


def _find_last_look(session: Session) -> float:
    """Return the last moment at which a whole read or a clear settled all that was before."""
    reads = [read.call.start for read in session.reads if read.whole]
    clears = [each.start for each in session.removals if each.end < inf and not each.keep]
    return max(reads + clears, default=-inf)
