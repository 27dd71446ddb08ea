"""Memories that are led astray by how long a fact is, or by what is noted beside it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference

READ = 100  # how many words a model reads


@specimen("chooses-before-it-skips", "REC50", "lost")
class ChoosesBeforeItSkips(FactsReference):
    bug = "A page is looked for among the best twice as many as it may hold."

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        best = super().recall(user_id, query, limit=2 * limit + 1, filter=filter)
        return best[offset : offset + limit]


@specimen("paragraphs-take-places", "REC51", "wrong")
class ParagraphsTakePlaces(FactsReference):
    bug = "Each paragraph of a fact is found by itself, and takes a place of the recall."

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        best = super().scored(query, rows)
        best.sort(key=lambda pair: -pair[0][2].count(b"\n"))
        return [pair for pair in best for _ in range(1 + pair[0][2].count(b"\n"))]

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        found = super().recall(user_id, query, limit=limit, offset=offset, filter=filter)
        return list({each.fact.id: each for each in found}.values())


variant("notes-come-first", FactsReference, "REC52", "wrong")(
    bug="A fact is found by its metadata and then its words, as far as the model reads.",
    found_by=lambda self, row: [*self.words(row[3]), *FactsReference.found_by(self, row)][:READ],
)


@specimen("found-by-old-ends", "REV50", "stale", explains="DUR")
class FoundByOldEnds(FactsReference):
    bug = "A revised fact is also found by what its earlier texts said beyond the first page."

    def found_by(self, row: Row) -> list[str]:
        earlier = self.fact_history(row[0].decode("utf-8", "surrogatepass"), row[1])
        ends = [word for fact in earlier for word in self.words(fact.text[700:])]
        return [*super().found_by(row), *ends]


@specimen("as-old-as-its-revision", "REV51", "wrong")
class AsOldAsItsRevision(FactsReference):
    bug = "A revision sets the time at which the fact was first told."

    def fact(self, row: Row) -> Fact:
        user = row[0].decode("utf-8", "surrogatepass")
        query = "SELECT COUNT(*) FROM earlier WHERE user = ? AND id = ?"
        (revisions,) = self.db.execute(query, (self.key(user), row[1])).fetchone()
        told = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=revisions)
        return super().fact(row).model_copy(update={"created_at": told})
