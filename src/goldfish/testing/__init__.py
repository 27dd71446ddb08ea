"""Stand-ins for tests of an agent's memory: deterministic, small, without a network."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from goldfish.embedding.hashed import hash_text
from goldfish.errors import MissingExtraError
from goldfish.integrations.libraries import LIBRARIES

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Vectors
    from goldfish.integrations.langchain.model import LangChainModel
    from goldfish.integrations.mem0.standin import OfflineMem0
    from goldfish.integrations.openai_agents.model import OpenAIAgentsModel
    from goldfish.mirror import Mirror

__all__ = [
    "HashEmbedder",
    "LangChainModel",
    "Mirror",
    "OfflineMem0",
    "OpenAIAgentsModel",
    "relive",
]

# Models that think nothing, and a Mem0 without one: each needs its library, so it is imported when
# it is asked for.
_MODELS = {name: (each, module) for each in LIBRARIES for name, module in each.models.items()}


def __getattr__(name: str) -> Any:
    if name == "Mirror":
        from goldfish.mirror import Mirror

        return Mirror
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
        rows = [hash_text(text, self.dimensions) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dimensions)


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
