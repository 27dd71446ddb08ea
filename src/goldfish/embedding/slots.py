"""Vectors by key, in memory that forked processes share: what one encodes, its siblings have."""

import mmap
from zlib import crc32

import numpy as np

from goldfish.embedding.bert import Array

KEY = 16  # bytes
SUM = 4  # bytes


class Slots:
    """A table with one slot for each key, whose new vector takes the place of another's.

    There is no lock, as a process that is killed would never release it. A slot that two processes
    write at once is known by its sum to be neither's, and empty.
    """

    def __init__(self, capacity: int, dimensions: int) -> None:
        self._capacity = capacity
        self._size = KEY + SUM + 4 * dimensions
        self._memory = mmap.mmap(-1, capacity * self._size)

    def get(self, key: bytes) -> Array | None:
        """Return the vector with this key, which nobody else can change, or None."""
        place = self._find(key)
        slot = self._memory[place : place + self._size]
        vector = slot[KEY + SUM :]
        if slot[: KEY + SUM] != key + _sum_up(vector):
            return None
        return np.frombuffer(vector, np.float32)

    def put(self, key: bytes, vector: Array) -> None:
        """Keep a vector."""
        place, data = self._find(key), vector.astype(np.float32, copy=False).tobytes()
        self._memory[place : place + self._size] = key + _sum_up(data) + data

    def _find(self, key: bytes) -> int:
        return int.from_bytes(key[:8]) % self._capacity * self._size


def _sum_up(vector: bytes) -> bytes:
    return crc32(vector).to_bytes(SUM)
