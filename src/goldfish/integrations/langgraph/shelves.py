"""What a process remembers of the lists of threads, so that it handles only what is new.

That is never wrong: segments do not change, and a checkpoint is read from the store before its
lists are put together. What the process does not remember is read with the thread.
"""

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from goldfish.integrations.langgraph.elements import load_all
from goldfish.integrations.langgraph.lists import Dump, Known, Part, divide, find_list
from goldfish.integrations.langgraph.records import Line, Segment, Spans

MOST_BYTES = 32 << 20  # of all threads that a saver remembers
MOST_RECENT = 8  # checkpoints of a thread whose lists are at hand
PART_BYTES = 300  # about what a segment takes besides its elements


class Shelf:
    """The segments of one line, and the lists of its newest checkpoints."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}
        self.recent: OrderedDict[str, Mapping[str, Known]] = OrderedDict()
        self.size = 0

    def learn(self, token: str, part: Part) -> None:
        """Remember a segment."""
        if token not in self.parts:
            self.parts[token] = part
            self.size += PART_BYTES + sum(each.size for each in part.elements)

    def note(self, checkpoint_id: str, lists: Mapping[str, Known]) -> None:
        """Remember the lists of a checkpoint as the newest."""
        self.recent.pop(checkpoint_id, None)
        self.recent[checkpoint_id] = lists
        if len(self.recent) > MOST_RECENT:
            self.recent.popitem(last=False)


class Division:
    """The lists of a checkpoint that is about to be written."""

    def __init__(self) -> None:
        self.lists: dict[str, Known] = {}
        self.parts: dict[str, Part] = {}

    @property
    def spans(self) -> Spans:
        """Where the elements of each list are."""
        return {channel: known.spans for channel, known in self.lists.items()}

    @property
    def segments(self) -> list[Segment]:
        """What has to be stored with the checkpoint."""
        return [
            Segment(token, part.after, tuple(each.typed for each in part.elements))
            for token, part in self.parts.items()
        ]


class Shelves:
    """The shelves of the lines that were used last."""

    def __init__(self, serde: Any) -> None:
        self.serde = serde  # whose objects are remembered
        self._mutex = threading.Lock()
        self._shelves: OrderedDict[Line, Shelf] = OrderedDict()
        self._size = 0

    def knows(self, line: Line) -> bool:
        """Return True if the line was used lately."""
        return line in self._shelves

    def forget(self, thread: str) -> None:
        """Remember nothing of a thread."""
        with self._mutex:
            for line in [each for each in self._shelves if each.thread == thread]:
                self._size -= self._shelves.pop(line).size

    def divide(
        self,
        line: Line,
        parent_id: str | None,
        values: Mapping[str, Sequence[Any]],
        changed: Collection[str],
        dump: Dump,
    ) -> Division:
        """Return the lists as they are stored after those of the parent.

        One that the parent has, with as many elements, is looked at only if it may have changed.
        """
        shelf = self._shelves.get(line) or Shelf()
        parent = shelf.recent.get(parent_id or "", {})
        division = Division()
        for channel, value in values.items():
            before = parent.get(channel, Known())
            if channel not in changed and len(before.elements) == len(value):
                division.lists[channel] = before
                continue
            known, fresh = divide(value, before, shelf.parts, dump)
            division.lists[channel] = known
            if fresh is not None:
                division.parts[fresh[0]] = fresh[1]
        return division

    def note(self, line: Line, checkpoint_id: str, division: Division) -> None:
        """Remember the lists of a checkpoint that has been written."""
        with self._mutex:
            shelf, before = self._take(line)
            for token, part in division.parts.items():
                shelf.learn(token, part)
            shelf.note(checkpoint_id, division.lists)
            self._resize(shelf.size - before)

    def read(
        self,
        line: Line,
        checkpoint_id: str,
        spans: Spans,
        segments: Mapping[str, Segment],
        *,
        keep: bool = True,
    ) -> dict[str, list[Any]] | None:
        """Return the lists of a checkpoint; None if a segment is neither given nor remembered.

        With ``keep`` they are remembered as those of one of the newest checkpoints.
        """
        with self._mutex:
            shelf, before = self._take(line)
            lists = shelf.recent.get(checkpoint_id)
            if lists is None or {name: each.spans for name, each in lists.items()} != spans:
                for token, segment in segments.items():
                    if token not in shelf.parts:
                        shelf.learn(token, Part.of(segment))
                found = {name: find_list(each, shelf.parts) for name, each in spans.items()}
                lists = {name: each for name, each in found.items() if each is not None}
            if keep and len(lists) == len(spans):
                shelf.note(checkpoint_id, lists)
            self._resize(shelf.size - before)
        if len(lists) < len(spans):
            return None
        return {name: self._load(each) for name, each in lists.items()}

    def _load(self, known: Known) -> list[Any]:
        values, known.mould = load_all(known.elements, self.serde, known.mould)
        return values

    def _take(self, line: Line) -> tuple[Shelf, int]:
        """Return the shelf of a line as the one that was used last, and its size."""
        shelf = self._shelves.pop(line, None) or Shelf()
        self._shelves[line] = shelf
        return shelf, shelf.size

    def _resize(self, grown: int) -> None:
        """Drop the shelves that have not been used for longest."""
        self._size += grown
        while self._size > MOST_BYTES and self._shelves:
            self._size -= self._shelves.popitem(last=False)[1].size
