"""The examination of a SQLite file: its settings, its surroundings, and whether it is consistent.

Observations are settings, sizes and counts; nothing that is stored is part of them.
"""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldfish.encoding import decode_messages, decode_value
from goldfish.errors import MemoryStoreError
from goldfish.stores.facts.encoding import build_fact, decode_links
from goldfish.stores.observation import Observation
from goldfish.stores.sqlite.errors import is_busy
from goldfish.stores.sqlite.file import LOG_BYTES, SQLiteFile
from goldfish.stores.sqlite.invariants import INVARIANTS, REPAIR, RESTORE
from goldfish.stores.sqlite.lanes import SQLiteLanes
from goldfish.stores.sqlite.quick import TooManyRowsError
from goldfish.stores.sqlite.schema import MIGRATIONS
from goldfish.stores.sqlite.transactions import at_one_moment

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = re.compile(
    r"(fuse\.)?(9p|afs|beegfs|ceph|cifs|davfs2?|glusterfs|gpfs|lustre|ncpfs|nfs4?|ocfs2|s3fs"
    r"|smb3|smbfs|sshfs)"
)
LITTLE_SPACE = 100 << 20
PERMISSIONS = "file permissions"


async def examine(lanes: SQLiteLanes, repair: bool) -> list[Observation]:
    """Look at the file of these lanes; mend what can be mended without losing anything."""

    def look(connection: sqlite3.Connection, most: int | None) -> list[Observation]:
        if most is not None:  # not in the caller's thread: this takes a while
            raise TooManyRowsError
        with at_one_moment(connection):
            return [*_examine_settings(connection, lanes.file), *_examine_contents(connection)]

    observations = await lanes.read(look)
    if not repair or not any(each.repairable for each in observations):
        return observations
    mended = set(await lanes.write(_repair))
    if any(each.subject == PERMISSIONS and each.repairable for each in observations):
        _restrict_to_owner(lanes.file)
        mended.add(PERMISSIONS)
    return [replace(each, repaired=each.subject in mended) for each in observations]


def _examine_settings(connection: sqlite3.Connection, file: SQLiteFile) -> Iterator[Observation]:
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    yield _judge(
        "journal mode",
        mode == "wal",
        f"journal_mode is {mode}",
        "keep the file on a disk of this machine: SQLite cannot keep a write-ahead log here",
    )
    (level,) = connection.execute("PRAGMA synchronous").fetchone()
    yield _judge(
        "durability",
        level >= 2,
        f"synchronous is {level}: " + ("each commit is synced" if level >= 2 else "not synced"),
        "open the file by this store, which syncs each commit",
    )
    (version,) = connection.execute("SELECT version FROM goldfish_schema").fetchone()
    yield Observation("schema", "ok", f"version {version} of {len(MIGRATIONS)}")
    yield from _examine_surroundings(file)


