"""Memories that keep a fact for too long, or forget more than has expired."""

from goldfish.messages import Fact
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference

variant("facts-for-ever", FactsReference, "TTL22", "stale")(
    bug="The ttl of a fact is ignored.",
    insert=lambda self, user_id, text, metadata, ttl: FactsReference.insert(
        self, user_id, text, metadata, None
    ),
)


@specimen("expires-with-its-neighbours", "TTL23", "lost")
class ExpiresWithItsNeighbours(FactsReference):
    bug = "When one fact of a user expires, all do."

    def rows(self, user_id: str) -> list[Row]:
        query = "SELECT COUNT(*) FROM facts WHERE user = ? AND deadline <= ?"
        over = self.db.execute(query, (self.key(user_id), self.now())).fetchone()
        return super().rows(user_id) if over == (0,) else []

    def bury(self, user_id: str) -> None:
        if not self.rows(user_id):
            self.db.execute("DELETE FROM facts WHERE user = ?", (self.key(user_id),))


@specimen("expired-is-known", "TTL24", "lost")
class ExpiredIsKnown(FactsReference):
    bug = "An expired fact still makes the next telling a repetition."

    def bury(self, user_id: str) -> None:
        """Leave it in the table, where it is only left out of answers."""


@specimen("fact-deadlines-in-memory", "TTL25", "stale", explains="DUR")
class DeadlinesInMemory(FactsReference):
    bug = "Only the opening that was told a fact knows when it expires."

    def set_up(self) -> None:
        self.deadlines: dict[str, float] = {}

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        self.bury(user_id)
        name = super().insert(user_id, text, metadata, None)
        if ttl is not None:
            self.deadlines[name] = self.now() + ttl
        return name

    def bury(self, user_id: str) -> None:
        for name in [name for name, at in self.deadlines.items() if at <= self.now()]:
            self.db.execute("DELETE FROM facts WHERE id = ?", (name,))

    def rows(self, user_id: str) -> list[Row]:
        alive = self.now()
        return [r for r in super().rows(user_id) if self.deadlines.get(r[1], alive + 1) > alive]


@specimen("returns-what-has-expired", "TTL33", "stale")
class ReturnsWhatHasExpired(FactsReference):
    bug = "A fact that expired is not listed or recalled, but still returned by its id."

    def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        query = "SELECT user, id, text, metadata, seen FROM facts WHERE user = ? AND id = ?"
        row = self.db.execute(query, (self.key(user_id), fact_id)).fetchone()
        return None if row is None else self.fact(row)


@specimen("revised-facts-stay", "TTL34", "stale")
class RevisedFactsStay(FactsReference):
    bug = "A fact that is revised loses its deadline."

    def rewrite(self, row: Row, text: str) -> None:
        super().rewrite(row, text)
        self.db.execute("UPDATE facts SET deadline = NULL WHERE id = ?", (row[1],))
