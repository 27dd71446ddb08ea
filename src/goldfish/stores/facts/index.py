"""What a process knows of one user's facts, and how it is brought up to date."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from goldfish.encoding import build
from goldfish.messages import Fact, Recollection
from goldfish.stores.facts.backend import Changes, Known, Row
from goldfish.stores.facts.encoding import build_fact, decode_base, decode_links, decode_text
from goldfish.stores.facts.filters import Filter
from goldfish.stores.facts.likeness import NEAR, are_alike
from goldfish.stores.retrieval.index import ProcessIndex
from goldfish.stores.retrieval.names import Label, find_named
from goldfish.stores.retrieval.times import Span, find_spans

if TYPE_CHECKING:  # numpy is only needed to recall, not to list
    from goldfish.stores.facts.ranking import Question, Ranking, Traits

FOOTPRINT = 2000  # bytes that a fact takes in this process beside its texts and vectors, roughly
EMPTY = 6000  # bytes that a user takes without any fact
USUAL = 400  # bytes of text and metadata in a fact, up to which its length hardly matters

Link = tuple[str, int]  # the id of a fact, and the number at which it was worded so


class Entry:
    """One fact, decoded."""

    __slots__ = ("links", "metadata", "row", "text")

    def __init__(self, row: Row) -> None:
        self.row = row
        self.text = decode_text(row.said)
        self.metadata: dict[str, Any] = decode_base(row.base)["metadata"]
        self.links: list[Link] = decode_links(row.near)

    def strip(self) -> None:
        """Let go of the vectors, once a ranking has them."""
        self.row = self.row._replace(vectors=b"")

    @property
    def link(self) -> Link:
        """How another fact points to this one, as it is worded now."""
        return self.row.id, self.row.said_at


class News(NamedTuple):
    """A fact that is new or has changed; its traits, if it has to be ranked anew at once."""

    entry: Entry
    traits: "Traits | None"


class Hints(NamedTuple):
    """What in a question refers to metadata."""

    names: list[Label]
    speaking: list[Label]
    spans: list[Span]


class UserFacts(ProcessIndex[Known]):
    """The facts of one user as far as this process knows them."""

    subject = "user"

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self.model = ""
        self.dimensions = 0  # of the vectors; to be set before anything is recalled
        super().__init__(Known())

    def begin_anew(self) -> None:
        """Forget all facts."""
        self._entries: dict[int, Entry] = {}
        self._by_id: dict[str, Entry] = {}
        self._linked_by: defaultdict[str, set[str]] = defaultdict(set)
        self._deadlines: list[tuple[float, int]] = []
        self._in_order: list[int] | None = None
        self._ranking: Ranking | None = None
        self._texts = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """The bytes that all this takes, roughly."""
        return EMPTY + self._texts + len(self) * (FOOTPRINT + 4 * self.dimensions)

    @property
    def effort(self) -> int:
        """How many facts of usual length would be as much work to go through."""
        return max(len(self), self._texts // USUAL)

    def apply(self, since: Known, changes: Changes) -> bool:
        """Take in what has changed since; return whether that is all of it."""
        with self.lock:
            if since.epoch != self.known.epoch:  # meanwhile others made it begin anew
                return False
            anew = changes.known.epoch != self.known.epoch
            if not anew and changes.known.version < self.known.version:  # others were quicker
                return not changes.more
            news = [self._read(row, anew) for row in changes.rows]
            with self.changing():
                if anew:
                    self.begin_anew()
                self._take_in(news, changes)
            return not changes.more

    def has(self, changes: Changes) -> bool:
        """Return whether none of this is new, without waiting for whoever holds the lock."""
        first = self._deadlines[:1]
        over = bool(first) and first[0][0] <= changes.now
        return changes.known == self.known and not changes.more and not over

    @property
    def ready(self) -> bool:
        """Whether a question can be answered at once, and need not wait for all to be ranked."""
        return self._ranking is not None

    def get(self, fact_id: str) -> Entry | None:
        """Return one fact."""
        return self._by_id.get(fact_id)

    def find(self, fact_id: str) -> Fact | None:
        """Return one fact as callers see it."""
        entry = self._by_id.get(fact_id)
        return None if entry is None else self.fact(entry)

    def fact(self, entry: Entry) -> Fact:
        """Return the fact as callers see it, theirs to change."""
        row = entry.row
        near = [other.row.id for other in self._find_linked(entry)]
        return build_fact(
            self.user_id, row.id, row.base, row.said, times_seen=row.times_seen, near=near
        )

    def entries(self) -> list[Entry]:
        """Return all facts in the order in which they were first remembered."""
        if self._in_order is None:
            self._in_order = sorted(self._entries)
        return [self._entries[seq] for seq in self._in_order]

    def everything(self) -> tuple[Known, list[Entry]]:
        """Return all facts, and which state of them this is."""
        return self.known, self.entries()

    def page(self, wanted: Filter, offset: int, limit: int | None) -> list[Fact]:
        """Return some of those that the filter lets through, in that order."""
        end = None if limit is None else offset + limit
        found = (entry for entry in self.entries() if wanted.matches(entry.metadata))
        return [self.fact(entry) for entry in islice(found, offset, end)]

    def hints(self, query: str) -> "Hints":
        """Return what the question means to these facts: whom it names, which days."""
        ranking = self._rank_all()
        names = ranking.living(find_named(query, ranking.labels))
        return Hints(names, ranking.speaking(names), find_spans(query, ranking.years))

    def recall(
        self, question: "Question", wanted: Filter, offset: int, limit: int
    ) -> list[Recollection]:
        """Return the best of those that the filter lets through."""
        found = islice(self._hits(question, wanted, offset + limit), offset, offset + limit)
        return [
            build(Recollection, {"fact": self.fact(entry), "score": score, "why": why})
            for entry, score, why in found
        ]

    def find_duplicates(self, entry: Entry) -> list[Link]:
        """Return the near-duplicates of a fact that are not linked to it yet."""
        close = (self._entries[seq] for seq in self._rank_all().near(entry.row.seq, NEAR))
        unlinked = (other for other in close if entry.link not in other.links)
        return [other.link for other in unlinked if are_alike(entry.text, other.text)]

    def _hits(
        self, question: "Question", wanted: Filter, count: int
    ) -> Iterator[tuple[Entry, float, dict[str, float]]]:
        for seq, score, why in self._rank_all().hits(question, None if wanted else count):
            entry = self._entries[seq]
            if wanted.matches(entry.metadata):
                yield entry, score, why()

    def _find_linked(self, entry: Entry) -> list[Entry]:
        """Return the facts that this one was linked to, and those that were linked to it."""
        if not entry.links and entry.row.id not in self._linked_by:
            return []
        older = [self._by_id.get(key) for key, _ in entry.links]
        newer = [self._by_id.get(key) for key in self._linked_by.get(entry.row.id, ())]
        found = [other for other in older if other is not None and other.link in entry.links]
        found += [other for other in newer if other is not None and entry.link in other.links]
        unique = {other.row.seq: other for other in found}
        return [unique[seq] for seq in sorted(unique)]

    def _read(self, row: Row, anew: bool) -> News:
        """Decode the row; raise if it is damaged."""
        entry = Entry(row)
        old = None if anew else self._entries.get(row.seq)
        if self._ranking is None or anew or (old and old.row.said_at == row.said_at):
            return News(entry, None)
        self._ranking.vectors.read(row.vectors)
        return News(entry, _traits_of(entry))

    def _take_in(self, news: Sequence[News], changes: Changes) -> None:
        for each in news:
            self._put(*each)
        if changes.alive is not None:
            for seq in self._entries.keys() - set(changes.alive):
                self._drop(seq)
        while self._deadlines and self._deadlines[0][0] <= changes.now:
            self._expire(*heapq.heappop(self._deadlines))
        self.known, self.model = changes.known, changes.model

    def _put(self, entry: Entry, traits: "Traits | None") -> None:
        row = entry.row
        old = self._entries.get(row.seq)
        if old is not None:
            self._unlink(old)
            self._texts -= _size(old.row)
        else:
            self._in_order = None
        self._entries[row.seq] = self._by_id[row.id] = entry
        for key, _ in entry.links:
            self._linked_by[key].add(row.id)
        if row.expires_at is not None:
            heapq.heappush(self._deadlines, (row.expires_at, row.seq))
        if self._ranking is not None:
            if traits is not None:
                self._ranking.put(row.seq, traits)
            entry.strip()
        self._texts += _size(row)

    def _drop(self, seq: int) -> None:
        entry = self._entries.pop(seq)
        del self._by_id[entry.row.id]
        self._unlink(entry)
        self._in_order = None
        if self._ranking is not None:
            self._ranking.drop(seq)
        self._texts -= _size(entry.row)

    def _unlink(self, entry: Entry) -> None:
        for key, _ in entry.links:
            self._linked_by[key].discard(entry.row.id)
            if not self._linked_by[key]:
                del self._linked_by[key]

    def _expire(self, deadline: float, seq: int) -> None:
        entry = self._entries.get(seq)
        if entry is not None and entry.row.expires_at == deadline:
            self._drop(seq)

    def _rank_all(self) -> "Ranking":
        """Return the ranking, made of all facts when it is first needed."""
        if self._ranking is None:
            from goldfish.stores.facts.ranking import Ranking

            ranking = Ranking(self.dimensions)
            for entry in self.entries():
                ranking.put(entry.row.seq, _traits_of(entry))
            self._ranking = ranking
            for entry in self._entries.values():
                entry.strip()
        return self._ranking


def _traits_of(entry: Entry) -> "Traits":
    from goldfish.stores.facts.ranking import read_traits

    return read_traits(entry.text, entry.metadata, entry.row.vectors)


def _size(row: Row) -> int:
    return len(row.base) + len(row.said)
