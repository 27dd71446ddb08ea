"""Memories that are led astray by how long a fact is, or by what is noted beside it."""

from datetime import UTC, datetime, timedelta
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.keys import decoded

READ = 100  # how many words a model reads


variant("chooses-before-it-skips", FactsReference, "REC50", "lost")(
    bug="A page is taken from the best facts, of which only twice a page are looked at.",
    find=lambda self, user_id, query, limit, offset, wanted: FactsReference.find(
        self, user_id, query, 2 * limit + 1, 0, wanted
    )[offset : offset + limit],
)


@specimen("paragraphs-take-places", "REC51", "wrong")
class ParagraphsTakePlaces(FactsReference):
    bug = "Each paragraph of a fact is found by itself, and takes a place of the recall."

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        best = super().scored(query, rows)
        best.sort(key=lambda pair: -pair[0][2].count(b"\n"))
        return [pair for pair in best for _ in range(1 + pair[0][2].count(b"\n"))]

    def find(self, *question: Any) -> list[Recollection]:
        return list({each.fact.id: each for each in super().find(*question)}.values())


variant("notes-come-first", FactsReference, "REC52", "wrong")(
    bug="A fact is found by its metadata and then its words, and the model reads only so far.",
    found_by=lambda self, row: [*self.words(row[3]), *FactsReference.found_by(self, row)][:READ],
)


@specimen("found-by-old-ends", "REV50", "stale", explains="DUR")
class FoundByOldEnds(FactsReference):
    bug = "A revised fact is also found by the ends of its earlier texts."

    def found_by(self, row: Row) -> list[str]:
        earlier = self.fact_history(decoded(row[0]), row[1])
        ends = [word for fact in earlier for word in self.words(fact.text[700:])]
        return [*super().found_by(row), *ends]


@specimen("as-old-as-its-revision", "REV51", "wrong")
class AsOldAsItsRevision(FactsReference):
    bug = "A revision changes the time at which the fact was first told."

    def fact(self, row: Row) -> Fact:
        user = decoded(row[0])
        query = "SELECT COUNT(*) FROM earlier WHERE user = ? AND id = ?"
        (revisions,) = self.db.execute(query, (self.key(user), row[1])).fetchone()
        told = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=revisions)
        return super().fact(row).model_copy(update={"created_at": told})
