"""Other people's models: what they return is judged, and a server is asked over a real socket."""

import json
import sys
from base64 import b64decode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from goldfish.embedding import Embedder, endpoint
from goldfish.embedding.plugged import (
    Plugged,
    from_function,
    onnx,
    openai_compatible,
    sentence_transformers,
)
from goldfish.errors import EmbedderError, MissingExtraError

KEY = "sk-very-secret"


def lengths(texts: list[str]) -> list[list[float]]:
    """A model of a kind: how long a text is, and how many words it has."""
    return [[len(text), len(text.split())] for text in texts]


def test_a_function_plugs_in_and_its_vectors_get_length_one() -> None:
    """Lists of numbers are fine."""
    embedder = from_function("lengths", 2, lengths)
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.dimensions) == ("lengths", 2)
    vectors = embedder.encode(["abcd", "a b"])
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[4, 1], [3, 2]]) / np.sqrt([[17], [13]]))
    assert embedder.encode([]).shape == (0, 2)


def test_a_row_of_zeros_stays_as_it_is() -> None:
    """It is like no text, and not NaN."""
    assert from_function("lengths", 2, lengths).encode([""]).tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([[1, 2, 3]], r"returned vectors of shape \(1, 3\), not \(1, 2\)"),
        ([[1, 2], [3, 4]], r"shape \(2, 2\), not \(1, 2\)"),
        ([1, 2], "did not return a table"),
        ([[1, float("nan")]], "NaN or infinity"),
        ([[1, float("inf")]], "NaN or infinity"),
        ([[1, 2], [3]], "failed"),
        ("words", "failed"),
        (None, "did not return a table"),
    ],
)
def test_what_is_no_vector_is_an_error_that_names_the_model(answer: Any, told: str) -> None:
    """Nothing of it is stored."""
    with pytest.raises(EmbedderError, match=f"the embedder 'mine' .*({told})"):
        from_function("mine", 2, lambda texts: answer).encode(["a"])


