"""The forward pass of a BERT encoder in plain numpy, over many texts at once without padding."""

import mmap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import gcd
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float32]
Lengths: TypeAlias = Sequence[int]

HEADS = 12
EPSILON = np.float32(1e-12)
COLUMNS = 32  # of the weights in one block
GELU_ROWS = 64  # rows at a time, so that the many small steps of gelu stay in the cache


class Dense:
    """A linear layer, whose weights lie in blocks of some columns.

    A product of a few rows with all columns at once would first copy all weights, as OpenBLAS does
    for large ones; with one block it does not. That halves the time of a short text.
    """

    def __init__(self, weight: Array, bias: Array) -> None:
        rows, columns = weight.shape
        self._width = gcd(columns, COLUMNS)
        self._blocks = share(weight.reshape(rows, -1, self._width).swapaxes(0, 1))
        self._bias = bias

    def __call__(self, x: Array) -> Array:
        y = np.empty((len(x), len(self._bias)), np.float32)
        np.matmul(x, self._blocks, out=y.reshape(len(x), -1, self._width).swapaxes(0, 1))
        y += self._bias
        return y


@dataclass(frozen=True)
class Norm:
    """A normalisation of rows to mean 0 and variance 1, then scaled and shifted as was learnt."""

    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        x = x - x.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[-1])
        x /= np.sqrt(variance + EPSILON)
        x *= self.weight
        x += self.bias
        return x


@dataclass(frozen=True)
class Layer:
    """One layer of the encoder; queries, keys and values come out of one multiplication."""

    attention: Dense
    attended: Dense
    attended_norm: Norm
    wide: Dense
    narrow: Dense
    narrow_norm: Norm

    def __call__(self, x: Array, lengths: Lengths) -> Array:
        x = self.attended_norm(x + self.attended(attend(self.attention(x), lengths)))
        return self.narrow_norm(x + self.narrow(gelu(self.wide(x))))


class Bert:
    """The encoder; a text is a list of token ids, and its vector the mean over its tokens."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        self._words = share(weights["embeddings.word_embeddings.weight"])
        places = weights["embeddings.position_embeddings.weight"]
        self._places = places + weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = _norm(weights, "embeddings")
        self._layers = [_layer(weights, f"encoder.layer.{n}") for n in range(_depth(weights))]
        self.dimensions = self._words.shape[1]

    def vectors(self, texts: Sequence[Sequence[int]]) -> Array:
        """Return one row of length one per text; texts of equal length side by side cost least."""
        lengths = [len(text) for text in texts]
        places = np.concatenate([np.arange(length) for length in lengths])
        x = self._norm(self._words[np.concatenate(texts)] + self._places[places])
        for layer in self._layers:
            x = layer(x, lengths)
        sums = np.add.reduceat(x, np.cumsum([0, *lengths[:-1]]), axis=0)
        # The mean points where the sum points, and only the direction is kept.
        return unit(sums)


def share(array: Array) -> Array:
    """Return a copy in memory that a fork shares, instead of copying its 20,000 entries of pages.

    The processes of a check are forked from one that has the model: without this, each of them
    takes three times as long to begin and to end.
    """
    shared = np.frombuffer(mmap.mmap(-1, array.nbytes), np.float32).reshape(array.shape)
    shared[...] = array
    shared.flags.writeable = False
    return shared


def unit(rows: Array) -> Array:
    """Scale the rows to length one; a row of zeros stays as it is."""
    lengths: Array = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled = rows.copy()
    scaled /= np.maximum(lengths, EPSILON)
    return scaled


def attend(fused: Array, lengths: Lengths) -> Array:
    """Let each text attend to itself alone; neighbours of equal length are done in one go."""
    width = fused.shape[1] // 3
    attended = np.empty((len(fused), width), np.float32)
    start = 0
    for length, group in groupby(lengths):
        count = sum(1 for _ in group)
        rows = slice(start, start + count * length)
        start = rows.stop
        heads = fused[rows].reshape(count, length, 3, HEADS, width // HEADS)
        query, key, value = heads.transpose(2, 0, 3, 1, 4)
        mixed = softmax(query @ key.swapaxes(-1, -2)) @ value
        attended[rows] = mixed.transpose(0, 2, 1, 3).reshape(-1, width)
    return attended


def softmax(x: Array) -> Array:
    """Compute softmax over the last axis, in place."""
    x -= x.max(axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= x.sum(axis=-1, keepdims=True)
    return x


def gelu(x: Array) -> Array:
    """Compute ``x * Phi(x)`` in place, with the true normal distribution, not the usual tanh."""
    spare = np.empty((3, min(GELU_ROWS, len(x)), x.shape[1]), np.float32)
    for start in range(0, len(x), GELU_ROWS):
        block = x[start : start + GELU_ROWS]
        _gelu(block, *spare[:, : len(block)])
    return x


# 1 - Phi(u) = f(t) * exp(-u*u / 2) with t = 1 / (1 + SLOPE * u): Abramowitz and Stegun, 7.1.26,
# off by less than 1e-7, which is what float32 itself is off by.
SLOPE = np.float32(0.3275911 / 2**0.5)
TERMS = [np.float32(a / 2) for a in (1.061405429, -1.453152027, 1.421413741, -0.284496736)]
LAST_TERM = np.float32(0.254829592 / 2)
HALF, ONE = np.float32(0.5), np.float32(1)


def _gelu(x: Array, u: Array, t: Array, f: Array) -> None:
    """Compute ``max(x, 0) - |x| * (1 - Phi(|x|))``, step by step, in memory that is there."""
    np.abs(x, out=u)
    np.multiply(u, SLOPE, out=t)
    t += ONE
    np.reciprocal(t, out=t)
    np.multiply(t, TERMS[0], out=f)
    for term in (*TERMS[1:], LAST_TERM):
        f += term
        f *= t
    f *= u
    np.multiply(u, u, out=u)
    u *= -HALF
    np.exp(u, out=u)
    f *= u
    np.maximum(x, 0, out=x)
    x -= f


def _depth(weights: Mapping[str, Array]) -> int:
    return sum(name.endswith("attention.self.query.weight") for name in weights)


def _layer(weights: Mapping[str, Array], at: str) -> Layer:
    names = [f"{at}.attention.self.{part}" for part in ("query", "key", "value")]
    parts = [_read_dense(weights, name) for name in names]
    width = len(parts[0][1])
    scale = np.ones(3 * width, np.float32)
    scale[:width] /= np.sqrt(np.float32(width // HEADS))  # the queries', once and for all
    fused = Dense(
        np.concatenate([weight for weight, _ in parts], axis=1) * scale,
        np.concatenate([bias for _, bias in parts]) * scale,
    )
    return Layer(
        fused,
        _dense(weights, f"{at}.attention.output.dense"),
        _norm(weights, f"{at}.attention.output"),
        _dense(weights, f"{at}.intermediate.dense"),
        _dense(weights, f"{at}.output.dense"),
        _norm(weights, f"{at}.output"),
    )


def _dense(weights: Mapping[str, Array], at: str) -> Dense:
    return Dense(*_read_dense(weights, at))


def _read_dense(weights: Mapping[str, Array], at: str) -> tuple[Array, Array]:
    """Return weights, one column for each value that comes out, and biases."""
    return weights[f"{at}.weight"].T, weights[f"{at}.bias"]


def _norm(weights: Mapping[str, Array], at: str) -> Norm:
    return Norm(weights[f"{at}.LayerNorm.weight"], weights[f"{at}.LayerNorm.bias"])
