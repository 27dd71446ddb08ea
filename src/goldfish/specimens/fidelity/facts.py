"""Memories whose facts come back changed, or can be changed by whoever has seen them."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from goldfish.specimens import specimen, variant
from goldfish.specimens.references.facts import FactsReference

variant("facts-stripped", FactsReference, "FID32", "corrupted", explains="DUP")(
    bug="Spaces around a fact are lost.",
    insert=lambda self, user_id, text, metadata, ttl: FactsReference.insert(
        self, user_id, text.strip(), metadata, ttl
    ),
)


@specimen("metadata-flattened", "FID33", "corrupted", explains="REV")
class MetadataFlattened(FactsReference):
    bug = "Lists and dicts in metadata come back as text."

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        super().encode(metadata)
        flat = (metadata or {}).items()
        return json.dumps(
            {key: json.dumps(v) if isinstance(v, list | dict) else v for key, v in flat}
        )


@specimen("metadata-shared", "FID34", "corrupted")
class MetadataShared(FactsReference):
    bug = "Equal metadata is one object, which all callers share."

    def set_up(self) -> None:
        self.shared = cache(super().decode)

    def decode(self, text: str) -> dict[str, Any]:
        return self.shared(text)


variant("metadata-as-described", FactsReference, "FID35", "corrupted", explains="CON")(
    bug="Values that JSON does not know are kept as their repr.",
    encode=lambda self, metadata: json.dumps(dict(metadata or {}), default=repr),
)
variant("facts-of-64-kb", FactsReference, "FID36", "corrupted")(
    bug="A fact is cut after 65,535 characters.",
    key=lambda self, text: FactsReference.key(self, text[:65_535]),
)
