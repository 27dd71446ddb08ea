"""Long texts in pieces: each is read whole, together they hold everything."""

import random
from itertools import pairwise

import pytest

from goldfish.embedding import Embedder, default_embedder, excerpts, pieces
from goldfish.embedding.pieces import BYTES, MOST, STRETCH, windows
from goldfish.testing import HashEmbedder

WORDS = [
    "memory",
    "unbelievable",
    "金鱼",
    "ผู้ใช้",
    "a-17",
    "8892",
    "🐟",
    "naïve",
    "x" * 130,
    "\ud800",
]


def embedders() -> list[Embedder]:
    """One that knows its window, and one that does not."""
    return [default_embedder(), HashEmbedder()]


@pytest.mark.parametrize("text", ["", " ", "I live in Berlin", "\ud800", "tea " * 100])
def test_a_short_text_is_one_piece(text: str) -> None:
    """As it is, to the last space."""
    for embedder in embedders():
        assert pieces(embedder, text) == [text]


@pytest.mark.parametrize("seed", range(4))
def test_nothing_of_a_long_text_is_left_out(seed: int) -> None:
    """The pieces overlap, and put over one another they are the text again."""
    chance = random.Random(seed)
    text = " ".join(chance.choice(WORDS) + str(n) for n in range(700))
    for embedder in embedders():
        parts = pieces(embedder, text)
        assert len(parts) > 2
        end = 0
        for part in parts:
            start = text.index(part, max(0, end - len(part)))
            assert start <= end
            end = start + len(part)
        assert end == len(text)


def test_each_piece_is_read_whole() -> None:
    """The same tokens are in it as in the long text, and no more than the window holds."""
    embedder = default_embedder()
    text = " ".join(f"unbelievable{n} 金鱼" for n in range(400))
    parts = pieces(embedder, text)
    assert all(pieces(embedder, part) == [part] for part in parts)


def test_what_is_said_late_in_a_long_text_is_found_by_one_piece() -> None:
    """That is what pieces are for."""
    embedder = default_embedder()
    filler = "The weather was fine and nothing of note happened. " * 60
    text = filler + "Her dentist is called Doctor Rosalind Quill. " + filler
    question = embedder.encode(["What is the name of the dentist?"])[0]
    whole = float(embedder.encode([text])[0] @ question)
    assert max(embedder.encode(pieces(embedder, text)) @ question) > whole + 0.1


def test_an_unknown_window_is_taken_to_be_small() -> None:
    """In bytes, because a Chinese character is a token and an English letter is not."""
    for text in ("word " * 1000, "金" * 2000, "x" * 5000):
        assert all(len(part.encode()) <= BYTES for part in pieces(HashEmbedder(), text))


def test_a_word_longer_than_the_window_is_cut() -> None:
    """There is no other place for the cut, and no endless loop."""
    cuts = list(windows(range(10), [True] + [False] * 9, 10, 4, 1))
    assert cuts == [slice(0, 4), slice(3, 7), slice(6, 10)]


@pytest.mark.parametrize("words", [0, 1, 30, 500, 1000])
def test_a_text_of_usual_length_is_embedded_whole(words: int) -> None:
    """Up to so many pieces, nothing of it is left out."""
    text = " ".join(f"word{n}" for n in range(words))
    for embedder in embedders():
        assert excerpts(embedder, text) == pieces(embedder, text)


@pytest.mark.parametrize("words", [4_000, 30_000, 300_000])
def test_of_a_long_text_a_fixed_number_of_pieces_is_embedded(words: int) -> None:
    """They are of the text in its order, from the beginning to the end, and each is read whole."""
    text = " ".join(f"{n:x}" for n in range(words))
    for embedder in embedders():
        parts = excerpts(embedder, text)
        assert len(parts) == MOST
        starts = [text.index(part) for part in parts]
        assert starts == sorted(starts)
        assert (starts[0], starts[-1] + len(parts[-1])) == (0, len(text))
        steps = [after - before for before, after in pairwise(starts)]
        assert max(steps) < min(steps) + STRETCH
        assert all(text[at - 1] == " " for at in starts[1:-1])
        assert all(pieces(embedder, part) == [part] for part in parts)


def test_a_long_text_without_spaces_is_embedded_too() -> None:
    """There is no word to begin with, so a piece begins anywhere."""
    for embedder in embedders():
        for text in ("金鱼" * 20_000, "x" * 100_000):
            assert len(excerpts(embedder, text)) == MOST
