"""The client of the fixture ``mem0_client``: a real Mem0 in a directory of its own."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goldfish.embedding import default_embedder
from goldfish.integrations.mem0.adapter import Mem0Memory
from goldfish.integrations.mem0.offline import (
    COLLECTION,
    Memory,
    NoLanguageModel,
    close,
    open_memory,
)
from goldfish.messages import Fact, Recollection


class Mem0Client(Memory):  # type: ignore[misc] # Mem0 has no annotations
    """A ``mem0.Memory`` for the code under test, with a few methods for the test itself.

    It has no language model: call ``add`` with ``infer=False``, or set ``llm`` in the test.
    """

    def add(self, messages: Any, *, infer: bool = True, **options: Any) -> Any:
        """Add as Mem0 does; refuse at once what needs the missing language model."""
        if infer and isinstance(self.llm, NoLanguageModel):
            self.llm.generate_response()
        return super().add(messages, infer=infer, **options)

    def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        """Store a fact about a user, as it is said."""
        return Mem0Memory(self).remember(user_id, text, metadata=metadata)

    def recall(
        self, user_id: str, query: str, *, limit: int = 5, filter: Mapping[str, Any] | None = None
    ) -> list[Recollection]:
        """Return the facts about a user that a search finds, best first."""
        return Mem0Memory(self).recall(user_id, query, limit=limit, filter=filter)

    def list_facts(self, user_id: str) -> list[Fact]:
        """Return every fact about a user, oldest first."""
        return Mem0Memory(self).list_facts(user_id)


@contextmanager
def fresh(directory: Path, template: Path) -> Iterator[Mem0Client]:
    """Yield an empty Mem0 in a directory, and remove the directory at the end.

    The template is the directory of an empty Mem0, created on first use: copying its files takes
    a fraction of the time that creating and syncing them takes.
    """
    if not template.exists():
        making = template.with_suffix(".new")
        shutil.rmtree(making, ignore_errors=True)
        close(_open_client(making))
        making.rename(template)
    shutil.copytree(template, directory, dirs_exist_ok=True)
    client = _open_client(directory)
    try:
        yield client
    finally:
        close(client)
        shutil.rmtree(directory)


def _open_client(directory: Path) -> Mem0Client:
    embedder = default_embedder()
    directory.mkdir(exist_ok=True)
    options = {
        "path": str(directory / "qdrant"),
        "on_disk": True,
        "collection_name": COLLECTION,
        "embedding_model_dims": embedder.dimensions,
    }
    return open_memory(Mem0Client, directory, {"provider": "qdrant", "config": options}, embedder)
