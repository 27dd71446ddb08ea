"""Codes of vectors: one bit for each dimension, by which the closest of many are guessed.

A vector is turned at random, always by the same turn, so that its length spreads evenly over all
dimensions; of each the code keeps the sign (RaBitQ, Gao and Long 2024). Together with one factor
for each vector that gives its product with any other, off by some 0.04 at 384 dimensions: good
enough to choose a few hundred, whose vectors then decide. A guess is a function of stored codes and
of the question, to the last bit, on every machine: it and the turn only add, subtract and scale.
"""

import hashlib
import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

ROUNDS = 3
PLANES = 4  # bits of the question's vector for each dimension
_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)

Vectors = NDArray[np.float32]
Words = NDArray[np.uint64]


def width_of(dimensions: int) -> int:
    """Return how many words of 64 bits the code of such a vector has."""
    return -(-dimensions // 64)


def encode(vectors: Vectors) -> bytes:
    """Return for each vector its code, then its factor, in 8 bytes."""
    if not len(vectors):
        return b""
    turned = _turn(vectors)
    total = np.abs(turned).sum(axis=1, dtype=np.float64)
    squares = np.square(turned, dtype=np.float64).sum(axis=1)
    factors = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    rows = np.concatenate([_sign_bits(turned), factors.astype("<f8").view("<u8")[:, None]], axis=1)
    return rows.astype("<u8").tobytes()


class Asked:
    """A vector whose products with many others are guessed by their codes."""

    def __init__(self, vector: Vectors) -> None:
        turned = _turn(vector[None])[0].astype(np.float64)
        self._low = float(turned.min())
        self._step = (float(turned.max()) - self._low) / (2**PLANES - 1) or 1.0
        levels = np.rint((turned - self._low) / self._step).astype(np.uint8)
        bits = [np.packbits(levels >> plane & 1, bitorder="little") for plane in range(PLANES)]
        self._planes = np.array(bits).view("<u8")
        self._total = math.fsum(turned.tolist())

    def guess(
        self, columns: list[Words], ones: NDArray[np.float32], factors: NDArray[np.float32]
    ) -> Vectors:
        """Return the products with vectors by their codes, a column for each 64 dimensions."""
        among = np.zeros(len(ones), np.float32)  # the levels of the dimensions whose bit is set
        for plane, words in enumerate(self._planes):
            among += np.float32(2**plane) * _count_common(columns, words)
        total = np.float32(self._step) * among + np.float32(self._low) * ones
        return factors * (np.float32(2) * total - np.float32(self._total))


def count_ones(columns: list[Words]) -> NDArray[np.float32]:
    """Return how many bits of each code are set."""
    return _count_common(columns, [np.uint64(2**64 - 1)] * len(columns)).astype(np.float32)


def count_differences(columns: list[Words], slot: int) -> NDArray[np.int16]:
    """Return in how many bits each code differs from the one in this place."""
    many = np.zeros(len(columns[0]), np.int16)
    for column in columns:
        many += _popcount(column ^ column[slot])
    return many


def most_differences(least: float, dimensions: int) -> float:
    """Return in how many bits two vectors may differ whose cosine is at least this.

    Each bit differs with the probability of their angle's share in half a turn; six standard
    deviations are added.
    """
    bits = 64 * width_of(dimensions)
    share = math.acos(least) / math.pi
    return bits * share + 6 * math.sqrt(bits * share * (1 - share))


def _count_common(columns: list[Words], words: "list[np.uint64] | Words") -> NDArray[np.int16]:
    many = np.zeros(len(columns[0]), np.int16)
    for column, word in zip(columns, words, strict=True):
        many += _popcount(column & word)
    return many


def _popcount(words: Words) -> NDArray[np.uint8]:
    if hasattr(np, "bitwise_count"):
        return np.bitwise_count(words)
    ones: NDArray[np.uint8] = _BYTE_ONES[words.view(np.uint8)].reshape(-1, 8).sum(1, np.uint8)
    return ones


def _sign_bits(turned: Vectors) -> Words:
    bits = np.packbits(turned > 0, axis=1, bitorder="little")
    return np.ascontiguousarray(bits).view("<u8")


def _turn(vectors: Vectors) -> Vectors:
    """Return the vectors, filled up to a multiple of 64 dimensions, after a turn at random."""
    size = 64 * width_of(vectors.shape[1])
    turned = np.zeros((len(vectors), size), np.float32)
    turned[:, : vectors.shape[1]] = vectors
    part = 1 << (size.bit_length() - 1)
    for signs in _signs(size):
        turned *= signs
        _mix(turned[:, :part])
        if part < size:
            _mix(turned[:, size - part :])
    return turned


def _mix(vectors: Vectors) -> None:
    """Replace the vectors by their Walsh-Hadamard transforms, of the same length.

    Each step adds up neighbours in the first half and has their differences in the second, so all
    steps look the same, and after the last one everything lies where it belongs.
    """
    half = vectors.shape[1] // 2
    here = vectors.copy()
    there = np.empty_like(here)
    steps = [
        (one[:, ::2], one[:, 1::2], other[:, :half], other[:, half:])
        for one, other in ((here, there), (there, here))
    ]
    count = vectors.shape[1].bit_length() - 1
    for nth in range(count):
        even, odd, sums, differences = steps[nth % 2]
        np.add(even, odd, sums)
        np.subtract(even, odd, differences)
    np.multiply(there if count % 2 else here, np.float32(1 / math.sqrt(2 * half)), vectors)


@lru_cache(maxsize=8)
def _signs(size: int) -> Vectors:
    bits = hashlib.shake_256(b"goldfish codes").digest(ROUNDS * size // 8)
    ones = np.unpackbits(np.frombuffer(bits, np.uint8)).reshape(ROUNDS, size)
    return ones.astype(np.float32) * 2 - 1
