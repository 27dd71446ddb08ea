"""Stores that are spoilt by something that they cannot keep."""

from collections.abc import Mapping, Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.sqlite import Reference


@specimen("facts-spoilt-by-one", caught_by="FID60", finding="lost")
class FactsSpoiltByOne(FactsReference):
    """Metadata that cannot be written are refused too late: the next opening finds no facts."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.spoilt = self.path.with_suffix(".spoilt")
        if self.spoilt.exists():
            self.db.execute("DELETE FROM facts")

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        try:
            return super().encode(metadata)
        except (TypeError, ValueError):
            self.spoilt.touch()
            raise


@specimen("metadata-beside-its-own", caught_by="FID62", finding="corrupted")
class MetadataBesideItsOwn(FactsReference):
    """Metadata lie beside the fields of the store, and give way to one of the same name."""

    def encode(self, metadata: Mapping[str, Any] | None) -> str:
        others = {key: value for key, value in (metadata or {}).items() if key != "data"}
        return super().encode(others)


@specimen("messages-spoilt-by-one", caught_by="FID61", finding="lost")
class MessagesSpoiltByOne(Reference):
    """A message that cannot be written is refused too late: the next opening finds none."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.spoilt = self.path.with_suffix(".spoilt")
        if self.spoilt.exists():
            self.db.execute("DELETE FROM messages")

    def encode(self, messages: Sequence[ChatMessage]) -> list[tuple[str, str]]:
        try:
            return super().encode(messages)
        except (TypeError, ValueError):
            self.spoilt.touch()
            raise
