"""Texts as vectors: the embedder that comes with goldfish, and what others are put behind."""

import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from goldfish.embedding import model
from goldfish.embedding.embedder import Embedder
from goldfish.embedding.pieces import excerpts, pieces
from goldfish.errors import MissingExtraError, ModelNotFoundError

__all__ = ["Embedder", "default_embedder", "excerpts", "pieces", "why_not"]

PACKAGES = ("numpy", "safetensors", "tokenizers")
_loading = Lock()


def default_embedder() -> Embedder:
    """all-MiniLM-L6-v2, loaded once per process, with a cache; an error says how to get it."""
    _require_packages()
    with _loading:
        return _loaded(os.environ.get(model.VARIABLE), model.cache())


def why_not() -> str | None:
    """Why there is no default embedder here, in one sentence; None if there is one."""
    try:
        _require_packages()
        model.find()
    except (MissingExtraError, ModelNotFoundError) as error:
        return str(error)
    return None


def _require_packages() -> None:
    for package in PACKAGES:
        if find_spec(package) is None:
            raise MissingExtraError.of(package, "semantic")


@lru_cache(maxsize=2)
def _loaded(given: str | None, cache: Path) -> Embedder:
    """The model that is found in this environment."""
    from goldfish.embedding.cache import Cached
    from goldfish.embedding.minilm import MiniLM

    return Cached(MiniLM(model.find()))
