"""Mem0 over the vector stores that keep their data in a directory, as targets."""

import logging
from collections.abc import Iterator
from typing import Any

from goldfish.embedding import default_embedder
from goldfish.integrations import documented as promises
from goldfish.integrations.mem0 import offline as mem0_offline
from goldfish.integrations.mem0.adapter import Mem0Memory
from goldfish.targets.declaration import target

# It says at each opening which searches a vector store does not have, on standard error.
logging.getLogger("mem0").setLevel(logging.ERROR)


@target(
    name="mem0",
    claims="one at a time",
    promises=promises.MEM0_QDRANT,
    documented=promises.MEM0_DOCUMENTED,
    declines=promises.SHORT_SIGHTED,
)
def qdrant(sandbox: Any) -> Iterator[Mem0Memory]:
    """Qdrant in a directory, with the settings that Mem0 has by default."""
    options = {"path": str(sandbox.path / "qdrant")}
    yield from _opened(sandbox, "qdrant", options, sized=True)


@target(
    name="mem0-faiss",
    promises=promises.MEM0_FAISS,
    documented=promises.MEM0_DOCUMENTED,
    declines=promises.SHORT_SIGHTED,
)
def faiss(sandbox: Any) -> Iterator[Mem0Memory]:
    """An index of FAISS and a JSON file."""
    yield from _opened(sandbox, "faiss", {"path": str(sandbox.path / "faiss")}, sized=True)


@target(
    name="mem0-chroma",
    claims="one process",
    promises=promises.MEM0_CHROMA,
    documented=promises.MEM0_DOCUMENTED,
    declines=promises.SHORT_SIGHTED,
)
def chroma(sandbox: Any) -> Iterator[Mem0Memory]:
    """Chroma in a directory."""
    yield from _opened(sandbox, "chroma", {"path": str(sandbox.path / "chroma")})


def _opened(
    sandbox: Any, provider: str, options: dict[str, Any], *, sized: bool = False
) -> Iterator[Mem0Memory]:
    embedder = default_embedder()
    options |= {"collection_name": mem0_offline.COLLECTION}
    if sized:
        options |= {"embedding_model_dims": embedder.dimensions}
    store = {"provider": provider, "config": options}
    memory = mem0_offline.opened(mem0_offline.Memory, sandbox.path, store, embedder)
    yield Mem0Memory(memory)
    mem0_offline.close(memory)
