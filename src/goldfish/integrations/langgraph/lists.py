"""Lists of checkpoints, stored as what is new since the parent.

The elements of all lists of a line are in segments, each of which names the element before it: so
they form a tree, as checkpoints do. A list is a few spans: the last element of each, and how many
go back from there. A list that grew has one span, however long it is; one that lost elements at
its beginning has one too; one whose middle changed has three. Elements are never changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Any, TypeVar, overload

from goldfish.integrations.langgraph.elements import Element, begins_with, freeze
from goldfish.integrations.langgraph.moulds import NO_MESSAGES, Key, Mould
from goldfish.integrations.langgraph.packing import Typed
from goldfish.integrations.langgraph.records import Address, Segment, Span
from goldfish.messages import new_id

T = TypeVar("T")
Dump = Callable[[Any], Typed]


class Chain(Sequence[T]):
    """A list that never changes; one that continues it shares what they have in common."""

    __slots__ = ("_count", "_items")

    def __init__(self, items: list[T]) -> None:
        self._items = items  # which only grows
        self._count = len(items)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            return self._items[slice(*at.indices(self._count))]
        return self._items[range(self._count)[at]]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._count)

    def extend(self, items: Sequence[T]) -> "Chain[T]":
        """Return the list with more at its end."""
        with _growing:
            known = self._items
            if len(known) > self._count or not known:  # the empty one is everybody's
                known = known[: self._count]
            known += items
            return Chain(known)


EMPTY: Chain[Any] = Chain([])
_growing = Lock()


@dataclass
class Known:
    """A list that is stored: its spans, and its elements with their addresses."""

    spans: Sequence[Span] = ()
    addresses: Chain[Address] = EMPTY
    elements: Chain[Element] = EMPTY
    mould: Mould = NO_MESSAGES  # of the first elements; it grows when the list is read


@dataclass(frozen=True)
class Part:
    """A segment in memory."""

    after: Address | None
    elements: Sequence[Element]

    @classmethod
    def of(cls, segment: Segment) -> "Part":
        """Return a segment that was read."""
        return cls(segment.after, [Element(each) for each in segment.elements])


Parts = Mapping[str, Part]  # by the tokens of the segments


def find_list(spans: Sequence[Span], parts: Parts) -> Known | None:
    """Return the elements of a list; None if a segment is not known."""
    addresses: list[Address] = []
    elements: list[Element] = []
    for span in spans:
        pieces = _trace(span, parts)
        if pieces is None:
            return None
        for token, first, end in reversed(pieces):
            addresses += [(token, at) for at in range(first, end)]
            elements += parts[token].elements[first:end]
    return Known(spans, Chain(addresses), Chain(elements))


def _trace(span: Span, parts: Parts) -> list[tuple[str, int, int]] | None:
    """Return the pieces of segments that a span covers, the last one first."""
    token, index, left = span
    pieces = []
    while True:
        part = parts.get(token)
        if part is None or index >= len(part.elements):
            return None
        first = max(0, index + 1 - left)
        pieces.append((token, first, index + 1))
        left -= index + 1 - first
        if not left:
            return pieces
        if part.after is None:
            return None
        token, index = part.after


def divide(
    values: Sequence[Any], parent: Known, parts: Parts, dump: Dump
) -> tuple[Known, tuple[str, Part] | None]:
    """Return a list as it is stored, and the segment of what its parent does not have."""
    if begins_with(values, parent.elements, parent.mould):
        return _extend(parent, values[len(parent.elements) :], dump)
    keys: list[Key] = [freeze(each) or dump(each) for each in values]
    known, known_at = list(parent.elements), list(parent.addresses)
    places = _match(keys, [each.key for each in known])
    token = new_id()
    fresh: list[Element] = []
    addresses: list[Address] = []
    elements: list[Element] = []
    for value, key, at in zip(values, keys, places, strict=True):
        if at is None:
            addresses.append((token, len(fresh)))
            fresh.append(_make_element(value, key, dump))
            elements.append(fresh[-1])
        else:
            addresses.append(known_at[at])
            elements.append(known[at])
    if not fresh:
        return Known(_join(addresses, parts), Chain(addresses), Chain(elements)), None
    first = places.index(None)
    part = Part(addresses[first - 1] if first else None, fresh)
    spans = _join(addresses, {**parts, token: part})
    return Known(spans, Chain(addresses), Chain(elements)), (token, part)


def _extend(
    parent: Known, values: Sequence[Any], dump: Dump
) -> tuple[Known, tuple[str, Part] | None]:
    """Return the parent's list with more at its end."""
    if not values:
        return parent, None
    token, count = new_id(), len(values)
    fresh = [_make_element(each, freeze(each) or dump(each), dump) for each in values]
    addresses = parent.addresses.extend([(token, at) for at in range(count)])
    before = parent.spans[-1][2] if parent.spans else 0
    spans = [*parent.spans[:-1], (token, count - 1, before + count)]
    part = Part(parent.addresses[-1] if parent.addresses else None, fresh)
    return Known(spans, addresses, parent.elements.extend(fresh), parent.mould), (token, part)


def _make_element(value: Any, key: Key, dump: Dump) -> Element:
    is_frozen = not isinstance(key[0], str)
    return Element(dump(value), key) if is_frozen else Element((str(key[0]), key[1]))


def _match(keys: Sequence[Key], known: Sequence[Key]) -> list[int | None]:
    """Return for each key where the parent has it; None for what is new.

    The element after the last one that was found is preferred, so that spans are long.
    """
    anywhere = {key: at for at, key in reversed(list(enumerate(known)))}
    places: list[int | None] = []
    following = 0
    for key in keys:
        is_next = following < len(known) and known[following] == key
        at = following if is_next else anywhere.get(key)
        following = following if at is None else at + 1
        places.append(at)
    return places


def _join(addresses: Sequence[Address], parts: Parts) -> Sequence[Span]:
    """Return the spans of a list: one for all elements that follow one another."""
    spans: list[Span] = []
    for token, at in addresses:
        last = spans[-1] if spans else ("", 0, 0)
        before = (token, at - 1) if at else parts[token].after
        if before == last[:2]:
            spans[-1] = token, at, last[2] + 1
        else:
            spans.append((token, at, 1))
    return spans
