"""Opens SQLite files as a reader would, without changing them or leaving files behind."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from goldfish.errors import UsageError

MAGIC = b"SQLite format 3\x00"
WAL_VERSION = 2  # in bytes 18 and 19 of the header; the newest that SQLite has ever written
SCHEMAS = ("main", "goldfish_other")  # the names by which one connection knows the files
WAITS = 2.0  # seconds for a lock that somebody else holds
SIDECARS = ("-wal", "-journal")


class UnreadableError(UsageError):
    """A file cannot be read as a SQLite database."""


@contextlib.contextmanager
def open_for_reading(*paths: Path, waits: float = WAITS) -> Iterator[sqlite3.Connection]:
    """Open one connection in one read transaction on one or two files, named as in ``SCHEMAS``.

    A lock, damage or a foreign format that shows only later raises UnreadableError too.
    """
    with contextlib.ExitStack() as stack:
        uris = [stack.enter_context(_find_readable_uri(path, waits)) for path in paths]
        connection = stack.enter_context(contextlib.closing(_connect(uris[0], waits)))
        try:
            _prepare(connection, uris)
            yield connection
        except sqlite3.Error as error:
            raise UnreadableError(_explain_error(_find_culprit(connection, paths), error)) from None


def _prepare(connection: sqlite3.Connection, uris: list[str]) -> None:
    if len(uris) > 1:
        connection.execute(f"ATTACH ? AS {SCHEMAS[1]}", (uris[1],))
    connection.execute("PRAGMA trusted_schema=OFF")  # run nothing that a foreign schema calls
    connection.execute("PRAGMA cell_size_check=ON")
    connection.execute("BEGIN")
    for schema in SCHEMAS[: len(uris)]:
        connection.execute(f"SELECT count(*) FROM {schema}.sqlite_master").fetchone()


def _connect(uri: str, waits: float) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=waits, isolation_level=None)
    connection.text_factory = _decode_text
    return connection


def _decode_text(stored: bytes) -> str:
    """Decode text; bytes that are not valid UTF-8 survive and stay distinct."""
    return stored.decode("utf-8", "surrogateescape")


@contextlib.contextmanager
def _find_readable_uri(path: Path, waits: float) -> Iterator[str]:
    """Yield a URI under which the file can be read: itself, or a private copy of it."""
    in_wal_mode = _refuse_unusable(path)
    if in_wal_mode and not any(_locate_sidecar(path, end).exists() for end in ("-wal", "-shm")):
        # Nobody has it open and all is in the file; a plain opening would leave two files there.
        yield _build_uri(path, "immutable=1")
        return
    failure = _find_failure(_build_uri(path, "mode=ro"), waits)
    if failure is None:
        yield _build_uri(path, "mode=ro")
    elif _get_primary_code(failure) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}:
        with _copy_quietly(
            path, failure
        ) as copy:  # what must be recovered first is recovered there
            yield _build_uri(copy, "mode=rw")
    else:
        raise UnreadableError(_explain_error(path, failure))


def _refuse_unusable(path: Path) -> bool:
    """Raise unless the file begins as a database does; return True if it is in WAL mode."""
    header = _read_header(path)
    if not header:
        return False  # what SQLite makes of a new file before anything is written
    if not header.startswith(MAGIC) or len(header) < 100:
        raise UnreadableError(_explain_not_sqlite(path))
    if _is_cut_short(path, header):
        raise UnreadableError(f"{path} is damaged (its end is missing): restore it")
    if header[19] > WAL_VERSION:
        raise UnreadableError(_explain_too_new(path, f"format version {header[19]}"))
    return header[19] == WAL_VERSION


def _is_cut_short(path: Path, header: bytes) -> bool:
    """Return True if pages are missing: SQLite reads the missing part of a page as zeros."""
    if header[24:28] != header[92:96] or any(
        _locate_sidecar(path, end).exists() for end in SIDECARS
    ):
        return False  # the number of pages is in a journal, or was never written
    size, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
    return path.stat().st_size < pages * (65_536 if size == 1 else size)


def _read_header(path: Path) -> bytes:
    if path.is_dir():
        raise UnreadableError(f"{path} is a directory: name a SQLite file")
    if path.exists() and not path.is_file():  # to open a pipe would wait for ever
        raise UnreadableError(f"{path} is not a file: name a SQLite file")
    try:
        with path.open("rb") as file:
            return file.read(100)
    except FileNotFoundError:
        raise UnreadableError(f"{path} does not exist: check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableError(f"{path} cannot be read ({reason}): check the path") from None


def _find_failure(uri: str, waits: float) -> sqlite3.Error | None:
    try:
        with contextlib.closing(_connect(uri, waits)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return error
    return None


@contextlib.contextmanager
def _copy_quietly(path: Path, failure: sqlite3.Error) -> Iterator[Path]:
    """Yield a private copy with its journals; raise if the file changed while it was copied."""
    import shutil  # these two take longer to import than a small comparison takes
    import tempfile

    with tempfile.TemporaryDirectory(prefix="goldfish-") as directory:
        copy = Path(directory, "copy.db")
        before = _read_file_state(path)
        try:
            shutil.copyfile(path, copy)
            for end in SIDECARS:
                if _locate_sidecar(path, end).is_file():
                    shutil.copyfile(_locate_sidecar(path, end), f"{copy}{end}")
        except OSError:
            raise UnreadableError(_explain_error(path, failure)) from None
        if _read_file_state(path) != before:
            raise UnreadableError(
                f"{path} is being written and cannot be shared ({failure}): try again later"
            )
        if (again := _find_failure(_build_uri(copy, "mode=rw"), WAITS)) is not None:
            raise UnreadableError(_explain_error(path, again))
        yield copy


def _read_file_state(path: Path) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for each in (path, *(_locate_sidecar(path, end) for end in SIDECARS)):
        try:
            status = each.stat()
            found.append((status.st_size, status.st_mtime_ns))
        except OSError:
            found.append(None)
    return found


def _locate_sidecar(path: Path, end: str) -> Path:
    return Path(f"{os.path.realpath(path)}{end}")  # SQLite follows links before it names them


def _build_uri(path: Path, how: str) -> str:
    return f"file:{quote(os.fsencode(path.absolute()))}?{how}"


def _find_culprit(connection: sqlite3.Connection, paths: tuple[Path, ...]) -> Path:
    """Return which of two files an error is about: SQLite's errors do not say."""
    for schema, path in zip(SCHEMAS[1:], paths[1:], strict=False):
        try:
            found = connection.execute(f"PRAGMA {schema}.quick_check(1)").fetchone()
        except sqlite3.Error:
            return path
        if found != ("ok",):
            return path
    return paths[0]


