"""A cache of vectors: the same texts are encoded again and again."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from goldfish.embedding.bert import Array
from goldfish.embedding.embedder import Embedder
from goldfish.embedding.pieces import pieces
from goldfish.embedding.slots import KEY, Slots

Progress: TypeAlias = Callable[[int, int], object]

CAPACITY = 10_000  # vectors: 15 MB of them with 384 dimensions
AT_ONCE = 256  # texts, after which progress is reported


class Cached:
    """An Embedder that remembers vectors by a hash of their texts, also for its forks."""

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._slots = Slots(capacity, embedder.dimensions)
        self.name = embedder.name
        self.dimensions = embedder.dimensions

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Array:
        """Encode as the embedder does; ``progress`` gets how many texts of how many are done."""
        keys = [_hash(text) for text in texts]
        known = {key: vector for key in keys if (vector := self._slots.get(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        done = len(texts) - len(missing)
        for part in _split(list(missing)):
            vectors = self._embedder.encode([missing[key] for key in part])
            fresh = dict(zip(part, vectors, strict=True))
            known |= fresh
            for key, vector in fresh.items():
                self._slots.put(key, vector)
            done += len(part)
            if progress:
                progress(done, len(texts))
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([known[key] for key in keys])

    def pieces(self, text: str) -> list[str]:
        """Cut the text as the embedder would."""
        return pieces(self._embedder, text)


def _hash(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=KEY).digest()


def _split(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), AT_ONCE):
        yield keys[start : start + AT_ONCE]
