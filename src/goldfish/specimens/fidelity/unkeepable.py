"""Stores that are damaged by something that they cannot keep."""

from collections.abc import Mapping, Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.sqlite import Reference


@specimen("facts-spoilt-by-one", "FID60", "lost")
class FactsSpoiltByOne(FactsReference):
    bug = "Metadata that cannot be stored is refused too late: the next opening finds no facts."

    def set_up(self) -> None:
        self.spoilt = self.path.with_suffix(".spoilt")
        if self.spoilt.exists():
            self.db.execute("DELETE FROM facts")

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        try:
            return super().encode(metadata)
        except (TypeError, ValueError):
            self.spoilt.touch()
            raise


variant("metadata-beside-its-own", FactsReference, "FID62", "corrupted")(
    bug="Metadata shares a record with the store's fields, which win over the same name.",
    encode=lambda self, metadata: FactsReference.encode(
        self, {key: value for key, value in (metadata or {}).items() if key != "data"}
    ),
)


@specimen("messages-spoilt-by-one", "FID61", "lost")
class MessagesSpoiltByOne(Reference):
    bug = "A message that cannot be stored is refused too late: the next opening finds none."

    def set_up(self) -> None:
        self.spoilt = self.path.with_suffix(".spoilt")
        if self.spoilt.exists():
            self.db.execute("DELETE FROM messages")

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        try:
            return super().encode(messages)
        except (TypeError, ValueError):
            self.spoilt.touch()
            raise
