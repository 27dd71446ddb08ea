"""What a process knows of one user's facts, and how it is brought up to date."""

import heapq
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from goldfish.stores.facts.backend import Changes, Known, Row, Vector
from goldfish.stores.facts.encoding import decode_base
from goldfish.stores.facts.filters import Filter, as_exact
from goldfish.stores.facts.likeness import NEAR
from goldfish.stores.retrieval.blocks import Marks, split
from goldfish.stores.retrieval.index import ProcessIndex
from goldfish.stores.retrieval.names import Label, find_named
from goldfish.stores.retrieval.times import Span, find_spans

if TYPE_CHECKING:  # numpy is only needed to recall, not to list
    import numpy as np
    from numpy.typing import NDArray

    from goldfish.stores.facts.ranking import Hit, Ranking, Search

EMPTY = 6000  # bytes that a user takes without any fact
METADATA = 400  # bytes that the metadata of a fact take, roughly
MASKS = 8  # filters whose results are kept


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
        self.dimensions = 0  # of the vectors; to be set before anything is taken in
        self.is_quiet = False  # whether nobody else had changed anything when last asked
        super().__init__(Known())

    def begin_anew(self) -> None:
        """Forget all facts."""
        self._ranking: Ranking | None = None
        self._deadlines: list[tuple[float, int]] = []
        self._deadline_of: dict[int, float] = {}
        self._metadata: dict[int, dict[str, Any]] = {}
        self._read_to = 0  # the metadata of facts up to this number are known
        self._newest = 0
        self._looked_up: dict[str, dict[Hashable, set[int]]] = {}  # facts by name and exact value
        self._masks: OrderedDict[str, tuple[int, NDArray[np.bool_]]] = OrderedDict()

    def __len__(self) -> int:
        return 0 if self._ranking is None else len(self._ranking)

    @property
    def size(self) -> int:
        """The bytes that all this takes, roughly."""
        ranked = 0 if self._ranking is None else self._ranking.size
        return EMPTY + ranked + METADATA * len(self._metadata) + 200 * len(self._deadline_of)

    def apply(self, since: Known, changes: Changes) -> bool:
        """Take in what has changed since; return whether all is known now."""
        with self.lock:
            same = changes.known.epoch == self.known.epoch
            if same and changes.known.version < self.known.version:  # others were quicker
                return True
            if not changes.anew and since.epoch != self.known.epoch:  # it began anew meanwhile
                return False
            with self.changing():
                if changes.anew:
                    self.begin_anew()
                self._take_in(changes)
            return True

    def has(self, changes: Changes) -> bool:
        """Return whether none of this is new, without waiting for whoever holds the lock."""
        return changes.known == self.known and not self.is_any_over(changes.now)

    def is_any_over(self, now: float) -> bool:
        """Return whether the time of a fact that is known is over."""
        first = self._deadlines[:1]
        return bool(first) and first[0][0] <= now

    def hints(self, query: str) -> Hints:
        """Return what the question means to these facts: whom it names, which days."""
        ranking = self._rank()
        names = ranking.living(find_named(query, ranking))
        return Hints(names, ranking.speaking(names), find_spans(query, ranking.years))

    def search(self, search: "Search", wanted: Filter) -> "tuple[list[int], list[Hit]] | None":
        """Return the facts whose vectors are to be learnt first; else the best facts.

        None if metadata are to be read that the filter needs.
        """
        if self.find_unread(wanted) is not None:
            return None
        missing = self._rank().find_missing(search, self._mask(wanted))
        return missing, [] if missing else self._rank().hits(search)

    def learn(self, vectors: Sequence[Vector]) -> None:
        """Keep these vectors, as far as facts still say what they were made of."""
        self._rank().learn(vectors)

    def find_unread(self, wanted: Filter) -> int | None:
        """Return after which number the metadata, which the filter needs, are to be read."""
        return self._read_to if wanted and self._read_to < self._newest else None

    def read_metadata(self, bases: Iterable[tuple[int, str]]) -> None:
        """Take in metadata, which never change."""
        read = {seq: decode_base(base)["metadata"] for seq, base in bases}
        self._metadata.update(read)
        self._read_to = max(self._read_to, self._newest, *read)
        for name, found in self._looked_up.items():
            _look_up(name, read, found)

    def list_matching(self, wanted: Filter) -> list[int] | None:
        """Return the living facts that the filter lets through; None if metadata are unread."""
        if self.find_unread(wanted) is not None:
            return None
        seqs: Iterable[int] = self._metadata
        if wanted.exact is not None:
            name, value = wanted.exact
            if name not in self._looked_up:
                self._looked_up[name] = _look_up(name, self._metadata, {})
            seqs = self._looked_up[name].get(value, ())
        find = self._rank().slots.find
        return sorted(
            seq for seq in seqs if wanted.matches(self._metadata[seq]) and find(seq) is not None
        )

    def compare(self, row: Row) -> tuple[list[int], dict[int, int]]:
        """Return the facts whose vectors are to be learnt first; else those near in meaning.

        Of these, number and number of their wording. Whoever has worded the fact itself anew
        compares it.
        """
        ranking = self._rank()
        slots, own = ranking.slots, ranking.slots.find(row.seq)
        if own is None or slots.said_at[own] != row.said_at:
            return [], {}
        likely = ranking.find_likely(own)
        missing = ranking.list_unlearnt(likely)
        if missing:
            return missing, {}
        close = ranking.near(own, likely, NEAR)
        return [], dict(zip(slots.seqs[close].tolist(), slots.said_at[close].tolist(), strict=True))

    def _mask(self, wanted: Filter) -> "NDArray[np.bool_] | None":
        """Return which slots the filter lets through; what it said of a slot is kept."""
        if not wanted:
            return None
        import numpy as np

        ranking = self._rank()
        layout, mask = self._masks.pop(wanted.key, (ranking.layout, np.empty(0, np.bool_)))
        if layout != ranking.layout:
            mask = mask[:0]
        fresh = ranking.slots.seqs[len(mask) :].tolist()
        more = [wanted.matches(self._metadata.get(seq, {})) for seq in fresh]
        mask = np.concatenate([mask, np.array(more, np.bool_)])
        self._masks[wanted.key] = ranking.layout, mask
        if len(self._masks) > MASKS:
            self._masks.popitem(last=False)
        return mask

    def _take_in(self, changes: Changes) -> None:
        if len(changes.marks):
            self._note_deadlines(changes)
            marks = changes.marks if changes.anew else self._find_new(changes.marks)
            self._rank().take_in(marks)
        if changes.alive is not None:
            self._keep_only(changes.alive)
        while self._deadlines and self._deadlines[0][0] <= changes.now:
            self._expire(*heapq.heappop(self._deadlines))
        self.known = changes.known

    def _note_deadlines(self, changes: Changes) -> None:
        seqs = changes.marks.directory[::3]
        self._newest = max(self._newest, *seqs)
        if self._deadline_of:
            for seq in seqs:
                self._deadline_of.pop(seq, None)
        self._deadline_of.update(changes.deadlines)
        for seq, deadline in changes.deadlines.items():
            heapq.heappush(self._deadlines, (deadline, seq))

    def _find_new(self, marks: Marks) -> Marks:
        """Return the marks of facts that say something else than what is known."""
        slots = self._rank().slots
        found = ((slots.find(each.seq), each) for each in split(marks))
        return Marks.of(
            [each for slot, each in found if slot is None or slots.said_at[slot] != each.said_at]
        )

    def _keep_only(self, alive: Sequence[int]) -> None:
        ranking = self._rank()
        left = set(alive)
        self._drop([seq for seq in ranking.slots.list_living() if seq not in left])

    def _expire(self, deadline: float, seq: int) -> None:
        if self._deadline_of.get(seq) == deadline:
            self._drop([seq])

    def _drop(self, seqs: Sequence[int]) -> None:
        if seqs:
            self._rank().drop(seqs)
        for seq in seqs:
            self._deadline_of.pop(seq, None)
            metadata = self._metadata.pop(seq, {})
            for name, found in self._looked_up.items():
                found.get(as_exact(metadata.get(name)), set()).discard(seq)

    def _rank(self) -> "Ranking":
        """Return the ranking, empty when it is first needed."""
        if self._ranking is None:
            from goldfish.stores.facts.ranking import Ranking

            self._ranking = Ranking(self.dimensions)
        return self._ranking


def _look_up(
    name: str, metadata: Mapping[int, Mapping[str, Any]], found: dict[Hashable, set[int]]
) -> dict[Hashable, set[int]]:
    """Add facts to those that have an exact value under a name."""
    for seq, values in metadata.items():
        if (value := as_exact(values.get(name))) is not None:
            found.setdefault(value, set()).add(seq)
    return found
