"""The rows of two tables of one form, compared by SQLite itself: Python sees what differs."""

import sqlite3
from collections.abc import Iterator, Sequence

from goldfish.snapshots.changes import Row, RowChange
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.schema import Table, quoted


class Joined:
    """One table in the two databases of a connection."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection = connection
        self._table = table
        self._mine, self._theirs = (f"{schema}.{quoted(table.name)}" for schema in SCHEMAS)
        self._count_name = "goldfish_n"
        while self._count_name in {name.casefold() for name in table.columns}:
            self._count_name += "_"

    def changes(self) -> Iterator[RowChange]:
        """By the primary key where there is one, else as heaps of rows."""
        if not self._table.key:
            yield from self._heaps("")
            return
        nulls = self._has_null_keys()
        removed = 0
        for change in self._matched():
            removed += change.kind == "removed"
            yield change
        if nulls or self._count(self._theirs) - self._count(self._mine) + removed:
            yield from self._added()
        if nulls:
            yield from self._heaps(self._null_key())

    def _matched(self) -> Iterator[RowChange]:
        """Rows that are gone and rows that changed, in one pass over the first database."""
        key = f"b.{quoted(self._table.key[0])}"
        query = (
            f"SELECT {key} IS NOT NULL, {self._list('a')}, {self._list('b')} "
            f"FROM {self._mine} a LEFT JOIN {self._theirs} b ON {self._same_key()} "
            f"WHERE {self._full_key('a')} AND {self._moved()} "
            f"({key} IS NULL OR NOT ({self._same('a', 'b')}))"
        )
        width = len(self._table.columns)
        for found, *values in self._connection.execute(query):
            before = self._row(values[:width])
            if found:
                after = self._row(values[width:])
                yield RowChange("changed", self._table.name, self._key(after), before, after)
            else:
                yield RowChange("removed", self._table.name, self._key(before), before, None)

    def _added(self) -> Iterator[RowChange]:
        query = (
            f"SELECT {self._list('b')} FROM {self._theirs} b WHERE {self._full_key('b')} "
            f"AND NOT EXISTS (SELECT 1 FROM {self._mine} a WHERE {self._same_key()})"
        )
        for values in self._connection.execute(query):
            row = self._row(values)
            yield RowChange("added", self._table.name, self._key(row), None, row)

    def _heaps(self, condition: str) -> Iterator[RowChange]:
        """Rows that nothing tells apart but their contents: how many more of each there are."""
        kinds = [f"+{quoted(name)} COLLATE BINARY" for name in self._table.columns]
        kinds += [f"typeof({quoted(name)})" for name in self._table.columns]
        query = (
            f"{self._heap(condition)} SELECT sum({self._count_name}), {self._list()} FROM heap "
            f"GROUP BY {', '.join(kinds)} HAVING sum({self._count_name}) <> 0"
        )
        for count, *values in self._connection.execute(query):
            row = self._row(values)
            if count > 0:
                yield RowChange("removed", self._table.name, {}, row, None, count)
            else:
                yield RowChange("added", self._table.name, {}, None, row, -count)

    def _heap(self, condition: str) -> str:
        """All rows, those of the other side counted as -1, but for twins in the same place."""
        names = f"({self._list()}, {self._count_name})"
        rowid, number = self._table.rowid, self._count_name
        mine = f"SELECT {self._list()}, 1 FROM {self._mine}"
        theirs = f"SELECT {self._list()}, -1 FROM {self._theirs}"
        if condition or not rowid:
            where = f" WHERE {condition}" if condition else ""
            return f"WITH heap {names} AS ({mine}{where} UNION ALL {theirs}{where})"
        width = range(len(self._table.columns))
        ours, others = (", ".join(f"{side}{n}" for n in width) for side in "ab")
        return (
            f"WITH pairs (there, {ours}, {others}) AS ("
            f"SELECT b.{rowid}, {self._list('a')}, {self._list('b')} FROM {self._mine} a "
            f"LEFT JOIN {self._theirs} b ON a.{rowid} = b.{rowid} "
            f"WHERE b.{rowid} IS NULL OR NOT ({self._same('a', 'b')})), "
            f"heap {names} AS (SELECT {ours}, 1 AS {number} FROM pairs "
            f"UNION ALL SELECT {others}, -1 FROM pairs WHERE there IS NOT NULL "
            f"UNION ALL {theirs} c WHERE NOT EXISTS "
            f"(SELECT 1 FROM {self._mine} a WHERE a.{rowid} = c.{rowid}))"
        )

    def _moved(self) -> str:
        """A cheap first look at the same place, where the key needs an index of its own."""
        rowid = self._table.rowid
        if self._table.key_is_rowid or not rowid:
            return ""
        same = f"a.{rowid} = c.{rowid} AND {self._same('a', 'c')}"
        twin = f"SELECT 1 FROM {self._theirs} c WHERE {same}"
        return f"NOT EXISTS ({twin}) AND "

    def _same(self, one: str, other: str) -> str:
        """The plus sign takes away affinity; only a column without a type mixes 1 and 1.0."""
        terms = []
        for column in self._table.every_column:
            joined_by = self._table.key_is_rowid and column.key
            if column.name in self._table.columns and not joined_by:
                name = quoted(column.name)
                terms.append(f"+{one}.{name} IS +{other}.{name} COLLATE BINARY")
                if _mixes_numbers(column.type):
                    terms.append(f"typeof({one}.{name}) = typeof({other}.{name})")
        return " AND ".join(terms) or "TRUE"

    def _same_key(self) -> str:
        return " AND ".join(f"a.{quoted(each)} = b.{quoted(each)}" for each in self._table.key)

    def _full_key(self, side: str) -> str:
        # The plus sign keeps SQLite from walking along an index instead of the table.
        return " AND ".join(f"+{side}.{quoted(each)} IS NOT NULL" for each in self._table.key)

    def _null_key(self) -> str:
        return "(" + " OR ".join(f"{quoted(each)} IS NULL" for each in self._table.key) + ")"

    def _has_null_keys(self) -> bool:
        if not self._table.nullable_key:
            return False
        asked = [f"EXISTS (SELECT 1 FROM {each} WHERE {self._null_key()})" for each in self._both()]
        (found,) = self._connection.execute(f"SELECT {' OR '.join(asked)}").fetchone()
        return bool(found)

    def _both(self) -> tuple[str, str]:
        return self._mine, self._theirs

    def _count(self, place: str) -> int:
        (count,) = self._connection.execute(f"SELECT count(*) FROM {place}").fetchone()
        return int(count)

    def _list(self, side: str = "") -> str:
        dot = f"{side}." if side else ""
        return ", ".join(dot + quoted(name) for name in self._table.columns)

    def _row(self, values: Sequence[object]) -> Row:
        return dict(zip(self._table.columns, values, strict=True))  # type: ignore[arg-type]

    def _key(self, row: Row) -> Row:
        return {name: row[name] for name in self._table.key}


def _mixes_numbers(declared: str) -> bool:
    """Whether a column of this declared type keeps 1 and 1.0 apart (it has no affinity)."""
    kind = declared.upper()
    if "INT" in kind or any(each in kind for each in ("CHAR", "CLOB", "TEXT")):
        return False
    return not kind or "BLOB" in kind or kind == "ANY"
