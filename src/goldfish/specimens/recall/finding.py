"""Memories that have the right fact, and recall another, or none, or not all of them."""

import re
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference

ASKING = ("REV", "DUR", "FLT", "ISO", "TTL")  # the families that recall, too


@specimen("recalls-the-newest", caught_by="REC01", finding="lost", explains=ASKING)
class RecallsTheNewest(FactsReference):
    """Whatever is asked, the newest facts are the answer."""

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        return [(row, 1.0) for row in reversed(rows)]


@specimen("recalls-without-numbers", caught_by="REC02", finding="wrong")
class RecallsWithoutNumbers(FactsReference):
    """Numbers are no words, and are not looked for."""

    def words(self, text: str) -> list[str]:
        return [word for word in super().words(text) if not word.isdigit()]


@specimen("recalls-in-ascii", caught_by="REC03", finding="lost")
class RecallsInAscii(FactsReference):
    """A word is a run of the letters a to z and digits."""

    def words(self, text: str) -> list[str]:
        return re.findall("[a-z0-9]+", text.lower())


@specimen("recalls-meaning-it-says", caught_by="REC04", finding="lost")
class RecallsMeaningItSays(FactsReference):
    """It says that it recalls by meaning, and looks for words."""

    recalls = "meaning"

    def words(self, text: str) -> list[str]:
        return [word for word in super().words(text) if len(word) > 3]


@specimen("recalls-then-looks-whose", caught_by="REC05", finding="lost", explains=("ISO",))
class RecallsThenLooksWhose(FactsReference):
    """The fifty best facts of all users are found, and then those of others left out."""

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        every = self.db.execute("SELECT user, id, text, metadata, seen FROM facts").fetchall()
        best = dict(self.scored_here(query, every)[:50])
        return [(row, best[row]) for row in best if row in rows]

    def scored_here(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        """The facts by how well they fit, whose ever they are."""
        return FactsReference.scored(self, query, rows)


@specimen("recalls-by-expression", caught_by="REC06", finding="refused", explains=(*ASKING, "DUP"))
class RecallsByExpression(FactsReference):
    """A query is handed to FTS5 as the expression that it may look like."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.db.execute("CREATE VIRTUAL TABLE temp.probe USING fts5 (words)")

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        self.db.execute("SELECT 1 FROM temp.probe WHERE probe MATCH ?", (query,)).fetchall()
        return super().scored(query, rows)


@specimen("recalls-by-the-beginning", caught_by="REC07", finding="lost")
class RecallsByTheBeginning(FactsReference):
    """Of a long fact the first 256 words are looked at."""

    def found_by(self, row: Row) -> list[str]:
        return super().found_by(row)[:256]


@specimen("recalls-one-behind", caught_by="REC08", finding="lost", explains=ASKING)
class RecallsOneBehind(FactsReference):
    """The newest fact is recalled once another was told."""

    def candidates(self, user_id: str) -> list[Row]:
        return super().candidates(user_id)[:-1]


@specimen("recalls-without-limit", caught_by="REC09", finding="wrong")
class RecallsWithoutLimit(FactsReference):
    """The limit is ignored."""

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


@specimen("recalls-eight-at-most", caught_by="REC10", finding="lost")
class RecallsEightAtMost(FactsReference):
    """No more than eight facts are ever recalled."""

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


@specimen("recalls-page-one", caught_by="REC11", finding="lost")
class RecallsPageOne(FactsReference):
    """Every page of a recall is the first."""

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


@specimen("lists-with-gaps", caught_by="REC12", finding="lost")
class ListsWithGaps(FactsReference):
    """Each page of a list but the first begins one fact too late."""

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


@specimen("lists-a-hundred", caught_by="REC13", finding="lost")
class ListsAHundred(FactsReference):
    """No more than a hundred facts are listed."""

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Fact]:
        return super().list_facts(user_id, limit=limit, offset=offset, filter=filter)[:100]


@specimen("lists-by-id", caught_by="REC14", finding="reordered")
class ListsById(FactsReference):
    """Facts are listed in the order of their random ids."""

    def rows(self, user_id: str) -> list[Row]:
        return sorted(super().rows(user_id), key=lambda row: row[1])
