"""Memories that have the right fact, and recall another, or none, or not all of them."""

import re

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference

ASKING = "REV DUR FLT ISO TTL"  # the families that recall, too


variant("recalls-the-newest", FactsReference, "REC01", "lost", explains=ASKING)(
    bug="A recall returns the newest facts, whatever is asked.",
    scored=lambda self, query, rows: [(row, 1.0) for row in reversed(rows)],
)
variant("recalls-without-numbers", FactsReference, "REC02", "wrong")(
    bug="Numbers do not count as words, so they are not looked for.",
    words=lambda self, text: [
        word for word in FactsReference.words(self, text) if not word.isdigit()
    ],
)
variant("recalls-in-ascii", FactsReference, "REC03", "lost")(
    bug="Only runs of a to z and digits count as words.",
    words=lambda self, text: re.findall("[a-z0-9]+", text.lower()),
)
variant("recalls-meaning-it-says", FactsReference, "REC04", "lost")(
    bug="The memory claims to recall by meaning, but looks for words.",
    recalls="meaning",
    words=lambda self, text: [word for word in FactsReference.words(self, text) if len(word) > 3],
)
variant("recalls-then-looks-whose", FactsReference, "REC05", "lost", explains="ISO")(
    bug="The fifty best facts of all users are found, and then those of others are left out.",
    scored=lambda self, query, rows: [
        pair
        for pair in FactsReference.scored(self, query, self.rows_of_all())[:50]
        if pair[0] in rows
    ],
)


@specimen("recalls-by-expression", "REC06", "refused", explains=f"{ASKING} DUP")
class RecallsByExpression(FactsReference):
    bug = "A query is handed to FTS5, which parses it as an expression."

    def set_up(self) -> None:
        self.db.execute("CREATE VIRTUAL TABLE temp.probe USING fts5 (words)")

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        self.db.execute("SELECT 1 FROM temp.probe WHERE probe MATCH ?", (query,)).fetchall()
        return super().scored(query, rows)


variant("recalls-by-the-beginning", FactsReference, "REC07", "lost")(
    bug="Only the first 256 words of a long fact are searched.",
    found_by=lambda self, row: FactsReference.found_by(self, row)[:256],
)
variant("recalls-one-behind", FactsReference, "REC08", "lost", explains=ASKING)(
    bug="The newest fact is not recalled until another is told.",
    candidates=lambda self, user_id: FactsReference.candidates(self, user_id)[:-1],
)
variant("recalls-without-limit", FactsReference, "REC09", "wrong")(
    bug="The limit is ignored.",
    find=lambda self, user_id, query, limit, offset, wanted: FactsReference.find(
        self, user_id, query, max(limit, 1000), offset, wanted
    ),
)
variant("recalls-eight-at-most", FactsReference, "REC10", "lost")(
    bug="A recall returns at most eight facts.",
    find=lambda self, user_id, query, limit, offset, wanted: FactsReference.find(
        self, user_id, query, min(limit, 8), offset, wanted
    ),
)
variant("recalls-page-one", FactsReference, "REC11", "lost")(
    bug="Every page of a recall is the first.",
    find=lambda self, user_id, query, limit, offset, wanted: FactsReference.find(
        self, user_id, query, limit, 0, wanted
    ),
)
variant("lists-with-gaps", FactsReference, "REC12", "lost")(
    bug="Each page of a list except the first begins one fact too late.",
    page=lambda self, rows, limit, offset: rows[offset + bool(offset) :][:limit],
)
variant("lists-a-hundred", FactsReference, "REC13", "lost")(
    bug="At most a hundred facts are listed.",
    page=lambda self, rows, limit, offset: rows[offset:][:limit][:100],
)
variant("lists-by-id", FactsReference, "REC14", "reordered")(
    bug="Facts are listed in the order of their random ids.",
    rows=lambda self, user_id: sorted(FactsReference.rows(self, user_id), key=lambda row: row[1]),
)
variant("recalls-among-fifty", FactsReference, "REC24", "lost", explains="DUP")(
    bug="A recall looks at the fifty newest facts only.",
    candidates=lambda self, user_id: FactsReference.candidates(self, user_id)[-50:],
)
variant("recalls-the-first-fifty", FactsReference, "REC24", "lost", explains="DUP")(
    bug="A recall looks at the first fifty facts only.",
    candidates=lambda self, user_id: FactsReference.candidates(self, user_id)[:50],
)
