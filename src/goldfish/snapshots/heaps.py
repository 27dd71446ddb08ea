"""Rows that nothing but their contents tells apart: how many more of each there are."""

import sqlite3
from collections.abc import Iterator

from goldfish.snapshots.changes import RowChange
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.sameness import listed
from goldfish.snapshots.schema import Table, quoted


def heaps(connection: sqlite3.Connection, table: Table, condition: str) -> Iterator[RowChange]:
    """What one of two databases has more of, among the rows that fulfil a condition."""
    for more, *values in connection.execute(_query(table, condition)):
        row = dict(zip(table.columns, values, strict=True))
        if more > 0:
            yield RowChange("removed", table.name, {}, row, None, more)
        else:
            yield RowChange("added", table.name, {}, None, row, -more)


def _query(table: Table, condition: str) -> str:
    """The rows of both sides, those of the other counted as -1, and what is left in the sum."""
    columns, count = listed(table), _free_name(table)
    rows = " UNION ALL ".join(
        f"SELECT {columns}, {one} FROM {schema}.{quoted(table.name)} WHERE {condition}"
        for schema, one in zip(SCHEMAS, (1, -1), strict=True)
    )
    return (
        f"WITH heap ({columns}, {count}) AS ({rows}) SELECT sum({count}), {columns} FROM heap "
        f"GROUP BY {', '.join(_exactly(table))} HAVING sum({count}) <> 0"
    )


def _exactly(table: Table) -> list[str]:
    """What rows have in common that are the same, to the type and case of each value."""
    names = [quoted(name) for name in table.columns]
    values = [f"+{name} COLLATE BINARY" for name in names]
    return [*values, *(f"typeof({name})" for name in names)]


def _free_name(table: Table) -> str:
    name = "goldfish_n"
    while name in {each.casefold() for each in table.columns}:
        name += "_"
    return name
