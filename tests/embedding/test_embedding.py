"""The front door to the embedder: one per process, or one sentence that says why not."""

import subprocess
import sys
from pathlib import Path

import pytest

import goldfish
from goldfish.embedding import default_embedder, why_not
from goldfish.errors import ModelNotFoundError
from tests.embedding.wheels import no_model


def test_the_default_embedder_is_loaded_once() -> None:
    """Everybody in the process shares it, and its cache."""
    embedder = default_embedder()
    assert embedder is default_embedder()
    assert isinstance(embedder, goldfish.Embedder)
    assert (embedder.name, embedder.dimensions) == ("all-MiniLM-L6-v2", 384)
    assert why_not() is None


def test_without_a_model_there_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same from both: what is missing, and the command."""
    no_model(tmp_path, monkeypatch)
    with pytest.raises(ModelNotFoundError, match="goldfish model install") as caught:
        default_embedder()
    assert why_not() == str(caught.value)


def test_a_model_that_is_installed_later_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it was missing is not remembered."""
    there = default_embedder
    with monkeypatch.context() as patch:
        no_model(tmp_path, patch)
        with pytest.raises(ModelNotFoundError):
            default_embedder()
    assert there().encode(["tea"]).shape == (1, 384)


@pytest.mark.parametrize("package", ["numpy", "safetensors", "tokenizers"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(package: str) -> None:
    """One sentence from both, before anything is loaded."""
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import goldfish.embedding\n"
        "print(goldfish.embedding.why_not())\n"
        "try: goldfish.embedding.default_embedder()\n"
        "except goldfish.MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    sentence = f"{package} is not installed: pip install 'goldfish[semantic]'\n"
    assert done.stdout == sentence * 2


def test_importing_the_package_imports_nothing_heavy() -> None:
    """A store that only keeps messages pays for none of this."""
    code = "import sys, goldfish.embedding, goldfish.testing; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "tokenizers", "safetensors"}.isdisjoint(done.stdout.split())
