"""The protocol of models that turn texts into vectors, ours and those of users."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:  # numpy is optional: whoever only keeps messages needs none
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """A model that gives texts of like meaning vectors that lie close together."""

    @property
    def name(self) -> str:
        """The model's name, stored beside its vectors: those of two models do not compare."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def encode(self, texts: Sequence[str]) -> "Vectors":
        """Return one row of length one for each text; several threads may call at once."""


@runtime_checkable
class Windowed(Protocol):
    """An embedder that knows how much text it reads, and where a longer one can be cut."""

    def pieces(self, text: str) -> list[str]:
        """Return the text in pieces that are read whole, overlapping a little."""
