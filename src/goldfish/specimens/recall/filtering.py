"""Memories whose filters choose facts that do not fit, or leave out some that do."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from goldfish.messages import Recollection
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.facts import FactsReference


@specimen("filters-by-any-field", "REC15", "wrong")
class FiltersByAnyField(FactsReference):
    bug = "A fact fits if one of the fields of a filter does."

    def fits(self, metadata: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
        items = (wanted or {}).items()
        return not items or any(self.fits_one(metadata, key, value) for key, value in items)


variant("filters-true-as-one", FactsReference, "REC16", "wrong")(
    bug="True is 1, as Python says.", equal=lambda self, there, value: bool(there == value)
)
variant("filters-numbers-as-text", FactsReference, "REC16", "wrong")(
    bug="Values are equal if they look alike when written.",
    equal=lambda self, there, value: str(there) == str(value),
)


@specimen("compares-as-text", "REC17", "wrong")
class ComparesAsText(FactsReference):
    bug = "Numbers are compared as text, so that 9 is more than 10."

    def rank(self, value: Any) -> tuple[str, Any]:
        kind, plain = super().rank(value)
        return kind, str(plain)


@specimen("compares-times-as-text", "REC23", "wrong")
class ComparesTimesAsText(FactsReference):
    bug = "Times are compared as the text in which they are written."

    def rank(self, value: Any) -> tuple[str, Any]:
        if isinstance(value, datetime):
            return "text", value.isoformat()
        return ("text", value) if isinstance(value, str) else super().rank(value)


variant("filters-as-doubles", FactsReference, "REC18", "wrong")(
    bug="Integers are compared as doubles, of which two neighbours may be one.",
    equal=lambda self, there, value: (
        float(there) == float(value)
        if all(type(each) in (int, float) for each in (there, value))
        else FactsReference.equal(self, there, value)
    ),
)
variant("comparison-breaks", FactsReference, "REC19", "refused")(
    bug="A fact with text in a field that is compared with a number is an error of the query.",
    compares=lambda self, there, sign, value: (
        bool(there[1] > value[1] or there[1] <= value[1])
        and FactsReference.compares(self, there, sign, value)
    ),
)


@specimen("missing-is-different", "REC20", "wrong")
class MissingIsDifferent(FactsReference):
    bug = "A fact without a field differs in it from every value."

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        if sign == "$ne" and key not in metadata:
            return True
        return super().holds(metadata, key, sign, value)


@specimen("keys-as-paths", "REC21", "wrong")
class KeysAsPaths(FactsReference):
    bug = "A dot in the name of a field leads into it."

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        outer, dot, inner = key.partition(".")
        if dot:
            nested = metadata.get(outer)
            return isinstance(nested, dict) and super().holds(nested, inner, sign, value)
        return super().holds(metadata, key, sign, value)


@specimen("filters-what-was-found", "REC22", "wrong", explains="ISO")
class FiltersWhatWasFound(FactsReference):
    bug = "A filter is applied to the facts that a recall without it would give."

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