def _examine_surroundings(file: SQLiteFile) -> Iterator[Observation]:
    kind = file_system(file.path, MOUNTS.read_text("utf-8")) if MOUNTS.exists() else None
    if kind is not None:
        yield _judge(
            "file system",
            not NETWORK.fullmatch(kind),
            f"the file is on {kind}",
            "move it to a disk of this machine: locks over a network lose data",
        )
    open_to_others = [path for path in _existing_files(file) if _mode(path) & 0o077]
    yield replace(
        _judge(
            PERMISSIONS,
            not open_to_others,
            f"mode {_mode(file.path):04o}"
            + (f", {len(open_to_others)} files are open to others" if open_to_others else ""),
            f"run chmod 600, or {REPAIR}",
        ),
        repairable=bool(open_to_others),
    )
    free = shutil.disk_usage(file.path.parent).free
    size = sum(os.stat(path).st_size for path in _existing_files(file))
    yield _judge(
        "disk space",
        free > max(LITTLE_SPACE, size // 10),
        f"{free >> 20} MB are free, the file takes {size >> 20} MB",
        "free some space: a full disk refuses writes",
    )
    log = sum(os.stat(path).st_size for path in _existing_files(file) if path.name.endswith("-wal"))
    yield _judge(
        "write-ahead log",
        log <= LOG_BYTES,
        f"{log >> 20} MB",
        "end the reader, a backup for example, that keeps it from being emptied",
    )


def _examine_contents(connection: sqlite3.Connection) -> Iterator[Observation]:
    problems = _quick_check(connection)
    yield _count("pages", problems, "problems found by quick_check", RESTORE)
    if problems:
        return  # what cannot be read cannot be counted either
    for each in INVARIANTS:
        (count,) = connection.execute(each.wrong).fetchone()
        observation = _count(each.subject, count, each.detail, each.advice)
        yield replace(observation, repairable=bool(count and each.repair))
    for subject, tables in _READABLE.items():
        damaged = sum(_count_unreadable(connection, *each) for each in tables)
        yield _count(f"readable {subject}", damaged, f"{subject} cannot be read", RESTORE)


def _quick_check(connection: sqlite3.Connection) -> int:
    try:
        rows = connection.execute("PRAGMA quick_check").fetchall()
    except sqlite3.DatabaseError as error:
        if is_busy(error):
            raise
        return 1
    return sum(row != ("ok",) for row in rows)


def _count_unreadable(
    connection: sqlite3.Connection, table: str, columns: str, decode: "Decode"
) -> int:
    """Return how many rows of the table have columns that cannot be decoded."""
    rows = connection.execute(f"SELECT {columns} FROM goldfish_{table}")
    return sum(not _is_readable(decode, row) for row in rows)


def _is_readable(decode: "Decode", row: tuple[Any, ...]) -> bool:
    try:
        decode(*row)
    except (MemoryStoreError, ValueError, TypeError, AttributeError):
        return False
    return True


def _decode_message(body: str) -> object:
    return decode_messages([body])


def _decode_fact(base: str, said: str, near: str) -> object:
    return build_fact("", "", base, said), decode_links(near)


Decode = Callable[..., object]
_READABLE: dict[str, list[tuple[str, str, Decode]]] = {  # tables and columns, by what they hold
    "messages": [(table, "body", _decode_message) for table in ("messages", "archive", "kept")],
    "facts": [("facts", "base, said, near", _decode_fact)],
    "values": [(table, "value", decode_value) for table in ("state", "user_state")],
}


def _repair(connection: sqlite3.Connection) -> list[str]:
    """Repair in one transaction what is wrong at this moment; return the subjects."""
    mended = []
    for each in INVARIANTS:
        if each.repair and connection.execute(each.wrong).fetchone() != (0,):
            for statement in each.repair:
                connection.execute(statement)
            mended.append(each.subject)
    return mended


def _restrict_to_owner(file: SQLiteFile) -> None:
    for path in _existing_files(file):
        os.chmod(path, _mode(path) & ~0o077)


def _existing_files(file: SQLiteFile) -> list[Path]:
    """Return the database, its log and its index, as far as they are there."""
    paths = (Path(f"{file.path}{suffix}") for suffix in ("", "-wal", "-shm"))
    return [path for path in paths if path.exists()]


def _mode(path: Path) -> int:
    return os.stat(path).st_mode & 0o777


def file_system(path: Path, mounts: str) -> str | None:
    """Return the kind of file system that holds the path, by what Linux says is mounted."""
    holding: tuple[int, str] | None = None
    real = Path(os.path.realpath(path))
    for line in mounts.splitlines():
        fields, separator, kind = line.partition(" - ")
        parts = fields.split()
        if not separator or len(parts) < 5:
            continue
        mounted = re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), parts[4])
        if real.is_relative_to(mounted) and (holding is None or len(mounted) >= holding[0]):
            holding = len(mounted), kind.split()[0]
    return holding and holding[1]


def _judge(subject: str, fine: bool, detail: str, advice: str) -> Observation:
    if fine:
        return Observation(subject, "ok", detail)
    return Observation(subject, "warning", detail, advice)


def _count(subject: str, count: int, what: str, advice: str) -> Observation:
    if not count:
        return Observation(subject, "ok", f"0 {what}")
    return Observation(subject, "damage", f"{count} {what}", advice)
