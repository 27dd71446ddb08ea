"""What facts need of a backend, and the values that go to it and come back.

Each user has one counter that every write raises; a fact keeps the number at which it came (its
place in the order), at which its text was written, and at which anything of it last changed. So
whoever knows a user's facts up to a number can ask for what has changed since, in any process.
Removed facts leave nothing behind: a second counter tells that some went, and then the numbers
of those that are left tell which. When a user's facts begin anew, so does the ``epoch``.

What a fact is found by (its ``marks``, see ``retrieval/marks.py``) is written in the same step as
the fact, so a process that knows nothing of a user reads no texts and no vectors, but for those it
returns.
Facts of an older goldfish have no marks; then ``marked`` is False, and the next who needs them
makes them.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from goldfish.stores.retrieval.blocks import Marked, Marks

PAGE = 500  # changes in one answer; who is farther behind gets everything
STEP = 500  # facts that get their marks at once
VECTORS = "<f4"  # the numpy type of stored vectors
TOKEN_SECONDS = 86_400.0  # how long a repeated call is known by its token, at least


class Row(NamedTuple):
    """One fact as it is stored; the texts are JSON."""

    seq: int
    changed: int
    said_at: int
    id: str
    base: str  # created_at and metadata, which never change
    said: str  # text and updated_at, which a revision replaces
    times_seen: int
    near: str  # [[id, said_at], …]: older facts that it resembled when both were worded like this
    expires_at: float | None  # by the clock of the backend


class Stored(NamedTuple):
    """A fact, and the living facts that were linked to it or that it was linked to."""

    row: Row
    around: list[Row]


class Named(NamedTuple):
    """The fact that has a name, and whether all facts of its user have names."""

    row: Row | None
    is_complete: bool


class Known(NamedTuple):
    """How far a process knows the facts of a user."""

    epoch: int = 0
    version: int = 0
    removals: int = 0


class Changes(NamedTuple):
    """What has changed in a user's facts since; everything there is if they are ``anew``."""

    known: Known
    model: str
    now: float
    marks: Marks
    deadlines: dict[int, float]  # of those among them that have one
    alive: list[int] | None = None  # the numbers of all facts, if some were removed since
    anew: bool = False
    marked: bool = True


class New(NamedTuple):
    """A fact to be stored, unless the user has one with its key."""

    id: str
    key: str
    base: str
    said: str
    ttl: float | None
    model: str
    vectors: bytes
    marks: bytes
    epoch: int  # for the case that it is the first of its user
    token: str | None = None  # of the call, kept beside the fact for TOKEN_SECONDS


class Revised(NamedTuple):
    """Another text for a fact."""

    key: str
    said: str
    model: str
    vectors: bytes
    marks: bytes
    token: str | None = None


class Vector(NamedTuple):
    """The vectors of a fact, one after the other, as it was worded at a number."""

    seq: int
    said_at: int
    vectors: bytes


class Unmarked(NamedTuple):
    """A fact without marks, and what these are made of."""

    seq: int
    said_at: int
    base: str
    said: str
    vectors: bytes


class Added(NamedTuple):
    """A fact as it came, and how the facts of its user stood then.

    So a process that knew all others need not ask for what it wrote itself.
    """

    known: Known
    now: float
    marked: bool
    row: Row


class Written(NamedTuple):
    """The outcome of a write, with the id of the fact, or of what was in the way."""

    outcome: Literal["done", "not found", "taken", "other model", "unnamed"]
    detail: str
    added: Added | None = None  # by ``remember``, unless it counted a fact again


class Unchanged(NamedTuple):
    """Facts of a user of whom nothing has changed, and when they were read."""

    now: float
    stored: list[Stored]


class FactsBackend(Protocol):
    """The facts of all users in one backend. Each write is one atomic, durable step."""

    async def changes(self, user_id: str, known: Known) -> Changes:
        """Return what is new since."""

    async def find(self, user_id: str, fact_id: str) -> Stored | None:
        """Return one living fact."""

    async def find_named(self, user_id: str, key: str) -> Named:
        """Return the living fact with the key of a name, as of one moment."""

    async def page(self, user_id: str, offset: int, limit: int | None) -> list[Stored]:
        """Return living facts of one moment, in the order in which they came."""

    async def read(self, user_id: str, seqs: list[int]) -> list[Stored]:
        """Return those of these facts that live, in any order."""

    async def read_unchanged(self, user_id: str, known: Known, seqs: list[int]) -> Unchanged | None:
        """Do the same as of one moment; None if anything of the user's facts has changed since."""

    async def vectors(self, user_id: str, seqs: list[int]) -> list[Vector]:
        """Return the vectors of those of these facts that are there, in any order."""

    async def bases(self, user_id: str, after: int) -> list[tuple[int, str]]:
        """Return number and ``base`` of each fact that came after a number."""

    async def remember(self, user_id: str, new: New) -> Written:
        """Store the fact, or count the one with its key; the later deadline counts.

        If the user's facts have seen the token, nothing changes and the fact it belongs to is the
        answer. Tokens are removed with their fact, and some time after TOKEN_SECONDS.
        """

    async def replace(self, user_id: str, new: New, former: Sequence[str] | None = None) -> Written:
        """Store a fact with a name as the user's last, and remove the one that had the name.

        The new one keeps the ``BIRTH`` of that. The facts whose ids are in ``former`` are removed
        too; unless they are given, nothing changes if the user has facts without names.
        """

    async def revise(self, user_id: str, fact_id: str, revised: Revised) -> Written:
        """Replace the text, keep the old one as history, and drop the links of the fact.

        A token that the user's facts have seen: as for ``remember``.
        """

    async def link(self, user_id: str, fact_id: str, said_at: int, near: str) -> None:
        """Note which facts it resembles, unless its text has changed since ``said_at``.

        Links that are noted stay: a slower process saw fewer facts, and the writers of the others
        rely on what is there.
        """

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove the fact and its history."""

    async def forget_all(self, user_id: str) -> None:
        """Remove every fact of the user, with all history and tokens."""

    async def history(self, user_id: str, fact_id: str) -> list[str]:
        """Return what the fact said before its revisions, oldest first, in JSON."""

    async def users(self) -> list[str]:
        """Return everybody who may have facts."""

    async def unmarked(self, user_id: str, after: int) -> list[Unmarked]:
        """Return the first facts beyond a number without marks of their text, ``STEP`` at most."""

    async def mark(self, user_id: str, marked: list[Marked]) -> bool:
        """Store marks of facts, but of those that say something else by now.

        If there are fewer than ``STEP``, return whether all facts have their marks now.
        """

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[Vector]
    ) -> bool:
        """Replace all vectors and begin a new epoch; return False if anything has changed.

        The marks, which were made of the old vectors, are to be made again.
        """
