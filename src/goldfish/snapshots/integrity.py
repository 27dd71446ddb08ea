"""Reads the indexes that a comparison of rows never touches, so that damage there is noticed."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from goldfish.snapshots.schema import Table, quote_name

STRUCTURE = "*** in database"  # how SQLite's report of a malformed page begins


def walk_indexes(connection: sqlite3.Connection, schema: str, table: Table) -> None:
    """Make SQLite read every page of the table's indexes; raise what it finds."""
    if table.module:
        return
    for query in _list_queries(connection, schema, quote_name(table.name)):
        (found, *_) = _run_query(connection, query) or [None]
        if isinstance(found, str) and found.startswith(STRUCTURE):
            error = sqlite3.DatabaseError("an index is malformed")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error


def _list_queries(connection: sqlite3.Connection, schema: str, table: str) -> Iterator[str]:
    listed = connection.execute(f"PRAGMA {schema}.index_list({table})").fetchall()
    for _, index, _, _, partial in listed:
        if partial:  # only a query with the same condition may use it
            yield f"PRAGMA {schema}.quick_check({table})"
        else:
            yield f"SELECT count(*) FROM {schema}.{table} INDEXED BY {quote_name(index)}"


def _run_query(connection: sqlite3.Connection, query: str) -> tuple[Any, ...] | None:
    try:
        row: tuple[Any, ...] | None = connection.execute(query).fetchone()
        return row
    except sqlite3.OperationalError as error:
        if "no such" in str(error):  # a collation or function that only the application has
            return None
        raise
