"""Memories whose filters choose facts that do not fit, or leave out some that do."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from goldfish.messages import Recollection
from goldfish.specimens import specimen
from goldfish.specimens.references.facts import FactsReference


@specimen("filters-by-any-field", caught_by="REC15", finding="wrong")
class FiltersByAnyField(FactsReference):
    """A fact fits if one of the fields of a filter does."""

    def fits(self, metadata: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
        items = (wanted or {}).items()
        return not items or any(self.fits_one(metadata, key, value) for key, value in items)


@specimen("filters-true-as-one", caught_by="REC16", finding="wrong")
class FiltersTrueAsOne(FactsReference):
    """True is 1, as Python says."""

    def equal(self, there: Any, value: Any) -> bool:
        return bool(there == value)


@specimen("filters-numbers-as-text", caught_by="REC16", finding="wrong")
class FiltersNumbersAsText(FactsReference):
    """Values are equal if they look alike when written."""

    def equal(self, there: Any, value: Any) -> bool:
        return str(there) == str(value)


@specimen("compares-as-text", caught_by="REC17", finding="wrong")
class ComparesAsText(FactsReference):
    """Numbers are compared as text, so that 9 is more than 10."""

    def rank(self, value: Any) -> tuple[str, Any]:
        kind, plain = super().rank(value)
        return kind, str(plain)


@specimen("compares-times-as-text", caught_by="REC23", finding="wrong")
class ComparesTimesAsText(FactsReference):
    """Times are compared as the text in which they are written."""

    def rank(self, value: Any) -> tuple[str, Any]:
        if isinstance(value, datetime):
            return "text", value.isoformat()
        return ("text", value) if isinstance(value, str) else super().rank(value)


@specimen("filters-as-doubles", caught_by="REC18", finding="wrong")
class FiltersAsDoubles(FactsReference):
    """Integers are compared as doubles, of which two neighbours may be one."""

    def equal(self, there: Any, value: Any) -> bool:
        numbers = all(type(each) in (int, float) for each in (there, value))
        return float(there) == float(value) if numbers else super().equal(there, value)


@specimen("comparison-breaks", caught_by="REC19", finding="refused")
class ComparisonBreaks(FactsReference):
    """A fact with text in a field that is compared with a number is an error of the query."""

    def compares(self, there: tuple[str, Any], sign: str, value: tuple[str, Any]) -> bool:
        return bool(there[1] > value[1] or there[1] <= value[1]) and super().compares(
            there, sign, value
        )


@specimen("missing-is-different", caught_by="REC20", finding="wrong")
class MissingIsDifferent(FactsReference):
    """A fact without a field differs in it from every value."""

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        if sign == "$ne" and key not in metadata:
            return True
        return super().holds(metadata, key, sign, value)


@specimen("keys-as-paths", caught_by="REC21", finding="wrong")
class KeysAsPaths(FactsReference):
    """A dot in the name of a field leads into it."""

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        outer, dot, inner = key.partition(".")
        if dot:
            nested = metadata.get(outer)
            return isinstance(nested, dict) and super().holds(nested, inner, sign, value)
        return super().holds(metadata, key, sign, value)


@specimen("filters-what-was-found", caught_by="REC22", finding="wrong", explains=("ISO",))
class FiltersWhatWasFound(FactsReference):
    """A filter is applied to the facts that a recall without it would give."""

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        found = super().recall(user_id, query, limit=limit, offset=offset)
        return [each for each in found if self.fits(each.fact.metadata, filter)]
