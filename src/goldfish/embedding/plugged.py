"""Other models as an Embedder: functions, sentence-transformers, onnxruntime, servers."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from goldfish.embedding.bert import Array, unit
from goldfish.embedding.endpoint import Endpoint
from goldfish.embedding.surrogates import replace_surrogates
from goldfish.errors import EmbedderError, GoldfishError, MissingExtraError, mask


class Plugged:
    """A function as an Embedder; what it returns is validated and normalised."""

    def __init__(
        self, name: str, function: Callable[[list[str]], Any], dimensions: int | None = None
    ) -> None:
        self.name = name
        self._function = function
        self._dimensions = dimensions

    @cached_property
    def dimensions(self) -> int:
        """The length of a vector; unless it was given, that of the vector of one word."""
        return self._dimensions or self._embed(["goldfish"]).shape[1]

    def encode(self, texts: Sequence[str]) -> Array:
        """Return one row of length one for each text; a row of zeros stays as it is."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        vectors = self._embed([replace_surrogates(text) for text in texts])
        if vectors.shape != (len(texts), self.dimensions):
            raise self._error(
                f"returned vectors of shape {vectors.shape}, not {(len(texts), self.dimensions)}: "
                "return one row for each text"
            )
        return unit(vectors)

    def _embed(self, texts: list[str]) -> Array:
        try:
            vectors = np.asarray(self._function(texts), np.float32)
        except GoldfishError:
            raise
        except Exception as error:
            what = mask(f"{type(error).__name__}: {error}")
            raise self._error(f"failed ({what}): call it alone to see why") from error
        if vectors.ndim != 2:
            raise self._error("did not return a table: return one row of numbers for each text")
        if not np.isfinite(vectors).all():
            raise self._error("returned NaN or infinity: check the texts and the model")
        return vectors

    def _error(self, what: str) -> EmbedderError:
        return EmbedderError(f"the embedder {self.name!r} {what}")


def from_function(name: str, dimensions: int, function: Callable[[list[str]], Any]) -> Plugged:
    """Return a function as an embedder: it takes a list of texts, and returns a row for each."""
    return Plugged(name, function, dimensions)


def sentence_transformers(model: Any, *, name: str | None = None) -> Plugged:
    """Return a model of sentence-transformers: pass its name, or a loaded model and ``name=``."""
    if isinstance(model, str):
        name = name or model
        package = _import("sentence_transformers", "sentence-transformers")
        model = package.SentenceTransformer(model)
    if not name:
        raise ValueError("a loaded model does not tell its name: pass name=")
    return Plugged(name, lambda texts: model.encode(texts, show_progress_bar=False))


def onnx(path: str | os.PathLike[str], *, name: str | None = None, window: int = 256) -> Plugged:
    """Return a sentence encoder in an ONNX file, run by onnxruntime, with tokenizer.json beside it.

    The vector of a text is the mean of what the model's first output says of its tokens.
    """
    return Plugged(name or Path(path).stem, _Onnx(Path(path), window))


def openai_compatible(
    url: str, model: str, key: str = "", *, dimensions: int | None = None
) -> Plugged:
    """Return a server as an embedder that answers ``POST <url>/embeddings`` as OpenAI's does."""
    return Plugged(model, Endpoint(url, model, key), dimensions)


class _Onnx:
    def __init__(self, path: Path, window: int) -> None:
        runtime = _import("onnxruntime", "onnxruntime tokenizers")
        tokenizers = _import("tokenizers", "onnxruntime tokenizers")
        self._session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._tokenizer = tokenizers.Tokenizer.from_file(str(path.with_name("tokenizer.json")))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(window)

    def __call__(self, texts: list[str]) -> Array:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Array:
        ids = np.array([self._tokenizer.encode(text).ids])
        asked: Mapping[str, Any] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        given = {name: value for name, value in asked.items() if name in self._inputs}
        tokens = np.asarray(self._session.run(None, given)[0], np.float32)
        mean: Array = tokens[0].mean(axis=0)
        return mean


def _import(name: str, wanted: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"{name} is not installed: pip install {wanted}") from error
