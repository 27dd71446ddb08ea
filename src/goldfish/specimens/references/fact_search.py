"""How facts are found, told apart and filtered, whatever they are kept in: by their words alone."""

import json
import math
import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens.references.keys import decoded, encoded

# A run of letters and digits; scripts without spaces go by single characters, as do emoji.
ALONE = r"[\u2600-\u27bf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U0001f000-\U0001faff]"
WORD = re.compile(rf"{ALONE}|(?:(?!{ALONE})[^\W_])+")
Row = tuple[bytes, str, bytes, str, int]


class FactFinder(ABC):
    """Answers about facts that are kept as rows: user, id, text, metadata, how often told."""

    filters = "comparison"

    @abstractmethod
    def rows(self, user_id: str) -> list[Row]:
        """Return the facts of a user that have not expired, in the order first remembered."""

    # What specimens most like to get wrong: names, sameness, words.

    def key(self, text: str) -> bytes:
        """Return a user id or a text as the database keeps it."""
        return encoded(text)

    def same(self, text: str) -> str:
        """Return what two texts have in common that are one fact."""
        plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
        return plain.removesuffix(".").rstrip()

    def words(self, text: str) -> list[str]:
        """Return the words by which a text is found."""
        return WORD.findall(unicodedata.normalize("NFKC", text).casefold())

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        """Return metadata as JSON; raise if it would not come back as it is."""
        text = json.dumps(dict(metadata or {}))
        if json.loads(text) != dict(metadata or {}):
            raise ValueError("metadata that JSON would change: convert them first")
        return text

    def decode(self, text: str) -> dict[str, Any]:
        """Return the metadata that was encoded."""
        found: dict[str, Any] = json.loads(text)
        return found

    def row(self, user_id: str, fact_id: str) -> Row | None:
        """Return one fact of a user."""
        return next((row for row in self.rows(user_id) if row[1] == fact_id), None)

    def fact(self, row: Row) -> Fact:
        """Return a row as a caller sees it."""
        user, name, text, metadata, seen = row
        return Fact(
            id=name,
            user_id=decoded(user),
            text=decoded(text),
            metadata=self.decode(metadata),
            times_seen=seen,
        )

    # The methods that read.

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        self.refuse_negative(limit, offset)
        return self.find(user_id, query, limit, offset, filter)

    def find(
        self, user_id: str, query: str, limit: int, offset: int, wanted: Mapping[str, Any] | None
    ) -> list[Recollection]:
        """Return the facts that answer a query best, of those that fit a filter."""
        rows = [row for row in self.candidates(user_id) if self.fits(self.meta(row), wanted)]
        best = self.scored(query, rows)[offset : offset + limit]
        return [Recollection(fact=self.fact(row), score=score) for row, score in best]

    def candidates(self, user_id: str) -> list[Row]:
        """Return the facts that a recall looks at."""
        return self.rows(user_id)

    def meta(self, row: Row) -> dict[str, Any]:
        """Return the metadata that filters see."""
        return self.decode(row[3])

    def found_by(self, row: Row) -> list[str]:
        """Return the words that a fact is found by."""
        return self.words(decoded(row[2]))

    def scored(self, query: str, rows: list[Row]) -> list[tuple[Row, float]]:
        """Return the facts that share words with the query, best first; rare words count most."""
        texts = [Counter(self.found_by(row)) for row in rows]
        spread = Counter(word for text in texts for word in text)
        scores = []
        for row, text in zip(rows, texts, strict=True):
            shared = [word for word in set(self.words(query)) if word in text]
            weight = sum(math.log(1 + len(rows) / spread[word]) for word in shared)
            scores.append((row, weight + weight / (20 + text.total())))
        return sorted((pair for pair in scores if pair[1]), key=lambda pair: -pair[1])

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Fact]:
        self.refuse_negative(limit or 0, offset)
        rows = [row for row in self.rows(user_id) if self.fits(self.meta(row), filter)]
        return [self.fact(row) for row in self.page(rows, limit, offset)]

    def page(self, rows: list[Row], limit: int | None, offset: int) -> list[Row]:
        """Return the rows of one page of a list."""
        return rows[offset:][:limit]

    def refuse_negative(self, limit: int, offset: int) -> None:
        """Raise if the limit or the offset is negative."""
        if limit < 0 or offset < 0:
            raise ValueError("limit and offset must not be negative")

    def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        row = self.row(user_id, fact_id)
        return None if row is None else self.fact(row)

    # Filters.

    def fits(self, metadata: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
        """Return True if metadata is what a filter wants."""
        return all(self.fits_one(metadata, key, value) for key, value in (wanted or {}).items())

    def fits_one(self, metadata: Mapping[str, Any], key: str, wanted: Any) -> bool:
        """Return True if one field is what a filter wants."""
        if not isinstance(wanted, Mapping) or not all(name.startswith("$") for name in wanted):
            wanted = {"$eq": wanted}
        return all(self.holds(metadata, key, sign, value) for sign, value in wanted.items())

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        """Return True if a condition holds for one field."""
        if sign == "$exists":
            return bool((key in metadata) == value)
        if key not in metadata:
            return False
        there = metadata[key]
        if sign in {"$eq", "$ne"}:
            return self.equal(there, value) == (sign == "$eq")
        return self.compares(self.rank(there), sign, self.rank(value))

    def equal(self, there: Any, value: Any) -> bool:
        """Return True if two values are equal: 1 is 1.0, and neither is True."""
        return bool(there == value) and isinstance(there, bool) == isinstance(value, bool)

    def rank(self, value: Any) -> tuple[str, Any]:
        """Return a value with its kind, because only like compares with like."""
        if isinstance(value, bool) or value is None:
            return type(value).__name__, value
        if isinstance(value, int | float):
            return "number", value
        if isinstance(value, datetime):
            return "time", value
        with suppress(TypeError, ValueError):
            if (moment := datetime.fromisoformat(value)).tzinfo is not None:
                return "time", moment
        return "text", str(value)

    def compares(self, there: tuple[str, Any], sign: str, value: tuple[str, Any]) -> bool:
        """Return True if one value stands to the other as the sign says."""
        if there[0] != value[0]:
            return False
        signs = {"$gt": there > value, "$gte": there >= value, "$lt": there < value}
        return bool({**signs, "$lte": there <= value}[sign])
