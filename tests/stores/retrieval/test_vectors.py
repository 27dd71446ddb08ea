"""Scores that are the same wherever a row lies."""

import numpy as np
import pytest

from goldfish.stores.retrieval.vectors import cosines


@pytest.mark.parametrize("dimensions", [1, 2, 3, 48, 255, 256, 384, 1536, 4096])
def test_a_row_is_as_close_in_every_place(dimensions: int) -> None:
    """To the last bit: alone, among others, in another order, at another address."""
    chance = np.random.default_rng(dimensions)
    rows = chance.normal(size=(203, dimensions)).astype(np.float32)
    asked = chance.normal(size=dimensions).astype(np.float32)
    together = cosines(rows, asked)
    order = chance.permutation(len(rows))[:101]
    assert np.array_equal(cosines(rows[order], asked), together[order])
    for first in range(0, 203, 7):
        assert np.array_equal(cosines(rows[first : first + 3], asked), together[first : first + 3])
        assert np.array_equal(cosines(rows[first : first + 1], asked), together[first : first + 1])
    shifted = np.empty(rows.size + 5, np.float32)[5:].reshape(rows.shape)
    shifted[:] = rows
    assert np.array_equal(cosines(shifted, asked), together)
    assert np.allclose(together, rows @ asked, atol=1e-3)
