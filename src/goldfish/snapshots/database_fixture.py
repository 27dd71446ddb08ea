"""The fixture ``snapshot_db``: a private SQLite file whose end is compared with a baseline."""

import os
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NoReturn, Self

import pytest

from goldfish.errors import GoldfishError, mask
from goldfish.report.sanitize import escape_controls
from goldfish.snapshots.baselines import Baseline, copy_database, replace_file, show_path
from goldfish.snapshots.diff import find_differences
from goldfish.snapshots.digest import file_hash, logical_hash
from goldfish.snapshots.reading import UnreadableError
from goldfish.snapshots.rendering import Difference

ENDING, START = ".sqlite", ".start.sqlite"


class SnapshotDB:
    """A database file of the test's own; when the test has passed, its state is compared.

    It begins as a copy of ``baseline``, or of ``<test>.start.sqlite`` beside the expected outcome
    if that is there, or as a new file. Call it to say so, before ``path`` is first used.
    """

    def __init__(self, baseline: Baseline, directory: Path, ignore: Iterable[str]) -> None:
        self._baseline = baseline
        self._file = directory / "snapshot.sqlite"
        self._ignore = list(ignore)
        self._exact = self._shared = False
        start = baseline.file(START)
        self._start = start if start.exists() else None
        self._begun = False

    def __call__(
        self,
        *,
        baseline: str | os.PathLike[str] | None = None,
        ignore: Iterable[str] = (),
        exact: bool | None = None,
        shared: bool | None = None,
    ) -> Self:
        """What the file begins as, which columns may differ, and whether the bytes count too.

        With ``shared`` the outcome is expected to be the same for all parameters of the test.
        """
        if baseline is not None:
            if self._begun:
                raise ValueError("snapshot_db(baseline=…) comes too late: call it before .path")
            self._start = Path(baseline)
        self._ignore += [ignore] if isinstance(ignore, str) else list(ignore)
        self._exact = self._exact if exact is None else exact
        self._shared = self._shared if shared is None else shared
        return self

    @property
    def path(self) -> Path:
        """The private file; it is there only if it begins as a copy."""
        if not self._begun:
            if self._start is not None:
                copy_database(self._start, self._file)
            self._begun = True
        return self._file

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def files(self) -> list[Path]:
        """The baselines that the test needs."""
        return [self._expected, self._baseline.file(START)]

    @property
    def _expected(self) -> Path:
        return self._baseline.file(ENDING, shared=self._shared)

    def settle(self) -> None:
        """Compare the state with the baseline, or with an update make it the baseline."""
        expected = self._expected
        if not self._file.exists() or not self._file.stat().st_size:
            self._fail("the test left no database: let it write to snapshot_db.path")
        try:
            problem = self._problem(expected)
            if problem and self._baseline.update:
                replace_file(expected, self._write)
            elif problem:
                self._fail(*problem)
        except GoldfishError as error:
            self._fail(str(error))

    def _problem(self, expected: Path) -> list[str]:
        """Why the state is not the expected one, in lines; none if it is."""
        accept = self._baseline.accept
        if not expected.exists():
            return [f"there is no baseline yet: {show_path(expected)}", f"Make it with: {accept}"]
        try:
            hashed = logical_hash(expected, ignore=self._ignore)
        except UnreadableError as error:
            return [f"the baseline cannot be used: {error}", f"Make it again with: {accept}"]
        if hashed != logical_hash(self._file, ignore=self._ignore):
            difference = Difference(find_differences(expected, self._file, ignore=self._ignore))
            if not difference.is_empty:
                return difference.render(f"the database differs from {show_path(expected)}", accept)
        return self._other_bytes(expected)

    def _other_bytes(self, expected: Path) -> list[str]:
        if not self._exact:
            return []
        self._checkpoint()
        one, other = file_hash(expected), file_hash(self._file)
        if one == other:
            return []
        return [
            f"the rows equal those of {show_path(expected)}, the bytes do not (exact=True)",
            f"  sha256 {one[:16]}… → {other[:16]}…",
            f"Accept it with: {self._baseline.accept}",
        ]

    def _checkpoint(self) -> None:
        with closing(sqlite3.connect(self._file)) as connection:
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            self._fail("the database is in use, so its bytes say nothing: close it in the test")

    def _write(self, place: Path) -> None:
        if self._exact:
            self._checkpoint()
            shutil.copyfile(self._file, place)
        else:
            copy_database(self._file, place)

    def _fail(self, first: str, *lines: str) -> NoReturn:
        fail(f"snapshot_db: {first}", *lines)


def fail(*lines: str) -> NoReturn:
    """Fail the test with these lines, whatever strangers wrote into them."""
    pytest.fail("\n".join(escape_controls(mask(line)) for line in lines), pytrace=False)
