"""The cache: a text is encoded once, and what is handed out is the caller's own."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from goldfish.embedding import Embedder
from goldfish.embedding.bert import Array
from goldfish.embedding.cache import AT_ONCE, Cached
from goldfish.testing import HashEmbedder


class Counting(HashEmbedder):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        return super().encode(texts)


@pytest.fixture
def counting() -> Counting:
    """A fresh embedder."""
    return Counting()


def test_it_is_the_embedder_it_wraps(counting: Counting) -> None:
    """The same name, dimensions and vectors."""
    cached = Cached(counting)
    assert isinstance(cached, Embedder)
    assert (cached.name, cached.dimensions) == (counting.name, 64)
    texts = ["tea", "coffee", "tea", ""]
    assert (cached.encode(texts) == HashEmbedder(64).encode(texts)).all()


def test_a_text_is_encoded_once(counting: Counting) -> None:
    """Also if it comes twice in one call, and whatever is in it."""
    cached = Cached(counting)
    texts = ["tea", "\ud800", "tea", "Tea"]
    first = cached.encode(texts)
    assert (cached.encode(texts) == first).all()
    assert counting.asked == ["tea", "\ud800", "Tea"]


def test_a_new_text_makes_room_for_itself(counting: Counting) -> None:
    """The cache never holds more than its capacity."""
    cached = Cached(counting, capacity=1)
    for text in ("a", "a", "b", "a"):
        cached.encode([text])
    assert counting.asked == ["a", "b", "a"]


def test_more_texts_than_it_holds_are_encoded_all_the_same(counting: Counting) -> None:
    """Capacity bounds what is kept, not what can be asked."""
    texts = [f"text {n}" for n in range(5)]
    assert (Cached(counting, capacity=2).encode(texts) == HashEmbedder(64).encode(texts)).all()


def test_editing_an_answer_does_not_reach_the_cache(counting: Counting) -> None:
    """Each answer is a table of its own."""
    cached = Cached(counting)
    first = cached.encode(["tea"])
    expected = first.copy()
    first[:] = 7
    assert (cached.encode(["tea"]) == expected).all()
    cached.encode(["tea"])[:] = 7
    assert (cached.encode(["tea"]) == expected).all()


def test_no_texts_have_no_vectors(counting: Counting) -> None:
    """An empty table of the right width."""
    assert Cached(counting).encode([]).shape == (0, 64)


def test_long_work_tells_how_far_it_is(counting: Counting) -> None:
    """What the cache had counts as done."""
    cached = Cached(counting)
    cached.encode(["text 0"])
    told: list[tuple[int, int]] = []
    many = [f"text {n}" for n in range(AT_ONCE + 10)]
    cached.encode(many, progress=lambda done, total: told.append((done, total)))
    assert told == [(AT_ONCE + 1, AT_ONCE + 10), (AT_ONCE + 10, AT_ONCE + 10)]


def test_threads_that_ask_at_once_get_their_own_texts(counting: Counting) -> None:
    """While others are thrown out."""
    cached = Cached(counting, capacity=3)
    texts = [f"text {n % 7}" for n in range(200)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda text: cached.encode([text])[0], texts))
    assert (np.stack(answers) == HashEmbedder(64).encode(texts)).all()


def test_pieces_are_those_of_the_embedder(counting: Counting) -> None:
    """A cache does not change how much is read."""
    assert len(Cached(counting).pieces("word " * 400)) > 1
