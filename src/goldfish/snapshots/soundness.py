"""A look at what a comparison of rows never reads: damage there must not pass for the same."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from goldfish.snapshots.schema import Table, quoted

STRUCTURE = "*** in database"  # how SQLite begins to tell of pages that make no sense


def walk_indexes(connection: sqlite3.Connection, schema: str, table: Table) -> None:
    """Let SQLite read every page of the table's indexes; it raises what it finds."""
    if table.module:
        return
    for query in _queries(connection, schema, quoted(table.name)):
        (found, *_) = _answer(connection, query) or [None]
        if isinstance(found, str) and found.startswith(STRUCTURE):
            error = sqlite3.DatabaseError("an index is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error


def _queries(connection: sqlite3.Connection, schema: str, table: str) -> Iterator[str]:
    listed = connection.execute(f"PRAGMA {schema}.index_list({table})").fetchall()
    for _, index, _, _, partial in listed:
        if partial:  # no query but one with the same condition may use it
            yield f"PRAGMA {schema}.quick_check({table})"
        else:
            yield f"SELECT count(*) FROM {schema}.{table} INDEXED BY {quoted(index)}"


def _answer(connection: sqlite3.Connection, query: str) -> tuple[Any, ...] | None:
    try:
        row: tuple[Any, ...] | None = connection.execute(query).fetchone()
        return row
    except sqlite3.OperationalError as error:
        if "no such" in str(error):  # a collation or function that only strangers have
            return None
        raise
