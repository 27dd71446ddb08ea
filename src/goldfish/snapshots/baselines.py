"""Where the expected outcome of a test lies, and how it is put there: whole or not at all."""

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

from goldfish.snapshots.reading import reading

FOLDER = "__snapshots__"
UPDATE = "--snapshot-update"
LONGEST = 100  # characters of a name, as some file systems allow little more
ENDINGS = (".sqlite", ".goldfish")  # no other plugin's, as folders are shared


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
        """One of its files, or of those that it shares with all its parameters."""
        stem = self.shared_stem if shared else self.stem
        return stem.with_name(stem.name + ending)

    @property
    def accept(self) -> str:
        """The command that accepts what the test did."""
        return f"{self.again} {UPDATE}"


def stem_of(test_file: Path, name: str) -> Path:
    """``__snapshots__/<test file>/<test>`` beside the file, for the part of a node id after it."""
    return test_file.parent / FOLDER / test_file.stem / _safe(name.replace("::", "."))


def shared_stem_of(test_file: Path, name: str) -> Path:
    """The same for a test and all its parameters."""
    return stem_of(test_file, name.partition("[")[0])


def command(test_file: Path, name: str, started_in: Path) -> str:
    """How pytest runs this test alone, from where it was started."""
    return f"pytest {shlex.quote(f'{os.path.relpath(test_file, started_in)}::{name}')}"


def told(path: Path) -> str:
    """A path as people type it from where they are."""
    near = os.path.relpath(path)
    return near if not near.startswith("..") else str(path)


def keep(path: Path, write: Callable[[Path], None]) -> None:
    """Let a new file be written, and put it in the place of the old one in one step."""
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
    """A copy of what a reader of the source would see, page by page."""
    with reading(source) as connection, closing(sqlite3.connect(destination)) as copy:
        copy.execute("PRAGMA synchronous=OFF")  # what a power cut takes can be copied again
        connection.backup(copy)


def _safe(name: str) -> str:
    """The name for a file; what must be changed for that is told apart by a piece of hash."""
    _, _, parameters = name.partition("[")
    plain = re.sub(r"[^\w.\-\[\]]", "_", name, flags=re.ASCII)[:LONGEST].rstrip(".")
    if plain == name and parameters == parameters.lower():  # some file systems know no case
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain}-{digest[:8]}"
