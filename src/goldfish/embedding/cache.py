"""A cache of vectors: the same texts are encoded again and again."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from threading import Lock
from typing import TypeAlias

import numpy as np

from goldfish.embedding.bert import Array
from goldfish.embedding.embedder import Embedder
from goldfish.embedding.pieces import pieces

Progress: TypeAlias = Callable[[int, int], object]

CAPACITY = 10_000  # vectors: 15 MB of them with 384 dimensions
AT_ONCE = 256  # texts, after which progress is reported


class Cached:
    """An Embedder that remembers the vectors of the texts it saw last, by a hash of the text."""

    def __init__(self, embedder: Embedder, capacity: int = CAPACITY) -> None:
        self._embedder = embedder
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, Array] = OrderedDict()
        self._lock = Lock()
        self.name = embedder.name
        self.dimensions = embedder.dimensions

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Array:
        """Encode as the embedder does; ``progress`` gets how many texts of how many are done."""
        keys = [_hash(text) for text in texts]
        known = self._find(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        done = len(texts) - len(missing)
        for part in _split(list(missing)):
            vectors = self._embedder.encode([missing[key] for key in part])
            fresh = dict(zip(part, vectors, strict=True))
            known |= fresh
            self._keep(fresh)
            done += len(part)
            if progress:
                progress(done, len(texts))
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([known[key] for key in keys])

    def pieces(self, text: str) -> list[str]:
        """Cut the text as the embedder would."""
        return pieces(self._embedder, text)

    def _find(self, keys: Sequence[bytes]) -> dict[bytes, Array]:
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def _keep(self, fresh: dict[bytes, Array]) -> None:
        with self._lock:
            for key, vector in fresh.items():
                self._vectors[key] = vector.copy()  # not a view that keeps its whole batch
                self._vectors.move_to_end(key)
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)


def _hash(text: str) -> bytes:
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _split(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), AT_ONCE):
        yield keys[start : start + AT_ONCE]
