"""Stand-ins for tests of an agent's memory: deterministic, small, without a network."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from goldfish.errors import MissingExtraError
from goldfish.integrations.libraries import LIBRARIES

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Vectors
    from goldfish.integrations.langchain.model import LangChainModel
    from goldfish.integrations.openai_agents.model import OpenAIAgentsModel

__all__ = ["HashEmbedder", "LangChainModel", "OpenAIAgentsModel", "relive"]

# Chat models that think nothing: each is a class of its library, so it is imported when asked for.
_MODELS = {name: (each, module) for each in LIBRARIES for name, module in each.models.items()}


def __getattr__(name: str) -> Any:
    if name not in _MODELS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    library, module = _MODELS[name]
    return library.load(module, name)


class HashEmbedder:
    """An Embedder that knows words and no meaning: texts that share words have close vectors."""

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be 1 or more, not {dimensions}")
        self.dimensions = dimensions
        self.name = f"hash-{dimensions}"

    def encode(self, texts: Sequence[str]) -> "Vectors":
        """Each word, case-folded, adds one to a dimension that its hash chooses."""
        try:
            import numpy as np
        except ImportError as error:
            raise MissingExtraError.of("numpy", "semantic") from error
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()) or [text]:
                row[self._dimension(word)] += 1
            row /= np.linalg.norm(row)
        return rows

    def _dimension(self, word: str) -> int:
        digest = blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest) % self.dimensions


def relive(
    target: Any, history: str, *, pods: int = 2, rounds: int = 200, seconds: float = 5.0
) -> None:
    """Ask a memory what a history tells, again and again; AssertionError if it breaks once more.

    ``goldfish replay RUN --as-test FILE`` writes tests of this kind. Calls that overlapped in the
    history overlap again, each time a little differently: so many rounds, or so many seconds.
    """
    from goldfish.history.notation import parse_history
    from goldfish.plugin.suite import assert_holds
    from goldfish.replay.rerun import Past
    from goldfish.replay.rerun import relive as live

    __tracebackhide__ = True
    past = Past(parse_history(history).calls, pods, rounds, seconds)

    async def what_broke_once_does_not_break_again(memory: Any) -> None:
        """What broke once does not break again."""
        await live(memory, past)

    assert_holds(target, what_broke_once_does_not_break_again)
