"""A real Mem0 for the scripts here: no network, no language model, and vectors of words."""

import hashlib
import os
import tempfile
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("MEM0_DIR", f"{tempfile.gettempdir()}/mem0-of-findings")

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

SIZE = 64


class Words(EmbeddingBase):
    """One dimension per word, by its digest."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector = [0.01] * SIZE
        for word in text.lower().split():
            vector[hashlib.md5(word.encode("utf-8", "replace")).digest()[0] % SIZE] += 1.0
        return vector

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text) for text in texts]


def opened(provider: str, directory: str) -> Any:
    """Mem0 on a vector store in the directory, as its documentation configures one."""
    options: dict[str, Any] = {
        "path": f"{directory}/{provider}",
        "collection_name": "facts",
        "embedding_model_dims": SIZE,
    }
    if provider == "qdrant":
        options["on_disk"] = True
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    memory = Memory.from_config(
        {
            "vector_store": {"provider": provider, "config": options},
            "embedder": unused,
            "llm": unused,
            "history_db_path": f"{directory}/history.db",
        }
    )
    memory.embedding_model = Words()
    return memory


def tell(memory: Any, user: str, text: str, **metadata: Any) -> str:
    """Add the text as it is; the id of the memory that Mem0 says it made."""
    answer = memory.add(text, user_id=user, metadata=metadata or None, infer=False)
    return str(answer["results"][0]["id"])


def texts(memory: Any, user: str, **chosen: Any) -> list[str]:
    """What Mem0 has of a user, sorted."""
    found = memory.get_all(filters={"user_id": user, **chosen}, top_k=10_000)
    return sorted(each["memory"] for each in found["results"])
