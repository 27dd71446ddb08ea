"""Compares the rows of two tables that share rowids, in SQL, one range of rowids at a time."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from goldfish.snapshots.changes import Kind, Row, RowChange
from goldfish.snapshots.equality import build_equality, list_columns
from goldfish.snapshots.masks import Value
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.schema import Table, quote_name

LEAST, MOST = -(2**63), 2**63 - 1  # of all rowids
NOTES = "temp.goldfish_places"
RANGE = 1_000  # rows: few enough that SQLite still has their pages cached for the second look


class RowidComparison:
    """One table in the two databases of a connection, with a rowid that can be named."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection, self._table = connection, table
        self._mine, self._theirs = (f"{schema}.{quote_name(table.name)}" for schema in SCHEMAS)
        self._place = quote_name(table.key[0]) if table.key_is_rowid else table.rowid

    def changes(self) -> Iterator[RowChange]:
        """Yield the change of each row, if the rowid is the primary key."""
        width = len(self._table.columns)
        sides = f"{list_columns(self._table, 'a')}, {list_columns(self._table, 'b')}"
        nothing = ", ".join(["NULL"] * width)
        for here, there, *values in self._find_differing(
            sides, f"{nothing}, {list_columns(self._table, 'b')}"
        ):
            yield self._make_change(
                values[:width] if here else None, values[width:] if there else None
            )

    def note_differing(self) -> str:
        """Note the differing rowids in a temporary table; return a condition that selects them."""
        run = self._connection.execute
        run(f"CREATE TABLE IF NOT EXISTS {NOTES} (place INTEGER PRIMARY KEY)")
        run(f"DELETE FROM {NOTES}")
        places = self._find_differing(f"a.{self._place}", f"b.{self._place}")
        note = f"INSERT INTO {NOTES} VALUES (?)"
        self._connection.executemany(note, ((place,) for _, _, place in places))
        return f"{self._place} IN (SELECT place FROM {NOTES})"

    def _find_differing(self, both: str, alone: str) -> Iterator[Any]:
        """Yield, for each rowid that differs, whether each side has a row there, and its columns.

        ``both`` is selected where the first table has a row, ``alone`` where only the second has.
        """
        for low, high, count in self._list_ranges():
            differ = False
            for found in self._select_differing(both, low, high):
                differ = True
                yield found
            if differ or self._count(low, high) != count:
                yield from self._select_added(alone, low, high)

    def _list_ranges(self) -> Iterator[tuple[int, int, int]]:
        """Yield ranges that cover all rowids, and how many rows the first table has in each."""
        rows = f"SELECT {self._place} AS place FROM {self._mine} WHERE {self._place} >= ?"
        ask = f"SELECT max(place), count(*) FROM ({rows} ORDER BY 1 LIMIT {RANGE})"
        low = LEAST
        while low <= MOST:
            high, count = self._connection.execute(ask, (low,)).fetchone()
            high = high if count == RANGE else MOST
            yield low, high, count
            low = high + 1

    def _select_differing(self, asked: str, low: int, high: int) -> Iterator[Any]:
        there = f"b.{self._place}"
        query = (
            f"SELECT TRUE, {there} IS NOT NULL, {asked} FROM {self._mine} a "
            f"LEFT JOIN {self._theirs} b ON a.{self._place} = {there} "
            f"WHERE a.{self._place} BETWEEN ? AND ? "
            f"AND ({there} IS NULL OR NOT ({build_equality(self._table, 'a', 'b')}))"
        )
        return self._connection.execute(query, (low, high))

    def _count(self, low: int, high: int) -> int:
        query = f"SELECT count(*) FROM {self._theirs} WHERE {self._place} BETWEEN ? AND ?"
        (count,) = self._connection.execute(query, (low, high)).fetchone()
        return int(count)

    def _select_added(self, asked: str, low: int, high: int) -> Iterator[Any]:
        twin = f"SELECT 1 FROM {self._mine} a WHERE a.{self._place} = b.{self._place}"
        query = (
            f"SELECT FALSE, TRUE, {asked} FROM {self._theirs} b "
            f"WHERE b.{self._place} BETWEEN ? AND ? AND NOT EXISTS ({twin})"
        )
        return self._connection.execute(query, (low, high))

    def _make_change(self, before: list[Value] | None, after: list[Value] | None) -> RowChange:
        one, other = (self._row(values) for values in (before, after))
        row = other if other is not None else one
        assert row is not None
        kind: Kind = "added" if one is None else "removed" if other is None else "changed"
        key = {name: row[name] for name in self._table.key}
        return RowChange(kind, self._table.name, key, one, other)

    def _row(self, values: list[Value] | None) -> Row | None:
        return None if values is None else dict(zip(self._table.columns, values, strict=True))
