"""The logical hash of a SQLite file: of its contents, not of its page layout."""

import hashlib
import marshal
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from goldfish.snapshots.integrity import walk_indexes
from goldfish.snapshots.masks import Masks
from goldfish.snapshots.reading import open_for_reading
from goldfish.snapshots.schema import Table, quote_name, read_schema

AT_ONCE = 500
STABLE = 2  # this version of the format writes each value in one way only, on every Python
MODULUS = 1 << 512


def logical_hash(path: str | Path, *, ignore: Iterable[str] = ()) -> str:
    """Return a sha256 over the schema and the rows, with their types; ``ignore`` names tables.

    Equal for databases that a reader cannot tell apart, whatever their page layout, journal mode,
    write-ahead log and autoincrement counters.
    """
    masks = Masks(ignore)
    with open_for_reading(Path(path)) as connection:
        schema = read_schema(connection, "main", lambda table: not masks.leave_out(table))
        total = hashlib.sha256(_serialise(sorted(schema.rest.items())))
        for table in schema.tables.values():
            total.update(
                _serialise([table.name, table.form, *map(_list_attributes, table.every_column)])
            )
            total.update(_hash_rows(connection, table))
            walk_indexes(connection, "main", table)
    return total.hexdigest()


def file_hash(path: str | Path) -> str:
    """Return the sha256 of the bytes of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _list_attributes(column: Any) -> tuple[Any, ...]:
    return column.name, column.type, column.not_null, column.default, column.key, column.hidden


def _hash_rows(connection: sqlite3.Connection, table: Table) -> bytes:
    before = connection.text_factory
    connection.text_factory = str  # several times faster, where the text is valid
    try:
        return _hash_table(connection, table)
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    finally:
        connection.text_factory = before
    return _hash_table(connection, table)


def _hash_table(connection: sqlite3.Connection, table: Table) -> bytes:
    names = ", ".join(map(quote_name, table.columns))
    place = f"main.{quote_name(table.name)}"
    if table.module and table.rowid:
        return _hash_in_order(connection, f"SELECT rowid, {names} FROM {place} ORDER BY rowid")
    if table.key_is_rowid or table.without_rowid:
        keys = ", ".join(map(quote_name, table.key))
        return _hash_in_order(connection, f"SELECT {names} FROM {place} ORDER BY {keys}")
    return _hash_in_any_order(connection, f"SELECT {names} FROM {place} NOT INDEXED")


def _hash_in_order(connection: sqlite3.Connection, query: str) -> bytes:
    total = hashlib.sha256()
    with closing(connection.execute(query)) as cursor:
        while rows := cursor.fetchmany(AT_ONCE):
            total.update(_serialise(rows))
    return total.digest()


def _hash_in_any_order(connection: sqlite3.Connection, query: str) -> bytes:
    """Sum the hashes of the rows: trust no index, sort nothing, count duplicates."""
    total, count = 0, 0
    with closing(connection.execute(query)) as cursor:
        while rows := cursor.fetchmany(AT_ONCE):
            for row in rows:
                digest = hashlib.blake2b(marshal.dumps(row, STABLE)).digest()
                total += int.from_bytes(digest, "little")
            total %= MODULUS
            count += len(rows)
    return _serialise([count, total.to_bytes(64, "little")])


def _serialise(value: Any) -> bytes:
    return marshal.dumps(value, STABLE)
