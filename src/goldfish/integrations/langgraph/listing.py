"""Listings of checkpoints: which they are, the newest first, and how they are read page by page."""

from collections.abc import AsyncIterator, Sequence

from goldfish.integrations.langgraph.log import Log
from goldfish.integrations.langgraph.records import Line
from goldfish.integrations.langgraph.runs import Place
from goldfish.integrations.langgraph.threads import Saved, Threads

PAGE = 32  # checkpoints that are read at a time


class Listing:
    """The checkpoints of some lines, the newest first."""

    def __init__(self, threads: Threads, lines: Sequence[Line]) -> None:
        self._threads = threads
        self._lines = lines
        self._log: Log | None = None  # of the only line: others are read again, page by page

    async def find(self, named: str | None, end: str | None) -> list[Place]:
        """Return where the checkpoints are: the named one, or those that are older than ``end``."""
        places: list[Place] = []
        for line in self._lines:
            log = await self._threads.read(line)
            places += [(line, each.checkpoint_id) for each in log.newest_first()]
            self._log = log if len(self._lines) == 1 else None
        if len(self._lines) > 1:
            places.sort(key=lambda place: place[1], reverse=True)
        if named:
            places = [place for place in places if place[1] == named]
        return _older(places, end) if end else places

    async def read(self, places: Sequence[Place]) -> list[tuple[Line, Saved]]:
        """Return the checkpoints at these places, as far as they still exist."""
        return [(line, each) async for line, each in self._read(places)]

    async def _read(self, places: Sequence[Place]) -> AsyncIterator[tuple[Line, Saved]]:
        logs: dict[Line, Log] = {}
        for line, checkpoint_id in places:
            if line not in logs:
                logs[line] = self._log or await self._threads.read(line)
            entry = logs[line].find(checkpoint_id)
            if entry is not None:
                saved = await self._threads.complete(line, logs[line], entry)
                if saved is not None:
                    yield line, saved


def pages(places: Sequence[Place], wanted: int) -> list[Sequence[Place]]:
    """Return the places to read at a time: no more than wanted, as usually all of them match."""
    size = min(wanted, PAGE)
    if not size:
        return []
    return [places[start : start + size] for start in range(0, len(places), size)]


def _older(places: list[Place], end: str) -> list[Place]:
    """Return the places after the named one, or those with smaller ids if it does not exist."""
    ids = [checkpoint_id for _, checkpoint_id in places]
    if end in ids:
        return places[ids.index(end) + 1 :]
    return [place for place in places if place[1] < end]
