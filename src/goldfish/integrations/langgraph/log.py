"""The log of a line: its records in their order, read as a whole or from the newest back.

A session has one order, the same for every reader: it decides between turns that continue from the
same checkpoint. An entry that continues its line stands only if its parent is the last before it
that stands; so of two such turns the first stands, and nobody sees the second. A branch always
stands.
"""

import sys
from collections.abc import Collection, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

from goldfish.integrations.langgraph.bodies import FEW, decode
from goldfish.integrations.langgraph.records import (
    AGAIN,
    CHECKPOINT,
    SEGMENT,
    STANDS,
    WRITES,
    Entry,
    Segment,
    Span,
    Write,
    read_writes,
    sort_writes,
)
from goldfish.messages import ChatMessage
from goldfish.stores.base import Bodies

MARK = ',"role":"{}",'  # in the JSON text of every record of a role, and of hardly any other


class Log:
    """The records of a line, or the newest of them; each is decoded when it is looked at."""

    def __init__(self, bodies: Bodies, *, is_whole: bool = True) -> None:
        self._bodies = bodies
        self.is_whole = is_whole

    def tail(self, count: int) -> "Log":
        """Return the newest records."""
        is_whole = self.is_whole and len(self._bodies) <= count
        return Log(self._bodies[-count:], is_whole=is_whole)

    @cached_property
    def messages(self) -> list[ChatMessage]:
        """All records."""
        return decode(self._bodies)

    @cached_property
    def entries(self) -> list[Entry]:
        """The checkpoints, in their order, whether they stand or not."""
        found: dict[str, Entry] = {}
        for each in self._find_records(CHECKPOINT, AGAIN):
            if each.role == CHECKPOINT:
                found[each.id] = Entry.of(each)
            elif each.role == AGAIN and (known := Entry.of(each)).id in found:
                found[known.id] = known
        return list(found.values())

    @cached_property
    def standing(self) -> list[Entry]:
        """The checkpoints that stand.

        The parent may also be the entry right before: the first entry of a line that a former
        version pruned is kept only for the second.
        """
        certified = {each.content for each in self._find_records(STANDS)}
        stand: list[Entry] = []
        before: Entry | None = None
        for each in self.entries:
            parents = {stand[-1].checkpoint_id if stand else None}
            if before is not None:
                parents.add(before.checkpoint_id)
            if not each.continues or each.parent in parents or each.checkpoint_id in certified:
                stand.append(each)
            before = each
        return stand

    @cached_property
    def segments(self) -> dict[str, Segment]:
        """The segments of lists, by their tokens."""
        return {each.id: Segment.of(each) for each in self._find_records(SEGMENT)}

    def shares_any(self, other: "Log") -> bool:
        """Return True if a record is in both."""
        return not {each.id for each in other.messages}.isdisjoint(
            each.id for each in self.messages
        )

    def newest_first(self) -> list[Entry]:
        """Return the checkpoints that stand, each once, the newest first."""
        return list(reversed({each.checkpoint_id: each for each in self.standing}.values()))

    def ends_with(self, entry: Entry) -> bool:
        """Return True if the entry is the last, and right after its parent."""
        before, last = [None, None, *self.entries[-2:]][-2:]
        if last != entry:
            return False
        if before is None or (not entry.continues and entry.parent is None):
            return self.proves_last_stands() and entry.parent is None
        return before.checkpoint_id == entry.parent

    def proves_last_stands(self) -> bool:
        """Return True if the newest two entries, as far as they are known, prove it."""
        if not self.entries:
            return False
        last = self.entries[-1]
        if not last.continues:
            return True
        if len(self.entries) > 1:
            return last.parent == self.entries[-2].checkpoint_id
        return self.is_whole and last.parent is None

    def find(self, checkpoint_id: str) -> Entry | None:
        """Return the entry of a checkpoint, whether it stands or not."""
        found = [each for each in self.entries if each.checkpoint_id == checkpoint_id]
        return found[-1] if found else None

    def writes_of(self, checkpoint_id: str) -> list[Write]:
        """Return what was written for a checkpoint, in the order in which it was."""
        rows = self._find_records(WRITES)
        batches = [read_writes(each) for each in rows if each.content == checkpoint_id]
        return sort_writes([each for batch in batches for each in batch])

    def ids_of(self, checkpoint_ids: Collection[str], *, segments: bool) -> list[str]:
        """Return the ids of the records that belong to checkpoints."""
        return [
            each.id
            for each in self.messages
            if each.content in checkpoint_ids and (segments or each.role != SEGMENT)
        ]

    def unneeded_segments(self) -> list[str]:
        """Return the segments that no list has an element of."""
        needed = self.segments_of(self.entries)
        return [token for token in self.segments if token not in needed]

    def segments_of(self, entries: Sequence[Entry]) -> set[str]:
        """Return the segments that the lists of checkpoints have elements of."""
        beyond: dict[str, int] = {}  # how many elements before those of a segment are needed
        for entry in reversed(entries):  # the longest lists first: the others are parts of them
            lists = entry.contents.lists if entry.contents is not None else {}
            for span in (each for spans in lists.values() for each in spans):
                self._follow(span, beyond)
        return set(beyond)

    def bereft_by(self, doomed: Collection[str]) -> list[str]:
        """Return the checkpoints that stay, and that stand on one that is doomed."""
        parents = {each.checkpoint_id: each.parent for each in self.standing if each.continues}
        return [
            each
            for each, parent in parents.items()
            if each not in doomed and parent is not None and parent in doomed
        ]

    def overtaken(self) -> set[str]:
        """Return the checkpoints that do not stand, and that their writer has not removed."""
        stand = {each.checkpoint_id for each in self.standing}
        # One that does not stand may be kept for the next.
        kept = {
            after.parent
            for one, after in pairwise(self.entries)
            if after.parent == one.checkpoint_id
        }
        return {each.checkpoint_id for each in self.entries if each.continues} - stand - kept

    def _find_records(self, *roles: str) -> list[ChatMessage]:
        """Return the records of these roles, without decoding the others of many."""
        bodies: Any = self._bodies
        if len(bodies) <= FEW:
            return [each for each in self.messages if each.role in roles]
        marks: list[Any] = [MARK.format(role) for role in roles]
        if bodies and isinstance(bodies[0], bytes):
            marks = [mark.encode() for mark in marks]
        found = decode([each for each in bodies if any(mark in each for mark in marks)])
        return [each for each in found if each.role in roles]

    def _follow(self, span: Span, beyond: dict[str, int]) -> None:
        """Note the segments of a span, back to where all that is before them is known."""
        token, index, count = span
        while count > 0 and token in self.segments:
            count -= index + 1
            if count <= beyond.get(token, -sys.maxsize):
                return
            beyond[token] = count
            after = self.segments[token].after
            if after is None:
                return
            token, index = after
