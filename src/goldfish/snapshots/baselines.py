"""Locates the expected outcome of a test, and replaces it atomically."""

import hashlib
import os
import re
import shlex
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from goldfish.snapshots.reading import open_for_reading

FOLDER = "__snapshots__"
UPDATE = "--snapshot-update"
LONGEST = 100  # characters of a name, as some file systems allow little more
ENDINGS = (".sqlite", ".goldfish")  # different from other plugins', which share the folder


@dataclass(frozen=True)
class Baseline:
    """The files of one test: a stem with one of the endings, and how to accept an outcome.

    ``shared_stem`` is that of the test without its parameters.
    """

    stem: Path
    shared_stem: Path
    again: str
    update: bool

    def file(self, ending: str, *, shared: bool = False) -> Path:
        """Return one of the test's files, or of those shared by all its parameters."""
        stem = self.shared_stem if shared else self.stem
        return stem.with_name(stem.name + ending)

    @property
    def accept(self) -> str:
        """The command that accepts the outcome of the test."""
        return f"{self.again} {UPDATE}"


def locate_baseline(test_file: Path, name: str) -> Path:
    """Return ``__snapshots__/<test file>/<test>`` beside the test file."""
    return test_file.parent / FOLDER / test_file.stem / _make_file_name(name.replace("::", "."))


def locate_shared_baseline(test_file: Path, name: str) -> Path:
    """Return the same for a test with all its parameters."""
    return locate_baseline(test_file, name.partition("[")[0])


def build_command(test_file: Path, name: str, started_in: Path) -> str:
    """Return the command that runs this test alone, from where pytest was started."""
    return f"pytest {shlex.quote(f'{os.path.relpath(test_file, started_in)}::{name}')}"


def show_path(path: Path) -> str:
    """Return the path relative to the working directory, if it is below it."""
    near = os.path.relpath(path)
    return near if not near.startswith("..") else str(path)


def replace_file(path: Path, write: Callable[[Path], None]) -> None:
    """Write a new file and put it in the place of the old one in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    os.close(handle)
    try:
        write(Path(name))
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    for end in ("-wal", "-shm", "-journal"):  # of a baseline that was edited by hand
        Path(f"{path}{end}").unlink(missing_ok=True)


def copy_database(source: Path, destination: Path) -> None:
    """Copy what a reader of the source would see, page by page."""
    with open_for_reading(source) as connection, closing(sqlite3.connect(destination)) as copy:
        copy.execute("PRAGMA synchronous=OFF")  # a copy lost to a power cut can be made again
        connection.backup(copy)


def _make_file_name(name: str) -> str:
    """Return a file name for a test name; a piece of hash keeps changed names apart."""
    _, _, parameters = name.partition("[")
    plain = re.sub(r"[^\w.\-\[\]]", "_", name, flags=re.ASCII)[:LONGEST].rstrip(".")
    if plain == name and parameters == parameters.lower():  # some file systems know no case
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain}-{digest[:8]}"
