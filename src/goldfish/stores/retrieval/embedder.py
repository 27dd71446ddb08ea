"""The embedder of a store: looked up when facts or searches first need it, never before."""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from goldfish.errors import MissingExtraError, ModelMismatchError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from goldfish.embedding.embedder import Embedder

PACKAGES = ("numpy", "snowballstemmer")  # whatever the embedder
WORDS_ALONE = "words alone"


class LazyEmbedder:
    """Vectors for texts, made in a worker thread; none at all without an embedder."""

    def __init__(self, chosen: "Embedder | Literal['default'] | None") -> None:
        if isinstance(chosen, str) and chosen != "default":
            raise TypeError('embedder must be an Embedder, None (words alone) or "default"')
        self._chosen = chosen

    @property
    def lacking(self) -> str | None:
        """Why facts cannot be recalled here, in one sentence; None if they can."""
        for package in PACKAGES:
            if find_spec(package) is None:
                return str(MissingExtraError.of(package, "semantic"))
        if self._chosen == "default":
            from goldfish.embedding import why_not

            return why_not()
        return None

    def embedder(self) -> "Embedder | None":
        """The embedder; an error says what is missing, and how to get it."""
        for package in PACKAGES:
            if find_spec(package) is None:
                raise MissingExtraError.of(package, "semantic")
        if self._chosen == "default":
            from goldfish.embedding import default_embedder

            self._chosen = default_embedder()
        return self._chosen

    async def prepare(self) -> "tuple[str, int]":
        """The name of the model and the length of its vectors, loaded by now."""
        if self._chosen is None or not isinstance(self._chosen, str):
            embedder = self.embedder()
        else:
            embedder = await asyncio.to_thread(self.embedder)
        return ("", 0) if embedder is None else (embedder.name, embedder.dimensions)

    async def vectors(self, texts: Sequence[str]) -> "NDArray[np.float32] | None":
        """One vector for each text."""
        embedder = self.embedder()
        if embedder is None:
            return None
        return await asyncio.to_thread(embedder.encode, list(texts))

    async def stored(self, text: str) -> bytes:
        """The text as vectors, as they are stored; several, if it is long."""
        embedder = self.embedder()
        if embedder is None:
            return b""
        return await asyncio.to_thread(_stored, embedder, text)


def _stored(embedder: "Embedder", text: str) -> bytes:
    from goldfish.embedding import excerpts

    return embedder.encode(excerpts(embedder, text)).astype("<f4").tobytes()


def mismatch_error(stored: str, model: str) -> ModelMismatchError:
    """The error for vectors of another model than that of the store."""
    return ModelMismatchError(
        f"what is stored was embedded by {stored or WORDS_ALONE!r:.80} and this store uses "
        f"{model or WORDS_ALONE!r:.80}: open it with that embedder, or run reembed() once"
    )
