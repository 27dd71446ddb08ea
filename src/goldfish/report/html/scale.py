"""A time axis that keeps every order and shortens long waits."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

LEAST = 0.5  # the share of the width that is dealt out evenly, so that the short can be seen


class Scale:
    """The axis: a moment between two others lies between them; distances are not to scale."""

    def __init__(self, moments: Iterable[float], left: float, right: float) -> None:
        self.moments: Sequence[float] = sorted(set(moments)) or [0.0]
        self._left = left
        steps = [after - before for before, after in pairwise(self.moments)]
        roots = [step**0.5 for step in steps]
        whole = sum(roots) or 1.0
        room = right - left
        shares = [LEAST / len(steps) + (1 - LEAST) * root / whole for root in roots]
        widths = (room * share for share in shares)
        self._places: list[float] = list(accumulate(widths, initial=left))

    def __call__(self, moment: float) -> float:
        """Return the place of a moment; those outside are at the ends."""
        at = bisect_right(self.moments, moment) - 1
        if at < 0:
            return self._left
        if at >= len(self.moments) - 1:
            return self._places[-1]
        before, after = self.moments[at], self.moments[at + 1]
        share = (moment - before) / (after - before)
        return self._places[at] + share * (self._places[at + 1] - self._places[at])

    def ticks(self, apart: float) -> list[tuple[float, float]]:
        """Return moments with their places, none nearer to the one before than ``apart``."""
        chosen: list[tuple[float, float]] = []
        for moment in self.moments:
            place = self(moment)
            if not chosen or place - chosen[-1][1] >= apart:
                chosen.append((moment, place))
        return chosen
