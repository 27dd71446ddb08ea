"""Compares the rows of two tables of one form by primary key, in SQL: Python sees what differs."""

import sqlite3
from collections.abc import Iterator, Sequence

from goldfish.snapshots.by_count import count_surplus_rows
from goldfish.snapshots.by_rowid import RowidComparison
from goldfish.snapshots.changes import Row, RowChange
from goldfish.snapshots.equality import build_equality, list_columns
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.schema import Table, quote_name


class KeyComparison:
    """One table in the two databases of a connection."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection = connection
        self._table = table
        self._mine, self._theirs = (f"{schema}.{quote_name(table.name)}" for schema in SCHEMAS)
        self._suspect = "TRUE"

    def changes(self) -> Iterator[RowChange]:
        """Yield the changes: by primary key where there is one, else by counting equal rows."""
        if self._table.key_is_rowid:
            yield from RowidComparison(self._connection, self._table).changes()
            return
        if self._table.rowid:  # what lies in the same place on both sides need not be looked up
            self._suspect = RowidComparison(self._connection, self._table).note_differing()
        if self._table.key:
            yield from self._find_matched()
            yield from self._find_added()
        if not self._table.key or self._table.nullable_key:
            yield from count_surplus_rows(self._connection, self._table, self._without_key())

    def _find_matched(self) -> Iterator[RowChange]:
        """Yield the rows that were removed or changed."""
        key = f"b.{quote_name(self._table.key[0])}"
        query = (
            f"SELECT {key} IS NOT NULL, "
            f"{list_columns(self._table, 'a')}, {list_columns(self._table, 'b')} "
            f"FROM {self._mine} a LEFT JOIN {self._theirs} b ON {self._same_key()} "
            f"WHERE {self._with_key('a')} "
            f"AND ({key} IS NULL OR NOT ({build_equality(self._table, 'a', 'b')}))"
        )
        width = len(self._table.columns)
        for found, *values in self._connection.execute(query):
            before = self._row(values[:width])
            if found:
                after = self._row(values[width:])
                yield RowChange("changed", self._table.name, self._key(after), before, after)
            else:
                yield RowChange("removed", self._table.name, self._key(before), before, None)

    def _find_added(self) -> Iterator[RowChange]:
        query = (
            f"SELECT {list_columns(self._table, 'b')} FROM {self._theirs} b "
            f"WHERE {self._with_key('b')} "
            f"AND NOT EXISTS (SELECT 1 FROM {self._mine} a WHERE {self._same_key()})"
        )
        for values in self._connection.execute(query):
            row = self._row(values)
            yield RowChange("added", self._table.name, self._key(row), None, row)

    def _same_key(self) -> str:
        return " AND ".join(
            f"a.{quote_name(each)} = b.{quote_name(each)}" for each in self._table.key
        )

    def _with_key(self, side: str) -> str:
        # The plus sign keeps SQLite from walking along an index instead of the table.
        full = [f"+{side}.{quote_name(each)} IS NOT NULL" for each in self._table.key]
        place = f"{side}.{self._suspect}" if self._table.rowid else self._suspect
        return " AND ".join([place, *full])

    def _without_key(self) -> str:
        missing = [f"{quote_name(each)} IS NULL" for each in self._table.key]
        return f"{self._suspect} AND ({' OR '.join(missing) or 'TRUE'})"

    def _row(self, values: Sequence[object]) -> Row:
        return dict(zip(self._table.columns, values, strict=True))  # type: ignore[arg-type]

    def _key(self, row: Row) -> Row:
        return {name: row[name] for name in self._table.key}
