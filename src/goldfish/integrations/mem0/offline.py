"""A real Mem0 that contacts nobody: no telemetry, no key, no language model, no torch.

Mem0 decides at import what it reports and where it keeps its own files, so import it through this
module. Our embedder and a fake language model are registered in its tables of providers.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, local
from typing import Any, TypeVar

from goldfish.embedding import Embedder, model
from goldfish.errors import UsageError
from goldfish.integrations.mem0 import MEM0
from goldfish.integrations.mem0.adapter import takes

PROVIDER = "goldfish"
COLLECTION = "mem0"
TELEMETRY = "MEM0_TELEMETRY"
DIRECTORY = "MEM0_DIR"


@contextmanager
def _silent_import() -> Iterator[None]:
    """Turn telemetry off and use our directory while Mem0 is imported; restore both after."""
    before = {name: os.environ.get(name) for name in (TELEMETRY, DIRECTORY)}
    os.environ[TELEMETRY] = "False"
    os.environ.setdefault(DIRECTORY, _directory())
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _directory() -> str:
    """Return where Mem0 keeps its id of this machine: beside our model, not in the user's home."""
    path = model.cache_directory().parents[1] / "mem0"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:  # that place is not writable
        return tempfile.mkdtemp(prefix="goldfish-mem0-")
    return str(path)


with _silent_import(), MEM0.importing():
    import mem0
    import mem0.memory.main
    from mem0 import Memory
    from mem0.configs.base import MemoryConfig
    from mem0.configs.llms.base import BaseLlmConfig
    from mem0.embeddings.base import EmbeddingBase
    from mem0.embeddings.configs import EmbedderConfig
    from mem0.llms.base import LLMBase
    from mem0.llms.configs import LlmConfig
    from mem0.utils.factory import EmbedderFactory, LlmFactory

__all__ = ["COLLECTION", "AsyncMemory", "Memory", "NoLanguageModel", "close", "open_memory"]

AsyncMemory: Any = getattr(mem0, "AsyncMemory", None)  # old releases have none

AnyMemory = TypeVar("AnyMemory")  # one of Mem0's, which have no annotations
_opening = Lock()


class Embedding(EmbeddingBase):  # type: ignore[misc] # Mem0 has no annotations
    """An embedder of ours with Mem0's interface."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self._embedder: Embedder = config.model

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector of one text."""
        return self.embed_batch([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """Return the vectors of several texts."""
        vectors: list[list[float]] = self._embedder.encode(texts).tolist()
        return vectors


class NoLanguageModel(LLMBase):  # type: ignore[misc] # Mem0 has no annotations
    """The stand-in for Mem0's language model, which refuses every call."""

    def generate_response(self, *arguments: Any, **options: Any) -> str:
        """Raise UsageError, which says what to do instead."""
        raise UsageError(
            "this Mem0 has no language model: call add(…, infer=False), or set memory.llm"
        )


class Repeater(LLMBase):  # type: ignore[misc] # Mem0 has no annotations
    """The stand-in for releases whose ``add`` always asks: each text is one fact, and new."""

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._last = local()  # both calls of one ``add`` come from one thread

    def generate_response(self, messages: Sequence[Mapping[str, str]], **options: Any) -> str:
        """Reply first which facts are in the text, then what to do with them."""
        if len(messages) == 2:  # the instruction, and what was said
            text = messages[1]["content"]
            self._last.text = text.removeprefix("Input: user: ").removesuffix("\n")
            return json.dumps({"facts": [self._last.text]})
        added = {"id": "0", "text": self._last.text, "event": "ADD"}
        return json.dumps({"memory": [added]})


def _register() -> None:
    language = NoLanguageModel if takes(Memory.add, "infer") else Repeater
    place = f"{__name__}.{language.__name__}"
    # Old releases register the class alone.
    pairs = any(isinstance(each, tuple) for each in LlmFactory.provider_to_class.values())
    LlmFactory.provider_to_class[PROVIDER] = (place, BaseLlmConfig) if pairs else place
    EmbedderFactory.provider_to_class[PROVIDER] = f"{__name__}.{Embedding.__name__}"


_register()


def open_memory(
    kind: type[AnyMemory], directory: Path, store: Mapping[str, Any], embedder: Embedder
) -> AnyMemory:
    """Open a Mem0 over a vector store, with all its files in a directory."""
    config = MemoryConfig(
        vector_store=store,
        # Built without validation, which knows only the providers that Mem0 comes with.
        embedder=EmbedderConfig.model_construct(provider=PROVIDER, config=_embedding(embedder)),
        llm=LlmConfig.model_construct(provider=PROVIDER, config={}),
        history_db_path=str(directory / "history.db"),
    )
    with _opening, _own_directory(directory):
        return kind(config)  # type: ignore[call-arg]


def close(memory: Any) -> None:
    """Close all that a Mem0 holds open; its own ``close``, if there is one, leaves some."""
    stores = ("vector_store", "_telemetry_vector_store", "_entity_store")
    for store in [getattr(memory, name, None) for name in stores]:
        release = getattr(getattr(store, "client", None), "close", None)
        if release is not None:
            release()
    history = getattr(memory, "db", None)
    if history is not None:
        # Old releases leave its connection to the garbage collector.
        (history if hasattr(history, "close") else history.connection).close()


def silence() -> None:
    """Switch off the telemetry of a Mem0 that was imported before this module."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "mem0" and getattr(module, TELEMETRY, False) is True:
            setattr(module, TELEMETRY, False)


def _embedding(embedder: Embedder) -> dict[str, Any]:
    return {"model": embedder, "embedding_dims": embedder.dimensions}


@contextmanager
def _own_directory(directory: Path) -> Iterator[None]:
    """Give Mem0 up to 1.0.5 a directory for its second store, which only one can hold open."""
    module = mem0.memory.main
    before = getattr(module, "mem0_dir", None)
    if before is None:
        yield
        return
    module.mem0_dir = str(directory)
    try:
        yield
    finally:
        module.mem0_dir = before


silence()
