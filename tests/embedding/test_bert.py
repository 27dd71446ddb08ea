"""The forward pass: its small functions against their definitions, its batches against one text."""

import math

import numpy as np
import pytest

from goldfish.embedding.bert import HEADS, Array, Bert, gelu, softmax, unit

WIDTH = 2 * HEADS


def small_bert(seed: int = 3) -> Bert:
    """An encoder of two layers with weights of chance."""
    chance = np.random.default_rng(seed)
    weights: dict[str, Array] = {}

    def draw(name: str, *shape: int) -> None:
        weights[name] = chance.normal(size=shape).astype(np.float32)

    def draw_dense(name: str, rows: int, columns: int) -> None:
        draw(f"{name}.weight", rows, columns)
        draw(f"{name}.bias", rows)

    def draw_norm(name: str) -> None:
        draw(f"{name}.LayerNorm.weight", WIDTH)
        draw(f"{name}.LayerNorm.bias", WIDTH)

    draw("embeddings.word_embeddings.weight", 50, WIDTH)
    draw("embeddings.position_embeddings.weight", 16, WIDTH)
    draw("embeddings.token_type_embeddings.weight", 2, WIDTH)
    draw_norm("embeddings")
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            draw_dense(f"{layer}.attention.{part}", WIDTH, WIDTH)
        draw_norm(f"{layer}.attention.output")
        draw_dense(f"{layer}.intermediate.dense", 4 * WIDTH, WIDTH)
        draw_dense(f"{layer}.output.dense", WIDTH, 4 * WIDTH)
        draw_norm(f"{layer}.output")
    return Bert(weights)


def test_gelu_is_the_exact_one_to_a_millionth() -> None:
    """Not the approximation by tanh, which is off by a thousand times as much."""
    points = np.linspace(-12, 12, 20_001).astype(np.float32)
    exact = [x * math.erfc(-x / math.sqrt(2)) / 2 for x in map(float, points)]
    assert np.abs(gelu(points.reshape(-1, 3).copy()).ravel() - exact).max() < 1e-6


def test_gelu_of_huge_numbers_is_neither_nan_nor_a_warning() -> None:
    """Far out it is x on one side and 0 on the other."""
    assert gelu(np.array([[-1e10, 0, 1e10]], np.float32)).tolist() == [[0, 0, 1e10]]


def test_softmax_of_large_scores_is_a_distribution() -> None:
    """The largest score is taken away first, so nothing overflows."""
    shares = softmax(np.array([[1000, 1000, -1000], [0, 0, 0]], np.float32))
    assert shares == pytest.approx(np.array([[0.5, 0.5, 0], [1 / 3] * 3]))


def test_rows_get_length_one_and_zeros_stay() -> None:
    """There is no direction in a row of zeros."""
    assert unit(np.array([[3, 4], [0, 0]], np.float32)) == pytest.approx(
        np.array([[0.6, 0.8], [0, 0]])
    )


def test_a_text_has_the_same_vector_alone_and_among_others() -> None:
    """Nothing of a neighbour, longer, shorter or as long, is looked at."""
    texts = [[1, 2, 3], [4, 5, 6], [7], [8, 9, 10, 11, 12], [1, 2, 3], [13, 14]]
    bert = small_bert()
    alone = np.concatenate([bert.vectors([text]) for text in texts])
    assert np.abs(bert.vectors(texts) - alone).max() < 1e-5
    assert not np.allclose(alone[0], alone[1])


def test_the_order_of_tokens_matters() -> None:
    """Positions are part of what is encoded."""
    forward, backward = small_bert().vectors([[1, 2, 3], [3, 2, 1]])
    assert not np.allclose(forward, backward)
