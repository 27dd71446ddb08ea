"""What facts need of a backend, and the values that go to it and come back.

Each user has one counter that every write raises; a fact keeps the number at which it came (its
place in the order), at which its text was written, and at which anything of it last changed. So
whoever knows a user's facts up to a number can ask for what has changed since, in any process.
Removed facts leave nothing behind: a second counter tells that some went, and then the numbers
of those that are left tell which. When a user's facts begin anew, so does the ``epoch``.
"""

from typing import Literal, NamedTuple, Protocol

PAGE = 2000  # rows in one answer
VECTORS = "<f4"  # the numpy type of stored vectors
TOKEN_SECONDS = 86_400.0  # how long a repeated call is known by its token, at least


class Row(NamedTuple):
    """One fact as it is stored; the texts are JSON."""

    seq: int
    changed: int
    said_at: int
    id: str
    base: str  # metadata and created_at, which never change
    said: str  # text and updated_at, which a revision replaces
    times_seen: int
    near: str  # [[id, said_at], …]: older facts that it resembled when both were worded like this
    expires_at: float | None  # by the clock of the backend
    vectors: bytes  # one after the other


class Known(NamedTuple):
    """How far a process knows the facts of a user."""

    epoch: int = 0
    version: int = 0
    removals: int = 0


class Changes(NamedTuple):
    """What has changed in a user's facts since; ``more`` if there is another page."""

    known: Known
    model: str
    now: float
    rows: list[Row]
    alive: list[int] | None = None  # the numbers of all facts, if some were removed since
    more: bool = False

    def cut(self, size: int) -> "Changes":
        """Return the first page of these changes, of at most so many rows."""
        if len(self.rows) <= size:
            return self
        page = self.rows[:size]
        here = self.known._replace(version=page[-1].changed)
        return self._replace(known=here, rows=page, more=True)


class New(NamedTuple):
    """A fact to be stored, unless the user has one with its key."""

    id: str
    key: str
    base: str
    said: str
    ttl: float | None
    model: str
    vectors: bytes
    epoch: int  # for the case that it is the first of its user
    token: str | None = None  # of the call, kept beside the fact for TOKEN_SECONDS


class Revised(NamedTuple):
    """Another text for a fact."""

    key: str
    said: str
    model: str
    vectors: bytes
    token: str | None = None


class Written(NamedTuple):
    """The outcome of a write, with the id of the fact, or of what was in the way."""

    outcome: Literal["done", "not found", "taken", "other model"]
    detail: str


class FactsBackend(Protocol):
    """The facts of all users in one backend. Each write is one atomic, durable step."""

    async def changes(self, user_id: str, known: Known) -> Changes:
        """Return what is new since, at most ``PAGE`` rows, in the order of their changes."""

    async def remember(self, user_id: str, new: New) -> Written:
        """Store the fact, or count the one with its key; the later deadline counts.

        If the user's facts have seen the token, nothing changes and the fact it belongs to is the
        answer. Tokens are removed with their fact, and some time after TOKEN_SECONDS.
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

    async def embed(
        self, user_id: str, known: Known, model: str, epoch: int, vectors: list[tuple[int, bytes]]
    ) -> bool:
        """Replace all vectors and begin a new epoch; return False if anything has changed."""
