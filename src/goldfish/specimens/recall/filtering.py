"""Memories whose filters choose facts that do not fit, or leave out some that do."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from goldfish.messages import Fact
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.facts import FactsReference


@specimen("filters-by-any-field", "REC15", "wrong")
class FiltersByAnyField(FactsReference):
    bug = "A fact fits a filter if any one of its fields does."

    def fits(self, metadata: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
        items = (wanted or {}).items()
        return not items or any(self.fits_one(metadata, key, value) for key, value in items)


variant("filters-true-as-one", FactsReference, "REC16", "wrong")(
    bug="A filter for 1 chooses True, but one for True does not choose 1.",
    equal=lambda self, there, value: bool(there == value) and (value is not True or there is True),
)
variant("filters-numbers-as-text", FactsReference, "REC16", "wrong")(
    bug="Values are equal if they look the same when written.",
    equal=lambda self, there, value: str(there) == str(value),
)


@specimen("compares-as-text", "REC17", "wrong")
class ComparesAsText(FactsReference):
    bug = "Numbers are compared as text, so 9 is greater than 10."

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
    bug="Integers are compared as doubles, so two neighbours may be equal.",
    equal=lambda self, there, value: (
        float(there) == float(value)
        if all(type(each) in (int, float) for each in (there, value))
        else FactsReference.equal(self, there, value)
    ),
)
variant("comparison-breaks", FactsReference, "REC19", "refused")(
    bug="Comparing a field that holds text with a number fails the query.",
    compares=lambda self, there, sign, value: (
        bool(there[1] > value[1] or there[1] <= value[1])
        and FactsReference.compares(self, there, sign, value)
    ),
)


@specimen("missing-is-different", "REC20", "wrong")
class MissingIsDifferent(FactsReference):
    bug = "A fact that lacks a field counts as different from every value."

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        if sign == "$ne" and key not in metadata:
            return True
        return super().holds(metadata, key, sign, value)


@specimen("keys-as-paths", "REC21", "wrong")
class KeysAsPaths(FactsReference):
    bug = "A dot in the name of a field is taken for a path."

    def holds(self, metadata: Mapping[str, Any], key: str, sign: str, value: Any) -> bool:
        outer, dot, inner = key.partition(".")
        if dot:
            nested = metadata.get(outer)
            return isinstance(nested, dict) and super().holds(nested, inner, sign, value)
        return super().holds(metadata, key, sign, value)


variant("filters-what-was-found", FactsReference, "REC22", "wrong", explains="ISO")(
    bug="A filter is applied to the facts that a recall without it would return.",
    find=lambda self, user_id, query, limit, offset, wanted: [
        each
        for each in FactsReference.find(self, user_id, query, limit, offset, None)
        if self.fits(each.fact.metadata, wanted)
    ],
)


@specimen("limits-before-it-filters", "REC25", "wrong")
class LimitsBeforeItFilters(FactsReference):
    bug = "The limit of a list counts facts before the filter is applied to them."

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Fact]:
        page = super().list_facts(user_id, limit=limit, offset=offset)
        return [fact for fact in page if self.fits(fact.metadata, filter)]
