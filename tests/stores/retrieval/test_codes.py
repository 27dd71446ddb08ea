"""The codes of vectors: what they guess, and that they are the same everywhere."""

import hashlib

import numpy as np
import pytest

from goldfish.stores.retrieval.codes import (
    Asked,
    Vectors,
    Words,
    count_differences,
    count_ones,
    encode,
    most_differences,
    width_of,
)


def draw(many: int, dimensions: int, seed: int = 1) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(many, dimensions)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def read(vectors: Vectors) -> tuple[list[Words], Vectors]:
    rows = np.frombuffer(encode(vectors), "<u8").reshape(len(vectors), -1)
    columns = [np.ascontiguousarray(column) for column in rows.T]
    return columns[:-1], columns[-1].view("<f8").astype(np.float32)


@pytest.mark.parametrize("dimensions", [64, 100, 384, 768])
def test_products_are_guessed(dimensions: int) -> None:
    """Of vectors in any direction, by an error that gets smaller with more dimensions."""
    vectors, asked = draw(500, dimensions), draw(1, dimensions, seed=2)[0]
    vectors[:100] = vectors[:100] + 2 * asked
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    columns, factors = read(vectors)
    guessed = Asked(asked).guess(columns, count_ones(columns), factors)
    off = guessed - vectors @ asked
    assert np.abs(off).mean() < 1 / np.sqrt(dimensions)
    assert np.abs(off).max() < 6 / np.sqrt(dimensions)
    assert abs(off.mean()) < 0.3 / np.sqrt(dimensions)


def test_codes_of_close_vectors_differ_in_few_bits() -> None:
    """In no more than is allowed for the cosine; those of strangers differ in more."""
    one = draw(400, 384)
    noise = draw(400, 384, seed=5)
    close = 0.92 * one + np.sqrt(1 - 0.92**2) * noise
    columns, _ = read(np.concatenate([close, one]).astype(np.float32))
    most = most_differences(0.9, 384)
    for slot in range(0, 400, 40):
        differences = count_differences(columns, slot)
        assert differences[slot] == 0
        assert differences[400 + slot] <= most
        assert (np.delete(differences, [slot, 400 + slot]) > most).all()


def test_a_code_is_the_same_on_every_machine() -> None:
    """What one process has stored, every other one compares with."""
    vectors = np.sin(np.arange(3 * 100, dtype=np.float32).reshape(3, 100) ** 2 / 7)
    coarse = np.round(vectors * 64).astype(np.float32)  # exact, whatever computes a sine
    assert width_of(100) == 2
    assert len(encode(coarse)) == 3 * 24
    bits = b"".join(column.tobytes() for column in read(coarse)[0])
    assert hashlib.sha256(bits).hexdigest()[:16] == "cd69031d807d654f"


def test_an_empty_vector_has_a_code() -> None:
    """And is close to nothing."""
    columns, factors = read(np.zeros((1, 64), np.float32))
    assert Asked(draw(1, 64)[0]).guess(columns, count_ones(columns), factors).tolist() == [0.0]


def test_bits_are_counted_without_help_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions before 2 have no function for it."""
    vectors, asked = draw(50, 100), draw(1, 100, seed=2)[0]
    columns, factors = read(vectors)
    expected = Asked(asked).guess(columns, count_ones(columns), factors)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert (Asked(asked).guess(columns, count_ones(columns), factors) == expected).all()
    assert count_differences(columns, 3)[3] == 0
