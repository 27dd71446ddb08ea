"""Where the model is looked for, and what is said if it is not there or not whole."""

from pathlib import Path

import pytest

from goldfish.embedding import model
from goldfish.embedding.minilm import MiniLM
from goldfish.errors import ModelNotFoundError
from tests.embedding.wheels import no_model


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of a user who has no model anywhere."""
    no_model(tmp_path, monkeypatch)
    return tmp_path


def placed(directory: Path) -> Path:
    """A directory that looks like the model's."""
    directory.mkdir(parents=True)
    (directory / model.WEIGHTS).touch()
    (directory / model.TOKENIZER).touch()
    return directory


def in_hugging_face(cache: Path) -> Path:
    return placed(cache / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots" / "c9745")


def in_package(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package whose import would fail."""
    package = root / "packaged_model_of_a_test"
    placed(package / "model")
    (package / "__init__.py").write_text("import torch_that_nobody_has")
    monkeypatch.syspath_prepend(root)
    monkeypatch.setattr(model, "PACKAGE", package.name)
    return package / "model"


def test_a_model_that_is_nowhere_is_one_sentence_with_the_command(nowhere: Path) -> None:
    """The user need not know what the model is for."""
    with pytest.raises(ModelNotFoundError) as caught:
        model.find()
    assert str(caught.value) == (
        "the model all-MiniLM-L6-v2 is not on this machine: run `goldfish model install`"
    )


def test_the_places_are_looked_at_in_order(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that was given, our cache, the package (not imported), Hugging Face's cache."""
    last = in_hugging_face(nowhere / "cache" / "huggingface" / "hub")
    assert model.find() == last
    third = in_package(nowhere / "site-packages", monkeypatch)
    assert model.find() == third
    second = placed(nowhere / "cache" / "goldfish" / "models" / model.NAME)
    assert model.find() == second == model.cache_directory()
    first = placed(nowhere / "mine")
    monkeypatch.setenv(model.VARIABLE, str(first))
    assert model.find() == first


def test_hugging_faces_own_variables_are_honoured(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HF_HUB_CACHE is the cache itself, HF_HOME the directory around it."""
    around = in_hugging_face(nowhere / "around" / "hub")
    monkeypatch.setenv("HF_HOME", str(nowhere / "around"))
    assert model.find() == around
    itself = in_hugging_face(nowhere / "itself")
    monkeypatch.setenv("HF_HUB_CACHE", str(nowhere / "itself"))
    assert model.find() == itself


def test_a_half_filled_directory_is_no_model(nowhere: Path) -> None:
    """What an interrupted installation leaves is passed over."""
    placed(model.cache_directory())
    (model.cache_directory() / model.WEIGHTS).unlink()
    with pytest.raises(ModelNotFoundError, match="is not on this machine"):
        model.find()


def test_a_given_path_without_a_model_is_not_passed_over(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever names a directory wants that one."""
    placed(model.cache_directory())
    monkeypatch.setenv(model.VARIABLE, str(nowhere / "typo"))
    with pytest.raises(ModelNotFoundError, match=r"typo, which has no model\.safetensors"):
        model.find()


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        (model.WEIGHTS, "flipped"),
        (model.WEIGHTS, "empty"),
        (model.TOKENIZER, "flipped"),
        (model.TOKENIZER, "cut"),
    ],
)
def test_a_damaged_file_is_an_error_and_never_a_vector(
    name: str, harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bit is enough, anywhere in it."""
    for each in (model.WEIGHTS, model.TOKENIZER):
        (tmp_path / each).symlink_to(model.find() / each)
    sound = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    flipped = bytes([sound[-1000] ^ 1])
    damaged = {"flipped": sound[:-1000] + flipped + sound[-999:], "cut": sound[:-1], "empty": b""}
    (tmp_path / name).write_bytes(damaged[harm])
    monkeypatch.setenv(model.VARIABLE, str(tmp_path))
    with pytest.raises(ModelNotFoundError, match=f"{name} is damaged .* set GOLDFISH_MODEL to"):
        MiniLM(model.find())


def test_a_damaged_cache_is_cured_by_the_command(nowhere: Path) -> None:
    """The error says so."""
    placed(model.cache_directory())
    with pytest.raises(ModelNotFoundError, match=r"is damaged .*: run `goldfish model install`$"):
        model.verify()


def test_a_file_that_cannot_be_read_is_named(nowhere: Path) -> None:
    """A directory where the weights should be, say."""
    place = placed(model.cache_directory())
    (place / model.WEIGHTS).unlink()
    (place / model.WEIGHTS).mkdir()
    with pytest.raises(ModelNotFoundError, match=r"cannot be read \(Is a directory\): run"):
        model.read(place)
