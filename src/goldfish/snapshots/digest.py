"""The logical hash of a SQLite file: of what it says, not of how its pages lie."""

import hashlib
import marshal
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from goldfish.snapshots.masks import Masks
from goldfish.snapshots.reading import reading
from goldfish.snapshots.schema import Table, quoted, schema_of
from goldfish.snapshots.soundness import walk_indexes

AT_ONCE = 500
STABLE = 2  # this version of the format says each value in one way only, on every Python
MODULUS = 1 << 512


def logical_hash(path: str | Path, *, ignore: Iterable[str] = ()) -> str:
    """A sha256 over the schema and the rows, with their types; ``ignore`` names whole tables.

    Equal for databases that a reader cannot tell apart, whatever their page layout, journal mode,
    write-ahead log and autoincrement counters.
    """
    masks = Masks(ignore)
    with reading(Path(path)) as connection:
        schema = schema_of(connection, "main", lambda table: not masks.leave_out(table))
        total = hashlib.sha256(_said(sorted(schema.rest.items())))
        for table in schema.tables.values():
            total.update(_said([table.name, table.form, *map(_column, table.every_column)]))
            total.update(_rows(connection, table))
            walk_indexes(connection, "main", table)
    return total.hexdigest()


def file_hash(path: str | Path) -> str:
    """The sha256 of the bytes of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _column(column: Any) -> tuple[Any, ...]:
    return column.name, column.type, column.not_null, column.default, column.key, column.hidden


def _rows(connection: sqlite3.Connection, table: Table) -> bytes:
    before = connection.text_factory
    connection.text_factory = str  # several times faster, where the text is valid
    try:
        return _hashed(connection, table)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    finally:
        connection.text_factory = before
    return _hashed(connection, table)


def _hashed(connection: sqlite3.Connection, table: Table) -> bytes:
    names = ", ".join(map(quoted, table.columns))
    place = f"main.{quoted(table.name)}"
    if table.module and table.rowid:
        return _in_order(connection, f"SELECT rowid, {names} FROM {place} ORDER BY rowid")
    if table.key_is_rowid or table.without_rowid:
        keys = ", ".join(map(quoted, table.key))
        return _in_order(connection, f"SELECT {names} FROM {place} ORDER BY {keys}")
    return _in_any_order(connection, f"SELECT {names} FROM {place} NOT INDEXED")


def _in_order(connection: sqlite3.Connection, query: str) -> bytes:
    total = hashlib.sha256()
    with closing(connection.execute(query)) as cursor:
        while rows := cursor.fetchmany(AT_ONCE):
            total.update(_said(rows))
    return total.digest()


def _in_any_order(connection: sqlite3.Connection, query: str) -> bytes:
    """The sum of the rows' hashes: no index is trusted, nothing is sorted, duplicates count."""
    total, count = 0, 0
    with closing(connection.execute(query)) as cursor:
        while rows := cursor.fetchmany(AT_ONCE):
            for row in rows:
                digest = hashlib.blake2b(marshal.dumps(row, STABLE)).digest()
                total += int.from_bytes(digest, "little")
            total %= MODULUS
            count += len(rows)
    return _said([count, total.to_bytes(64, "little")])


def _said(value: Any) -> bytes:
    return marshal.dumps(value, STABLE)
