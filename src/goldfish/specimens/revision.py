"""Memories that still return what was revised or forgotten, or change more than they should."""

import uuid

from goldfish.messages import Fact
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.keys import decoded

variant("revises-beside", FactsReference, "REV01", "stale", explains="DUR CON REC")(
    bug="A revision is stored beside what it revises.",
    rewrite=lambda self, row, text: self.insert(decoded(row[0]), text, row[3], None),
)


@specimen("found-by-old-words", "REV02", "stale", explains="DUR")
class FoundByOldWords(FactsReference):
    bug = "A revised fact is found by its first text, as if its vector were never renewed."

    def found_by(self, row: Row) -> list[str]:
        earlier = self.fact_history(decoded(row[0]), row[1])
        return self.words(earlier[0].text) if earlier else super().found_by(row)


@specimen("revision-drops-metadata", "REV03", "corrupted")
class RevisionDropsMetadata(FactsReference):
    bug = "A revised fact loses its metadata."

    def rewrite(self, row: Row, text: str) -> None:
        super().rewrite(row, text)
        self.db.execute("UPDATE facts SET metadata = '{}' WHERE id = ?", (row[1],))


@specimen("revision-changes-id", "REV03", "wrong", explains="DUR CON")
class RevisionChangesId(FactsReference):
    bug = "A revised fact gets another id."

    def rewrite(self, row: Row, text: str) -> None:
        super().rewrite(row, text)
        values = (uuid.uuid4().hex, row[0], row[1])
        self.db.execute("UPDATE facts SET id = ? WHERE user = ? AND id = ?", values)


@specimen("revises-nothing", "REV04", "swallowed", explains="ISO")
class RevisesNothing(FactsReference):
    bug = "Revising a fact that does not exist returns as if it had worked."

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        if self.row(user_id, fact_id) is None:
            return Fact(id=fact_id, user_id=user_id, text=text)
        return super().revise(user_id, fact_id, text)


@specimen("revises-into-being", "REV04", "phantom", explains="ISO")
class RevisesIntoBeing(FactsReference):
    bug = "Revising a fact that does not exist creates it."

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        if self.row(user_id, fact_id) is None:
            return self.remember(user_id, text)
        return super().revise(user_id, fact_id, text)


@specimen("revises-in-memory", "REV05", "resurrected", explains="DUR CON")
class RevisesInMemory(FactsReference):
    bug = "A revision is not written to the file."

    def set_up(self) -> None:
        self.revised: dict[str, bytes] = {}

    def rewrite(self, row: Row, text: str) -> None:
        self.revised[row[1]] = self.key(text)

    def rows(self, user_id: str) -> list[Row]:
        return [
            (user, name, self.revised.get(name, text), metadata, seen)
            for user, name, text, metadata, seen in super().rows(user_id)
        ]


@specimen("no-earlier-texts", "REV06", "lost")
class NoEarlierTexts(FactsReference):
    bug = "The earlier texts of a revised fact are not kept."

    def keep_earlier(self, row: Row) -> None:
        """Keep nothing."""


@specimen("forgets-in-the-list", "REV07", "resurrected", explains="DUR ISO")
class ForgetsInTheList(FactsReference):
    bug = "A forgotten fact is gone from the list, but a recall still finds it."

    def set_up(self) -> None:
        self.index: dict[str, list[Row]] = {}

    def forget(self, user_id: str, fact_id: str) -> None:
        row = self.row(user_id, fact_id)
        self.index.setdefault(user_id, []).extend([row] if row else [])
        super().forget(user_id, fact_id)

    def candidates(self, user_id: str) -> list[Row]:
        return super().candidates(user_id) + self.index.get(user_id, [])


@specimen("inherits-words", "REV07", "stale", explains="DUR CON REC")
class InheritsWords(FactsReference):
    bug = "The number of a forgotten fact is given again, and with it the words that found it."

    tables = """
        CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY, id TEXT UNIQUE);
        CREATE TABLE IF NOT EXISTS words (n INTEGER, word TEXT);
    """

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        name = super().insert(user_id, text, metadata, ttl)
        if not self.column("SELECT n FROM numbers WHERE id = ?", name):
            self.db.execute("INSERT INTO numbers (id) VALUES (?)", (name,))
            self.index(name, text)
        return name

    def rewrite(self, row: Row, text: str) -> None:
        super().rewrite(row, text)
        self.db.execute("DELETE FROM words WHERE n = ?", (self.number(row[1]),))
        self.index(row[1], text)

    def forget(self, user_id: str, fact_id: str) -> None:
        if self.row(user_id, fact_id) is not None:
            self.db.execute("DELETE FROM numbers WHERE id = ?", (fact_id,))
        super().forget(user_id, fact_id)

    def index(self, name: str, text: str) -> None:
        """Note the words of a fact by its number."""
        rows = [(self.number(name), word) for word in self.words(text)]
        self.db.executemany("INSERT INTO words VALUES (?, ?)", rows)

    def number(self, name: str) -> int:
        """Return the number of a fact, which was one above the highest."""
        return int(self.column("SELECT n FROM numbers WHERE id = ?", name)[0])

    def found_by(self, row: Row) -> list[str]:
        return self.column("SELECT word FROM words WHERE n = ?", self.number(row[1]))


@specimen("forgets-once-only", "REV08", "refused", explains="ISO")
class ForgetsOnceOnly(FactsReference):
    bug = "Forgetting a fact that does not exist raises an error."

    def forget(self, user_id: str, fact_id: str) -> None:
        if self.row(user_id, fact_id) is None:
            raise AttributeError("'NoneType' object has no attribute 'payload'")
        super().forget(user_id, fact_id)


@specimen("forgets-a-hundred", "REV09", "resurrected")
class ForgetsAHundred(FactsReference):
    bug = "forget_all forgets only the first hundred facts."

    def forget_all(self, user_id: str) -> None:
        doomed = "SELECT n FROM facts WHERE user = ? ORDER BY n LIMIT 100"
        self.db.execute(f"DELETE FROM facts WHERE n IN ({doomed})", (self.key(user_id),))


@specimen("forgets-in-memory", "REV10", "resurrected", explains="DUR DUP")
class ForgetsInMemory(FactsReference):
    bug = "A forgotten fact is hidden by this opening, but not removed."

    def set_up(self) -> None:
        self.hidden: set[str] = set()

    def forget(self, user_id: str, fact_id: str) -> None:
        if self.row(user_id, fact_id) is not None:
            self.hidden.add(fact_id)

    def rows(self, user_id: str) -> list[Row]:
        return [row for row in super().rows(user_id) if row[1] not in self.hidden]


@specimen("found-by-what-was-cut", "REV52", "stale", explains="DUR")
class FoundByWhatWasCut(FactsReference):
    bug = "Each sentence is found by itself, and a shorter text leaves the old ones behind."

    def found_by(self, row: Row) -> list[str]:
        count = decoded(row[2]).count(".") + 1
        earlier = self.fact_history(decoded(row[0]), row[1])
        left = [word for fact in earlier for word in ".".join(fact.text.split(".")[count - 1 :])]
        return [*super().found_by(row), *self.words("".join(left))]


@specimen("known-in-longer-words", "REV52", "stale")
class KnownInLongerWords(FactsReference):
    bug = "A revision whose text is part of the old text is taken for known, and dropped."

    def rewrite(self, row: Row, text: str) -> None:
        if text not in decoded(row[2]):
            super().rewrite(row, text)
