"""Texts to vectors: all-MiniLM-L6-v2 without torch, or an embedder of the user's.

``goldfish.embedding`` is a public import path. It imports only ``errors``, and numpy where vectors
are made.
"""

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
    """Return all-MiniLM-L6-v2, loaded once per process; an error says how to get it."""
    _require_packages()
    with _loading:
        return _load(os.environ.get(model.VARIABLE), model.cache_directory())


def why_not() -> str | None:
    """Return why there is no default embedder here, in one sentence; None if there is one."""
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
def _load(given: str | None, cache: Path) -> Embedder:
    """Load the model that is found in this environment."""
    from goldfish.embedding.cache import Cached
    from goldfish.embedding.minilm import MiniLM

    return Cached(MiniLM(model.find()))
