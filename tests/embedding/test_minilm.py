"""The model that comes with goldfish: the vectors of the original, in every script."""

import base64
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from goldfish.embedding import model
from goldfish.embedding.minilm import WINDOW, MiniLM

REFERENCE = Path(__file__).parent.parent / "data" / "minilm_reference.json"


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    """The model, loaded once for this file."""
    return MiniLM(model.find())


def test_the_vectors_are_those_of_the_original(minilm: MiniLM) -> None:
    """Cosine 0.99999 or more to sentence-transformers and torch, text by text."""
    rows = json.loads(REFERENCE.read_text())["texts"]
    expected = [np.frombuffer(base64.b64decode(row["vector"]), "<f4") for row in rows]
    vectors = minilm.encode([row["text"] for row in rows])
    far = {
        row["about"]: float(ours @ theirs)
        for row, ours, theirs in zip(rows, vectors, expected, strict=True)
        if ours @ theirs < 0.99999
    }
    assert len(rows) > 40
    assert far == {}


def test_vectors_are_rows_of_length_one_in_the_order_of_the_texts(minilm: MiniLM) -> None:
    """Whatever order they were worked on in."""
    texts = ["one two three four five six", "", "one", "one two three"]
    vectors = minilm.encode(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, minilm.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert minilm.encode([text])[0] @ vector > 0.999999


def test_no_texts_have_no_vectors(minilm: MiniLM) -> None:
    """An empty table of the right width."""
    assert minilm.encode([]).shape == (0, minilm.dimensions)


def test_texts_of_like_meaning_lie_closer_than_others(minilm: MiniLM) -> None:
    """A check of sanity that needs no reference."""
    home, berlin, coffee = minilm.encode(
        ["My home is in Berlin", "I live in Berlin", "Coffee keeps me awake"]
    )
    assert home @ berlin > 0.8
    assert home @ coffee < 0.4


@pytest.mark.parametrize("odd", ["\ud800", "a\udfffb", "\x00", "\u202e", "\U0010ffff"])
def test_odd_characters_are_read_over(minilm: MiniLM, odd: str) -> None:
    """Lone surrogates and the like are no reason to fail, and no reason for NaN."""
    assert np.isfinite(minilm.encode([odd, f"tea {odd} time"])).all()


def test_what_lies_beyond_the_window_is_not_read(minilm: MiniLM) -> None:
    """As in the original: whoever has long texts asks for pieces."""
    full = "memory " * WINDOW
    near, far = minilm.encode([full, full + "of elephants"])
    assert near @ far > 0.999999


def test_several_threads_may_ask_at_once(minilm: MiniLM) -> None:
    """Each gets the vectors of its own texts."""
    texts = [f"the user likes number {n}" for n in range(8)]
    expected = minilm.encode(texts)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda text: minilm.encode([text])[0], texts))
    assert np.abs(np.stack(answers) - expected).max() < 1e-5


def test_a_forked_process_can_go_on_encoding() -> None:
    """Pods are forked: neither a thread that is missing there nor a warning gets in the way."""
    code = """
import os
from goldfish.embedding import default_embedder
embedder = default_embedder()
before = embedder.encode(["a", "b", "c"])
child = os.fork()
if child == 0:
    after = embedder.encode(["d", "e", "a"])
    os._exit(0 if (after[2] == before[0]).all() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    # Python 3.12 warns of every fork of a process with threads, and numpy starts some.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("0\n", "")
