"""The embedder of a store: looked up when facts or searches first need it, never before."""

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, cast

from goldfish.errors import MissingExtraError, ModelMismatchError
from goldfish.threads import offload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from goldfish.embedding.embedder import Embedder

PACKAGES = ("numpy", "snowballstemmer")  # whatever the embedder
WORDS_ALONE = "words alone"
AT_ONCE = 64  # texts that are embedded in one go


class LazyEmbedder:
    """Makes vectors of texts, in a worker thread; none at all without an embedder."""

    def __init__(self, chosen: "Embedder | Literal['default'] | None") -> None:
        if isinstance(chosen, str) and chosen != "default":
            raise TypeError('embedder must be an Embedder, None (words alone) or "default"')
        self._chosen = chosen

    @property
    def lacking(self) -> str | None:
        """Why texts cannot be ranked here, in one sentence; None if they can."""
        try:
            _require_packages()
        except MissingExtraError as error:
            return str(error)
        if self._chosen == "default":
            from goldfish.embedding import why_not

            return why_not()
        return None

    def load(self) -> "Embedder | None":
        """Return the embedder; an error says what is missing, and how to get it."""
        _require_packages()
        if self._chosen == "default":
            from goldfish.embedding import default_embedder

            self._chosen = default_embedder()
        return self._chosen

    async def prepare(self) -> tuple[str, int]:
        """Load the model; return its name and the length of its vectors."""
        slow = isinstance(self._chosen, str)
        embedder = await offload(self.load) if slow else self.load()
        return ("", 0) if embedder is None else (embedder.name, embedder.dimensions)

    async def encode(self, text: str) -> "NDArray[np.float32] | None":
        """Return the vector of a text."""
        embedder = self.load()
        if embedder is None:
            return None
        (vector,) = await offload(embedder.encode, [text])
        return cast("NDArray[np.float32]", vector)

    async def encode_to_store(self, texts: Sequence[str], kind: str) -> list[bytes]:
        """Return the vectors of each text as numbers of this numpy type, one after the other.

        A long text has several.
        """
        embedder = self.load()
        if embedder is None:
            return [b""] * len(texts)
        return await offload(_encode_to_store, embedder, texts, kind)


def _encode_to_store(embedder: "Embedder", texts: Sequence[str], kind: str) -> list[bytes]:
    import numpy as np

    from goldfish.embedding import excerpts

    cut = [excerpts(embedder, text) for text in texts]
    flat = [piece for each in cut for piece in each]
    chunks = [flat[at : at + AT_ONCE] for at in range(0, len(flat), AT_ONCE)]
    taken = (row for chunk in chunks for row in embedder.encode(chunk))
    rows = [[next(taken) for _ in each] for each in cut]
    return [np.asarray(each, np.float32).astype(kind).tobytes() for each in rows]


def _require_packages() -> None:
    for package in PACKAGES:
        if find_spec(package) is None:
            raise MissingExtraError.of(package, "semantic")


def mismatch_error(stored: str, model: str) -> ModelMismatchError:
    """Return the error for vectors of another model than that of the store."""
    return ModelMismatchError(
        f"what is stored was embedded by {stored or WORDS_ALONE!r:.80} and this store uses "
        f"{model or WORDS_ALONE!r:.80}: open it with that embedder, or run reembed() once"
    )


def refuse_other_models(stored: Iterable[str], model: str) -> None:
    """Raise if there are vectors of another model; a store that uses words alone reads any."""
    for other in set(stored) - {"", model} if model else ():
        raise mismatch_error(other, model)
