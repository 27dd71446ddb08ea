"""The index of one session: its messages by number, and its reads and removals in time."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

from goldfish.history import Call, find_tag

_NOTHING = object()
_NONE: frozenset[int] = frozenset()
FRONT = 0  # the number that stands before the first message of a session


class Removal(NamedTuple):
    """A trim or a clear (which keeps none); ``end`` is endless unless it was acknowledged."""

    keep: int
    start: float
    end: float
    call: Call


class Read:
    """One answered read: what it showed, and the bounds of the instant at which it looked.

    ``ids`` are the messages by which order can be judged, with FRONT before them where nothing
    can have been removed; ``shown`` are all that are known. ``whole`` says that no limit left
    anything out. ``trusted`` reads had only known messages, once each. ``row`` is the strand of
    messages that the read belongs to, and ``low`` and ``high`` its window there. ``risen`` are
    the messages that it shows though they were removed: nothing else follows from those.
    """

    __slots__ = (
        "call",
        "earliest",
        "front",
        "high",
        "ids",
        "latest",
        "low",
        "profile",
        "risen",
        "row",
        "shown",
        "trusted",
        "whole",
    )

    def __init__(self, call: Call, ids: list[int], shown: set[int]) -> None:
        self.call = call
        self.ids = ids
        self.shown = shown
        self.whole = call.value is None or len(call.result) < call.value
        self.trusted = True
        self.earliest, self.latest = call.start, call.end
        self.row, self.low, self.high = -1, 0, 0
        self.front: float | None = None
        self.risen: frozenset[int] = _NONE
        self.profile: list[float] | None = None


class Session:
    """The calls of one session, with its messages numbered.

    Messages are numbered in the order in which their adds began, so that those of a batch follow
    each other. ``starts`` and ``ends`` bound the instant of the add (endless unless it was
    acknowledged); ``opens`` and ``closes`` mark the first and the last of a batch. A message that
    was added again is in ``repeated``: it has no place of its own in the order.
    """

    def __init__(self, name: str, calls: Sequence[Call]) -> None:
        self.name = name
        self.adds: list[Call] = []
        self.read_calls: list[Call] = []
        self.removals: list[Removal] = []
        self._sort_out(calls)
        self.reads: list[Read] = []
        self.first_removal = self.removals[0].start if self.removals else inf
        self.repeated: set[int] = set()
        self.again: list[float] = []  # the starts of the adds that repeat a message
        self._names: dict[str, int] | None = None
        self.plain = True
        try:
            self._number_all()
        except TypeError:  # contents that are lists of parts cannot be looked up as they are
            self.plain = False
            self._number_all()

    def _sort_out(self, calls: Sequence[Call]) -> None:
        for call in calls:
            action = call.action
            if action == "add":
                if call.value:
                    self.adds.append(call)
            elif action == "read":
                if _is_telling(call):
                    self.read_calls.append(call)
            elif action in {"trim", "clear"}:
                self.removals.append(_make_removal(call))
        self.adds.sort(key=_get_start)
        self.removals.sort(key=_get_start)

    def _number_all(self) -> None:
        contents, starts, ends = self._start_over()
        for call in self.adds:
            value = call.value
            self._firsts.append(len(contents))
            contents += value
            starts += [call.start] * len(value)
            ends += [call.end if call.outcome == "ok" else inf] * len(value)
        keys = self.make_keys(contents)
        self.number = dict(zip(keys, range(len(contents)), strict=True))
        if len(self.number) < len(contents):
            self._number_once()
        del self.number[_NOTHING]
        self._mark_batches()

    def _start_over(self) -> tuple[list[Any], list[float], list[float]]:
        self.contents, self.starts, self.ends = [_NOTHING], [-inf], [-inf]
        self._firsts: list[int] = []  # of each add: the number of its first message
        return self.contents, self.starts, self.ends

    def _number_once(self) -> None:
        """Number messages of which some were added more than once."""
        contents, starts, ends = self._start_over()
        self.number = {_NOTHING: FRONT}
        for call in self.adds:
            self._firsts.append(len(contents))
            for key, content in zip(self.make_keys(call.value), call.value, strict=True):
                if key in self.number:
                    self._repeat(self.number[key], call)
                    continue
                self.number[key] = len(contents)
                contents.append(content)
                starts.append(call.start)
                ends.append(call.end if call.outcome == "ok" else inf)

    def _repeat(self, known: int, call: Call) -> None:
        self.repeated.add(known)
        self.again.append(call.start)
        if call.outcome == "ok":
            self.ends[known] = min(self.ends[known], call.end)

    def _mark_batches(self) -> None:
        self.opens = bytearray(len(self.contents) + 1)
        self.opens[FRONT] = 1
        for first in self._firsts:
            self.opens[first] = 1
        self.opens[-1] = 1
        self.closes = self.opens[1:]
        for known in self.repeated:  # their batches may rightly be shown in parts
            for number in self.get_batch(known):
                self.opens[number] = self.closes[number] = 1

    def make_keys(self, contents: Iterable[Any]) -> Iterable[Any]:
        """Return the contents as they are looked up."""
        return contents if self.plain else map(_make_key, contents)

    def find_numbers(self, contents: Iterable[Any]) -> list[int | None]:
        """Return the numbers of the contents; None for what was never added here."""
        try:
            return list(map(self.number.get, self.make_keys(contents)))
        except TypeError:
            return [None if _is_unhashable(each) else self.number.get(each) for each in contents]

    def find_by_name(self, content: Any) -> int | None:
        """Return the number of the message that has the short name of this content."""
        if self._names is None:
            self._names = {
                find_tag(each): number for number, each in enumerate(self.contents) if number
            }
        return self._names.get(find_tag(content))

    def get_add(self, number: int) -> Call:
        """Return the call that added the message."""
        return self.adds[bisect_right(self._firsts, number) - 1]

    def get_batch(self, number: int) -> list[int]:
        """Return the numbers of the batch that the message is in."""
        first = last = number
        while not self.opens[first]:
            first -= 1
        while not self.closes[last]:
            last += 1
        return list(range(first, last + 1))

    def get_contents(self, numbers: Iterable[int]) -> tuple[Any, ...]:
        """Return the contents of the messages."""
        return tuple(self.contents[number] for number in numbers)


def _get_start(begun: Call | Removal) -> float:
    return begun.start


def _is_telling(read: Call) -> bool:
    # The last none of the messages are nothing, whatever is there.
    return read.outcome == "ok" and read.result is not None and (read.value != 0 or read.result)


def _make_removal(call: Call) -> Removal:
    keep = call.value if call.action == "trim" else 0
    return Removal(keep, call.start, call.end if call.outcome == "ok" else inf, call)


def _is_unhashable(content: Any) -> bool:
    try:
        hash(content)
    except TypeError:
        return True
    return False


def _make_key(content: Any) -> Any:
    if isinstance(content, str) or content is _NOTHING:
        return content
    return (json.dumps(content, sort_keys=True, default=repr),)
