"""The rows of two tables that have the same rowid, compared by SQLite one stretch after another."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from goldfish.snapshots.changes import Kind, Row, RowChange
from goldfish.snapshots.masks import Value
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.sameness import listed, same
from goldfish.snapshots.schema import Table, quoted

LEAST, MOST = -(2**63), 2**63 - 1  # of all rowids
NOTES = "temp.goldfish_places"
STRETCH = 1_000  # rows: so few that SQLite still has their pages when it looks at them again


class Twins:
    """One table in the two databases of a connection, with a rowid that can be named."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection, self._table = connection, table
        self._mine, self._theirs = (f"{schema}.{quoted(table.name)}" for schema in SCHEMAS)
        self._place = quoted(table.key[0]) if table.key_is_rowid else table.rowid

    def changes(self) -> Iterator[RowChange]:
        """What became of each row, if the rowid is the primary key."""
        width = len(self._table.columns)
        sides = f"{listed(self._table, 'a')}, {listed(self._table, 'b')}"
        nothing = ", ".join(["NULL"] * width)
        for here, there, *values in self._apart(sides, f"{nothing}, {listed(self._table, 'b')}"):
            yield self._change(values[:width] if here else None, values[width:] if there else None)

    def noted(self) -> str:
        """The condition that a row has no twin; SQLite keeps their places, if need be in a file."""
        run = self._connection.execute
        run(f"CREATE TABLE IF NOT EXISTS {NOTES} (place INTEGER PRIMARY KEY)")
        run(f"DELETE FROM {NOTES}")
        places = self._apart(f"a.{self._place}", f"b.{self._place}")
        note = f"INSERT INTO {NOTES} VALUES (?)"
        self._connection.executemany(note, ((place,) for _, _, place in places))
        return f"{self._place} IN (SELECT place FROM {NOTES})"

    def _apart(self, both: str, alone: str) -> Iterator[Any]:
        """Whether each side has a row in a place where they differ, and what is asked of them.

        ``both`` is asked where the first table has one, ``alone`` where only the second has.
        """
        for low, high, count in self._stretches():
            differ = False
            for found in self._differing(both, low, high):
                differ = True
                yield found
            if differ or self._count(low, high) != count:
                yield from self._added(alone, low, high)

    def _stretches(self) -> Iterator[tuple[int, int, int]]:
        """All rowids, from where to where; and how many rows the first table has there."""
        rows = f"SELECT {self._place} AS place FROM {self._mine} WHERE {self._place} >= ?"
        ask = f"SELECT max(place), count(*) FROM ({rows} ORDER BY 1 LIMIT {STRETCH})"
        low = LEAST
        while low <= MOST:
            high, count = self._connection.execute(ask, (low,)).fetchone()
            high = high if count == STRETCH else MOST
            yield low, high, count
            low = high + 1

    def _differing(self, asked: str, low: int, high: int) -> Iterator[Any]:
        there = f"b.{self._place}"
        query = (
            f"SELECT TRUE, {there} IS NOT NULL, {asked} FROM {self._mine} a "
            f"LEFT JOIN {self._theirs} b ON a.{self._place} = {there} "
            f"WHERE a.{self._place} BETWEEN ? AND ? "
            f"AND ({there} IS NULL OR NOT ({same(self._table, 'a', 'b')}))"
        )
        return self._connection.execute(query, (low, high))

    def _count(self, low: int, high: int) -> int:
        query = f"SELECT count(*) FROM {self._theirs} WHERE {self._place} BETWEEN ? AND ?"
        (count,) = self._connection.execute(query, (low, high)).fetchone()
        return int(count)

    def _added(self, asked: str, low: int, high: int) -> Iterator[Any]:
        twin = f"SELECT 1 FROM {self._mine} a WHERE a.{self._place} = b.{self._place}"
        query = (
            f"SELECT FALSE, TRUE, {asked} FROM {self._theirs} b "
            f"WHERE b.{self._place} BETWEEN ? AND ? AND NOT EXISTS ({twin})"
        )
        return self._connection.execute(query, (low, high))

    def _change(self, before: list[Value] | None, after: list[Value] | None) -> RowChange:
        one, other = (self._row(values) for values in (before, after))
        row = other if other is not None else one
        assert row is not None
        kind: Kind = "added" if one is None else "removed" if other is None else "changed"
        key = {name: row[name] for name in self._table.key}
        return RowChange(kind, self._table.name, key, one, other)

    def _row(self, values: list[Value] | None) -> Row | None:
        return None if values is None else dict(zip(self._table.columns, values, strict=True))
