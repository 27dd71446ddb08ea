"""The stand-ins that goldfish lends to other people's tests."""

import subprocess
import sys

import numpy as np
import pytest

from goldfish import Embedder
from goldfish.testing import HashEmbedder


def test_the_hash_embedder_is_an_embedder() -> None:
    """Rows of length one, of the width that was asked for, named after it."""
    embedder = HashEmbedder(dimensions=32)
    assert isinstance(embedder, Embedder)
    assert embedder.name == "hash-32"
    vectors = embedder.encode(["I like tea", "", "\ud800 \x00", "🐟"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, 32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert embedder.encode([]).shape == (0, 32)


def test_texts_that_share_words_are_close() -> None:
    """Case and order do not matter; other words do."""
    one, same, near, far = HashEmbedder().encode(
        ["I like green tea", "Tea: GREEN, like I", "I like green cars", "Coffee keeps her awake"]
    )
    assert one @ same == pytest.approx(1)
    assert one @ far < one @ near < 0.99


def test_the_vectors_are_the_same_in_another_process() -> None:
    """Python's own hash of a text differs from process to process; this one does not."""
    code = (
        "from goldfish.testing import HashEmbedder as H; print(H(8).encode(['a b c d']).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(HashEmbedder(8).encode(["a b c d"]).tolist())


def test_no_dimensions_are_refused() -> None:
    """A vector has one number at least."""
    with pytest.raises(ValueError, match="must be 1 or more"):
        HashEmbedder(0)
