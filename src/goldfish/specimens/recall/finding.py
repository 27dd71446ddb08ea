"""Memories that have the right fact, and recall another, or none, or not all of them."""

import re
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference

ASKING = "REV DUR FLT ISO TTL"  # the families that recall, too


variant("recalls-the-newest", FactsReference, "REC01", "lost", explains=ASKING)(
    bug="Whatever is asked, the newest facts are the answer.",
    scored=lambda self, query, rows: [(row, 1.0) for row in reversed(rows)],
)
variant("recalls-without-numbers", FactsReference, "REC02", "wrong")(
    bug="Numbers are no words, and are not looked for.",
    words=lambda self, text: [
        word for word in FactsReference.words(self, text) if not word.isdigit()
    ],
)
variant("recalls-in-ascii", FactsReference, "REC03", "lost")(
    bug="A word is a run of the letters a to z and digits.",
    words=lambda self, text: re.findall("[a-z0-9]+", text.lower()),
)


@specimen("recalls-meaning-it-says", "REC04", "lost")
class RecallsMeaningItSays(FactsReference):
    bug = "It says that it recalls by meaning, and looks for words."

    recalls = "meaning"

    def words(self, text: str) -> list[str]:
        return [word for word in super().words(text) if len(word) > 3]


@specimen("recalls-then-looks-whose", "REC05", "lost", explains="ISO")
class RecallsThenLooksWhose(FactsReference):
    bug = "The fifty best facts of all users are found, and then those of others left out."

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        every = self.db.execute("SELECT user, id, text, metadata, seen FROM facts").fetchall()
        best = dict(self.scored_here(query, every)[:50])
        return [(row, best[row]) for row in best if row in rows]

    def scored_here(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        """The facts by how well they fit, whose ever they are."""
        return FactsReference.scored(self, query, rows)


@specimen("recalls-by-expression", "REC06", "refused", explains=f"{ASKING} DUP")
class RecallsByExpression(FactsReference):
    bug = "A query is handed to FTS5 as the expression that it may look like."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.db.execute("CREATE VIRTUAL TABLE temp.probe USING fts5 (words)")

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        self.db.execute("SELECT 1 FROM temp.probe WHERE probe MATCH ?", (query,)).fetchall()
        return super().scored(query, rows)


variant("recalls-by-the-beginning", FactsReference, "REC07", "lost")(
    bug="Of a long fact the first 256 words are looked at.",
    found_by=lambda self, row: FactsReference.found_by(self, row)[:256],
)
variant("recalls-one-behind", FactsReference, "REC08", "lost", explains=ASKING)(
    bug="The newest fact is recalled once another was told.",
    candidates=lambda self, user_id: FactsReference.candidates(self, user_id)[:-1],
)


@specimen("recalls-without-limit", "REC09", "wrong")
class RecallsWithoutLimit(FactsReference):
    bug = "The limit is ignored."

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        return super().recall(user_id, query, limit=max(limit, 1000), offset=offset, filter=filter)


@specimen("recalls-eight-at-most", "REC10", "lost")
class RecallsEightAtMost(FactsReference):
    bug = "No more than eight facts are ever recalled."

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        return super().recall(user_id, query, limit=min(limit, 8), offset=offset, filter=filter)


@specimen("recalls-page-one", "REC11", "lost")
class RecallsPageOne(FactsReference):
    bug = "Every page of a recall is the first."

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        return super().recall(user_id, query, limit=limit, filter=filter)


@specimen("lists-with-gaps", "REC12", "lost")
class ListsWithGaps(FactsReference):
    bug = "Each page of a list but the first begins one fact too late."

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Fact]:
        later = offset + 1 if offset else 0
        return super().list_facts(user_id, limit=limit, offset=later, filter=filter)


@specimen("lists-a-hundred", "REC13", "lost")
class ListsAHundred(FactsReference):
    bug = "No more than a hundred facts are listed."

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Fact]:
        return super().list_facts(user_id, limit=limit, offset=offset, filter=filter)[:100]


variant("lists-by-id", FactsReference, "REC14", "reordered")(
    bug="Facts are listed in the order of their random ids.",
    rows=lambda self, user_id: sorted(FactsReference.rows(self, user_id), key=lambda row: row[1]),
)
