"""Mem0 over the vector stores that keep their data in a directory, as targets."""

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

from goldfish.embedding import default_embedder
from goldfish.integrations.mem0 import MEM0, offline
from goldfish.integrations.mem0.adapter import Mem0Memory

# At each opening it logs to standard error which searches a vector store does not have.
logging.getLogger("mem0").setLevel(logging.ERROR)

SHORT_SIGHTED = "the model of this target, all-MiniLM-L6-v2, reads no more than 256 word pieces"
_declare = partial(MEM0.target, declines={"REC07": SHORT_SIGHTED})  # not Mem0's doing, but ours


@_declare("mem0", claims="one at a time")
def qdrant(sandbox: Any) -> Iterator[Mem0Memory]:
    """Qdrant in a directory, with the settings that Mem0 has by default."""
    options = {"path": str(sandbox.path / "qdrant")}
    yield from _open(sandbox, "qdrant", options, sized=True)


@_declare("mem0-faiss")
def faiss(sandbox: Any) -> Iterator[Mem0Memory]:
    """An index of FAISS and a JSON file."""
    yield from _open(sandbox, "faiss", {"path": str(sandbox.path / "faiss")}, sized=True)


@_declare("mem0-chroma", claims="one process")
def chroma(sandbox: Any) -> Iterator[Mem0Memory]:
    """Chroma in a directory."""
    yield from _open(sandbox, "chroma", {"path": str(sandbox.path / "chroma")})


def _open(
    sandbox: Any, provider: str, options: dict[str, Any], *, sized: bool = False
) -> Iterator[Mem0Memory]:
    embedder = default_embedder()
    options |= {"collection_name": offline.COLLECTION}
    if sized:
        options |= {"embedding_model_dims": embedder.dimensions}
    store = {"provider": provider, "config": options}
    memory = offline.open_memory(offline.Memory, sandbox.path, store, embedder)
    yield Mem0Memory(memory)
    offline.close(memory)
