"""The order in which findings are worth a look: the gravest and clearest first."""

from collections.abc import Sequence

from goldfish.findings.causes import Cause
from goldfish.findings.kinds import rank
from goldfish.findings.result import Result
from goldfish.history import FAULT
from goldfish.report.highlight import find_highlight


def rank_causes(causes: Sequence[Cause]) -> list[Cause]:
    """Return the causes in the order of the results that show them best."""
    places = {id(each): at for at, each in enumerate(rank_results([c.first for c in causes]))}
    return sorted(causes, key=lambda cause: places[id(cause.first)])


def rank_results(results: Sequence[Result]) -> list[Result]:
    """Return the gravest first; of equals, those that show it most clearly."""
    return sorted(results, key=lambda each: (rank(each.finding), -_rate_clearness(each), each.code))


def _rate_clearness(result: Result) -> int:
    """Return 0 if no message can be followed to the call that fails it; few calls rate higher."""
    if result.excerpt is None or not find_highlight(result.excerpt, result.finding).writes:
        return 0
    calls = [call for call in result.excerpt.calls if call.action != FAULT]
    places = {call.place for call in calls}
    return 1 + (len(calls) <= 6) + (len(places) > 1)