def test_a_function_that_raises_is_told_without_secrets() -> None:
    """The cause is there for whoever looks for it."""

    def fails(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("cannot reach https://bob:hunter2@host/")

    with pytest.raises(EmbedderError, match=r"'mine' failed .RuntimeError: cannot reach") as caught:
        from_function("mine", 2, fails).encode(["a"])
    assert "hunter2" not in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_lone_surrogates_do_not_reach_the_model() -> None:
    """Most tokenizers would fail on them."""
    strict = from_function("mine", 1, lambda texts: [[len(text.encode())] for text in texts])
    assert strict.encode(["tea \ud83d time"]).tolist() == [[1]]


def test_dimensions_that_nobody_said_are_found_out() -> None:
    """By one word, once."""
    asked: list[str] = []

    def model(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return lengths(texts)

    embedder = Plugged("mine", model)
    assert (embedder.dimensions, embedder.dimensions) == (2, 2)
    assert len(asked) == 1


class Server(ThreadingHTTPServer):
    """An endpoint as OpenAI's, with the model above; it keeps what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.received: list[tuple[str, str | None, dict[str, Any]]] = []
        self.failing: tuple[int, str] | None = None
        self.location: str | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1/"


class Answering(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.received.append((self.path, self.headers["Authorization"], body))
        status, text = self.server.failing or (200, json.dumps({"data": rows(body["input"])}))
        self.send_response(status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST  # noqa: N815 - as the standard library spells it

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def rows(texts: list[str]) -> list[dict[str, Any]]:
    """The vectors, last text first: the index says whose is whose."""
    vectors = list(enumerate(lengths(texts)))
    return [{"index": index, "embedding": vector} for index, vector in reversed(vectors)]


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on a port of its own."""
    with Server() as running:
        thread = Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_server_is_asked_as_openai_is(server: Server) -> None:
    """The key, the model and the texts go out; the rows come back in the order of the texts."""
    embedder = openai_compatible(server.url, "text-embedding-3-small", KEY)
    expected = from_function("", 2, lengths).encode(["a b", "abcd"])
    assert (embedder.encode(["a b", "abcd"]) == expected).all()
    assert (embedder.name, embedder.dimensions) == ("text-embedding-3-small", 2)
    body = {"model": "text-embedding-3-small", "input": ["a b", "abcd"]}
    assert ("/v1/embeddings", f"Bearer {KEY}", body) in server.received


def test_many_texts_are_several_requests(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers take only so many at once; a text without a character is sent as a space."""
    monkeypatch.setattr(endpoint, "AT_ONCE", 2)
    embedder = openai_compatible(server.url, "m", dimensions=2)
    assert embedder.encode(["a", "", "abc"]).shape == (3, 2)
    assert [body["input"] for _, _, body in server.received] == [["a", " "], ["abc"]]
    assert {key for _, key, _ in server.received} == {None}


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (401, f"no such key: {KEY}"),
        (500, "x" * 190 + KEY),
        (200, f"not JSON {KEY}"),
        (200, "[]"),
        (200, '{"data": []}'),
        (200, '{"data": [{"index": 0, "embedding": "abc"}]}'),
    ],
)
def test_a_server_that_gives_no_vectors_is_an_error_without_the_key(
    server: Server, status: int, answer: str
) -> None:
    """Also if it repeats the key, whole or cut off."""
    server.failing = (status, answer)
    with pytest.raises(EmbedderError) as caught:
        openai_compatible(server.url, "m", KEY, dimensions=2).encode(["a"])
    assert KEY[:8] not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_key_is_not_carried_to_another_server(server: Server) -> None:
    """A redirection is an answer like any other that has no vectors."""
    with Server() as other:
        server.failing, server.location = (302, ""), other.url
        with pytest.raises(EmbedderError, match="answered 302"):
            openai_compatible(server.url, "m", KEY, dimensions=2).encode(["a"])
        assert other.received == []


def test_a_server_that_is_away_is_one_sentence(server: Server) -> None:
    """Where, why and what to check; never a password of the address."""
    server.shutdown()
    server.server_close()
    address = server.url.replace("http://", "http://bob:hunter2@")
    with pytest.raises(EmbedderError, match=r"cannot be reached: .*; check the address") as caught:
        openai_compatible(address, "m", KEY, dimensions=2).encode(["a"])
    assert "hunter2" not in str(caught.value)


def test_an_address_is_one_of_the_web() -> None:
    """A path of a file would be read as one."""
    with pytest.raises(ValueError, match="must begin with http:// or https://"):
        openai_compatible("file:///etc", "m")


# A model of four words with two dimensions each: Gather(table, input_ids), by onnx.helper.
TINY_MODEL = """
CAg6mgEKIgoFdGFibGUKCWlucHV0X2lkcxIGdG9rZW5zIgZHYXRoZXISBHRpbnkqLwgECAIQASIgAAAAAAAAAAAAAIA/AAAAAA
AAAAAAAIA/AABAQAAAgEBCBXRhYmxlWh0KCWlucHV0X2lkcxIQCg4IBxIKCgMSAW4KAxIBbGIeCgZ0b2tlbnMSFAoSCAESDgoD
EgFuCgMSAWwKAggCQgQKABAN
"""


def test_a_file_of_onnx_is_run_with_the_tokenizer_beside_it(tmp_path: Path) -> None:
    """The vector of a text points where the mean of its tokens points."""
    pytest.importorskip("onnxruntime")
    words = {"[UNK]": 0, "tea": 1, "coffee": 2, "water": 3}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "tiny.onnx").write_bytes(b64decode(TINY_MODEL))
    embedder = onnx(tmp_path / "tiny.onnx", window=2)
    assert (embedder.name, embedder.dimensions) == ("tiny", 2)
    vectors = embedder.encode(["tea", "water", "tea coffee", "tea tea coffee"])
    expected = np.array([[1, 0], [0.6, 0.8], [0.5**0.5, 0.5**0.5], [1, 0]])
    assert vectors == pytest.approx(expected)


def test_a_loaded_model_needs_a_name() -> None:
    """Vectors are stored with it, and it does not tell."""
    with pytest.raises(ValueError, match="pass name="):
        sentence_transformers(object())


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that installs it."""
    for package in ("sentence_transformers", "onnxruntime"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match="pip install sentence-transformers"):
        sentence_transformers("all-MiniLM-L6-v2")
    with pytest.raises(MissingExtraError, match="pip install onnxruntime"):
        onnx("model.onnx")
