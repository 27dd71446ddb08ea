"""The index of one session: its messages by number, and its reads and removals in time."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from math import inf
from typing import Any, NamedTuple

from goldfish.history import Call, tag

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
        self.risen: set[int] = set()
        self.profile: list[float] | None = None


class Session:
    """What a history says about one session.

    Messages are numbered in the order in which their adds began, so that those of a batch follow
    each other. ``starts`` and ``ends`` bound the instant of the add (endless unless it was
    acknowledged); ``opens`` and ``closes`` mark the first and the last of a batch. A message that
    was added again is in ``repeated``: it has no place of its own in the order.
    """

    def __init__(self, name: str, calls: Sequence[Call]) -> None:
        self.name = name
        self.adds = sorted(
            (call for call in calls if call.action == "add" and call.value), key=_start
        )
        self.read_calls = [call for call in calls if _tells(call)]
        self.removals = sorted(_removals(calls), key=_removal_start)
        self.reads: list[Read] = []
        self.first_removal = self.removals[0].start if self.removals else inf
        self.repeated: set[int] = set()
        self.again: list[float] = []  # the starts of the adds that repeat a message
        self._names: dict[str, int] | None = None
        self.plain = True
        try:
            self._number()
        except TypeError:  # contents that are lists of parts cannot be looked up as they are
            self.plain = False
            self._number()

    def _number(self) -> None:
        self._forget()
        contents, number = self.contents, self.number
        for index, call in enumerate(self.adds):
            size, first = len(call.value), len(contents)
            contents += call.value
            number.update(zip(self.keys(call.value), range(first, first + size), strict=True))
            self.starts += [call.start] * size
            self.ends += [call.end if call.outcome == "ok" else inf] * size
            self.add_of += [index] * size
            self.opens += b"\x01" + bytes(size - 1)
            self.closes += bytes(size - 1) + b"\x01"
        if len(number) < len(contents) - 1:
            self._number_once()

    def _forget(self) -> None:
        self.contents: list[Any] = [None]
        self.number: dict[Any, int] = {}
        self.starts, self.ends, self.add_of = [-inf], [-inf], [-1]
        self.opens, self.closes = bytearray(b"\x01"), bytearray(b"\x01")

    def _number_once(self) -> None:
        """Number messages of which some were added more than once."""
        self._forget()
        for index, call in enumerate(self.adds):
            first = len(self.contents)
            for key, content in zip(self.keys(call.value), call.value, strict=True):
                if key in self.number:
                    self._repeat(self.number[key], call)
                else:
                    self.number[key] = len(self.contents)
                    self.contents.append(content)
            size = len(self.contents) - first
            self.starts += [call.start] * size
            self.ends += [call.end if call.outcome == "ok" else inf] * size
            self.add_of += [index] * size
            self.opens += b"\x01" + bytes(size - 1) if size else b""
            self.closes += bytes(size - 1) + b"\x01" if size else b""
        self._free_batches()

    def _repeat(self, known: int, call: Call) -> None:
        self.repeated.add(known)
        self.again.append(call.start)
        if call.outcome == "ok" and known < len(self.ends):
            self.ends[known] = min(self.ends[known], call.end)

    def _free_batches(self) -> None:
        # A batch with a repeated message may rightly be shown in parts.
        loose = {self.add_of[known] for known in self.repeated}
        for number, index in enumerate(self.add_of):
            if index in loose:
                self.opens[number] = self.closes[number] = 1

    def keys(self, contents: Iterable[Any]) -> Iterable[Any]:
        """The contents as they are looked up."""
        return contents if self.plain else map(_key, contents)

    def numbers(self, contents: Iterable[Any]) -> list[int | None]:
        """The messages that the contents are; None for what was never added here."""
        try:
            return list(map(self.number.get, self.keys(contents)))
        except TypeError:
            return [None if _unhashable(each) else self.number.get(each) for each in contents]

    def named(self, content: Any) -> int | None:
        """The message that goes by the short name of this content."""
        if self._names is None:
            self._names = {tag(each): number for number, each in enumerate(self.contents) if number}
        return self._names.get(tag(content))

    def add_call(self, number: int) -> Call:
        """The call that added the message."""
        return self.adds[self.add_of[number]]

    def batch(self, number: int) -> list[int]:
        """The messages of the batch that the message is in."""
        first = last = number
        while not self.opens[first]:
            first -= 1
        while not self.closes[last]:
            last += 1
        return list(range(first, last + 1))

    def texts(self, numbers: Iterable[int]) -> tuple[Any, ...]:
        """The contents of the messages."""
        return tuple(self.contents[number] for number in numbers)

    def counted_starts(self) -> list[float]:
        """The start of every add of every message, repetitions included."""
        return list(chain(self.starts[1:], self.again))


def _start(call: Call) -> float:
    return call.start


def _removal_start(removal: Removal) -> float:
    return removal.start


def _tells(call: Call) -> bool:
    # The last none of the messages are nothing, whatever is there.
    if call.action != "read" or call.outcome != "ok" or call.result is None:
        return False
    return call.value != 0 or bool(call.result)


def _removals(calls: Iterable[Call]) -> Iterable[Removal]:
    for call in calls:
        if call.action in {"trim", "clear"}:
            keep = call.value if call.action == "trim" else 0
            yield Removal(keep, call.start, call.end if call.outcome == "ok" else inf, call)


def _unhashable(content: Any) -> bool:
    try:
        hash(content)
    except TypeError:
        return True
    return False


def _key(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return (json.dumps(content, sort_keys=True, default=repr),)
