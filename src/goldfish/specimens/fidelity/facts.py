"""Memories whose facts come back changed, or can be changed by whoever has seen them."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.references.facts import FactsReference


@specimen("facts-stripped", caught_by="FID32", finding="corrupted", explains=("DUP",))
class FactsStripped(FactsReference):
    """The spaces around a fact are lost."""

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        return super().insert(user_id, text.strip(), metadata, ttl)


@specimen("metadata-flattened", caught_by="FID33", finding="corrupted", explains=("REV",))
class MetadataFlattened(FactsReference):
    """Lists and mappings in metadata come back as text."""

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        super().encode(metadata)
        flat = (metadata or {}).items()
        return json.dumps(
            {key: json.dumps(v) if isinstance(v, list | dict) else v for key, v in flat}
        )


@specimen("metadata-shared", caught_by="FID34", finding="corrupted")
class MetadataShared(FactsReference):
    """Equal metadata are one object, which is handed to all."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.shared = cache(super().decode)

    def decode(self, text: str) -> dict[str, Any]:
        return self.shared(text)


@specimen("metadata-as-described", caught_by="FID35", finding="corrupted", explains=("CON",))
class MetadataAsDescribed(FactsReference):
    """What JSON does not know is kept as its description."""

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        return json.dumps(dict(metadata or {}), default=repr)