def _get_primary_code(error: sqlite3.Error) -> int:
    return (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def _explain_error(path: Path, error: sqlite3.Error) -> str:
    """Return what is wrong with the file, and what to do."""
    code, told = _get_primary_code(error), str(error)
    if "malformed database schema" in told or "unsupported file format" in told:
        return _explain_too_new(path, told)
    if "text encoding" in told:
        return f"{path} keeps its text in another encoding: dump it into a new database first"
    if code == sqlite3.SQLITE_NOTADB:
        return _explain_not_sqlite(path)
    if code == sqlite3.SQLITE_CORRUPT:
        return f"{path} is damaged ({told}): restore it, or try `sqlite3 {path} .recover`"
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return f"{path} is locked by another process: try again when its transaction is over"
    if "no such collation" in told or "no such module" in told or "no such function" in told:
        return f"{path} needs what only its application has ({told}): leave the table out"
    return f"{path} cannot be read ({told}): check the file, its directory and its rights"


def _explain_not_sqlite(path: Path) -> str:
    return f"{path} is not a SQLite database, or it is encrypted: name one, or decrypt it first"


def _explain_too_new(path: Path, told: str) -> str:
    return (
        f"{path} is newer than SQLite {sqlite3.sqlite_version} or damaged ({told}): "
        "use a Python with a newer SQLite"
    )
