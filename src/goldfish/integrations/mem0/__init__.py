"""Mem0: offline, as a target and as a fixture.

What its documentation says was read in the package itself, in November 2026; a page is named
where the package is silent.
"""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter

_PACKAGES = ("mem0", "numpy", "safetensors", "tokenizers")
_RAW = "with infer=False, messages are added as raw memories (docstring of Memory.add)"
_QDRANT = (
    "a directory of Qdrant is for one client at a time; more need its server (its error message)"
)
_target = partial(
    BuiltIn,
    module=f"{__name__}.targets",
    documented={"DUP05": _RAW},
)

MEM0 = Library(
    name="mem0",
    title="Mem0",
    extra="mem0",
    distributions=("mem0ai", "qdrant-client", "faiss-cpu", "chromadb"),
    targets=(
        _target(
            "mem0",
            "qdrant",
            "Mem0 on Qdrant in a directory",
            f"{_QDRANT}; {_RAW}",
            extra="mem0",
            packages=(*_PACKAGES, "qdrant_client"),
        ),
        _target(
            "mem0-faiss",
            "faiss",
            "Mem0 on FAISS in a directory",
            "an excellent choice for production (docs.mem0.ai/components/vectordbs/dbs/faiss), "
            f"without a limit; {_RAW}",
            extra="mem0-faiss",
            packages=(*_PACKAGES, "faiss"),
        ),
        _target(
            "mem0-chroma",
            "chroma",
            "Mem0 on Chroma in a directory",
            f"Chroma's client on a directory is for one process; {_RAW}",
            extra="mem0-chroma",
            packages=(*_PACKAGES, "chromadb"),
        ),
        BuiltIn(
            "agent-mem0",
            "qdrant",
            "an agent whose facts of users Mem0 extracts and recalls, on Qdrant in a directory",
            "a language model decides what is extracted (docstring of Memory.add), and a search "
            f"returns the most similar memories; {_QDRANT}",
            module=f"{__name__}.agent",
            extra="mem0,agents",
            packages=("mem0", "openai", "qdrant_client", "starlette"),
        ),
    ),
    adapters={"mem0": "adapter"},
    models={"OfflineMem0": "standin"},
    starters=(
        Starter(
            "mem0",
            "Mem0",
            "mem0/starters/local.py",
            imports=("mem0",),
            classes=("Memory",),
            requirements=("mem0ai",),
            extra="mem0",
            needs=("mem0", "numpy"),
        ),
    ),
)
