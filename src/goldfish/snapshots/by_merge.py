"""Compares rows in Python: for masked columns, virtual tables and changed definitions."""

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import Any

from goldfish.snapshots.changes import Kind, Row, RowChange, is_different
from goldfish.snapshots.masks import Masks, StandIn, StandIns, Value
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.schema import Table, quote_name

ENCODINGS = {"UTF-8": "utf-8", "UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}
HIDDEN = StandIn("<any>")


class MergeComparison:
    """One table in the two databases of a connection, as two streams of rows in one order.

    Rows are matched by the primary key; if that is masked, differs or is not there, by all that
    both have and is not masked.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        tables: tuple[Table, Table],
        masks: Masks,
        stand_ins: StandIns,
    ) -> None:
        self._connection, self._tables = connection, tables
        self._name = tables[0].name
        self._masks, self._stand_ins = masks, stand_ins
        self._rowid = "rowid" if tables[0].module and tables[0].rowid else ""
        theirs = set(tables[1].columns)
        self._columns = [name for name in tables[0].columns if name in theirs]
        self._kinds = self._masked_columns()
        self._by = self._choose_identity()
        (name,) = connection.execute("PRAGMA encoding").fetchone()
        self._encoding = ENCODINGS[name]

    def changes(self) -> Iterator[RowChange]:
        """Walk through both streams and yield changes; rows with the same identity are one row."""
        with closing(self._stream(0)) as mine, closing(self._stream(1)) as theirs:
            one, other = next(mine, None), next(theirs, None)
            while one is not None or other is not None:
                if other is None or (one is not None and one[0] < other[0]):
                    assert one is not None
                    yield self._make_one_sided("removed", 0, one[1])
                    one = next(mine, None)
                elif one is None or one[0] > other[0]:
                    yield self._make_one_sided("added", 1, other[1])
                    other = next(theirs, None)
                else:
                    yield from self._compare(one[1], other[1])
                    one, other = next(mine, None), next(theirs, None)

    def _masked_columns(self) -> dict[str, str]:
        """Return the kind of the values of each masked column; empty where any value matches."""
        named = [name for name in self._columns if self._masks.mask(self._name, name)]
        referring = self._stand_ins.kinds(self._connection, SCHEMAS[0], self._name) if named else {}
        return {
            name: ""
            if self._masks.hide(self._name, name)
            else referring.get(name.casefold(), name.casefold())
            for name in named
        }

    def _choose_identity(self) -> list[str]:
        if self._rowid:
            return []
        mine, theirs = (table.key for table in self._tables)
        if mine and mine == theirs and not self._kinds.keys() & set(mine):
            return [name for name in mine if name in self._columns]
        return [name for name in self._columns if name not in self._kinds]

    def _stream(self, side: int) -> Generator[tuple[tuple[Any, ...], list[Value]], None, None]:
        table = self._tables[side]
        names = [*([self._rowid] if self._rowid else []), *map(quote_name, self._columns)]
        query = (
            f"SELECT {', '.join(names) or '1'} FROM {SCHEMAS[side]}.{quote_name(self._name)} "
            f"ORDER BY {', '.join(self._order(table)) or '1'}"
        )
        places = [names.index(quote_name(name)) for name in self._by] if not self._rowid else [0]
        with closing(self._connection.execute(query)) as cursor:
            for row in cursor:
                yield tuple(self._rank(row[place]) for place in places), list(row)

    def _order(self, table: Table) -> list[str]:
        """Return the sort terms: the identity, then the rowid or all columns."""
        if self._rowid:
            return [self._rowid]
        terms = [f"+{quote_name(name)} COLLATE BINARY" for name in self._by]
        rest = [table.rowid] if table.rowid else [f"+{quote_name(name)}" for name in self._columns]
        return [*terms, *rest]

    def _rank(self, value: Value) -> tuple[int, Any]:
        """Return a key that sorts as SQLite does: NULL, numbers, text by its bytes, blobs."""
        if value is None:
            return 0, 0
        if isinstance(value, str):
            return 2, _encode_text(value, self._encoding)
        return (3, value) if isinstance(value, bytes) else (1, value)

    def _compare(self, before: list[Value], after: list[Value]) -> Iterator[RowChange]:
        # Compare all of them, even after a difference: each pair of masked values is learnt from.
        same = [self._same(*each) for each in zip(self._all(), before, after, strict=True)]
        if all(same):
            return
        one, other = self._row(0, before), self._row(1, after)
        key = {name: other[name] for name in self._key_names()}
        yield RowChange("changed", self._name, key, one, other)

    def _same(self, name: str, before: Value, after: Value) -> bool:
        if name not in self._kinds:
            return not is_different(before, after)
        kind = self._kinds[name]
        return not kind or self._stand_ins.pair(kind, before, after)

    def _make_one_sided(self, kind: Kind, side: int, values: Sequence[Value]) -> RowChange:
        row = self._row(side, values)
        key = {name: row[name] for name in self._key_names()}
        sides = (row, None) if side == 0 else (None, row)
        return RowChange(kind, self._name, key, *sides)

    def _row(self, side: int, values: Sequence[Value]) -> Row:
        return {
            name: self._replace(name, side, value)
            for name, value in zip(self._all(), values, strict=True)
        }

    def _replace(self, name: str, side: int, value: Value) -> Value:
        if name not in self._kinds:
            return value
        kind = self._kinds[name]
        return self._stand_ins.replace(kind, side, value) if kind else HIDDEN

    def _key_names(self) -> list[str]:
        if self._rowid:
            return [self._rowid]
        return [name for name in self._tables[0].key if name in self._columns]

    def _all(self) -> list[str]:
        return [self._rowid, *self._columns] if self._rowid else self._columns


def _encode_text(text: str, encoding: str) -> bytes:
    if encoding == "utf-8":
        return text.encode(encoding, "surrogateescape")
    return text.encode(encoding, "surrogatepass")
