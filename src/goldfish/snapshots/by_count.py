"""Compares rows without a key, by counting how many equal rows each side has."""

import sqlite3
from collections.abc import Iterator

from goldfish.snapshots.changes import RowChange
from goldfish.snapshots.equality import list_columns
from goldfish.snapshots.reading import SCHEMAS
from goldfish.snapshots.schema import Table, quote_name


def count_surplus_rows(
    connection: sqlite3.Connection, table: Table, condition: str
) -> Iterator[RowChange]:
    """Yield the rows that one database has more of, among those that fulfil a condition."""
    for more, *values in connection.execute(_build_query(table, condition)):
        row = dict(zip(table.columns, values, strict=True))
        if more > 0:
            yield RowChange("removed", table.name, {}, row, None, more)
        else:
            yield RowChange("added", table.name, {}, None, row, -more)


def _build_query(table: Table, condition: str) -> str:
    """Build the query that counts a row of one side as 1, of the other as -1, and sums them."""
    columns, count = list_columns(table), _find_free_name(table)
    rows = " UNION ALL ".join(
        f"SELECT {columns}, {one} FROM {schema}.{quote_name(table.name)} WHERE {condition}"
        for schema, one in zip(SCHEMAS, (1, -1), strict=True)
    )
    return (
        f"WITH heap ({columns}, {count}) AS ({rows}) SELECT sum({count}), {columns} FROM heap "
        f"GROUP BY {', '.join(_list_grouping_terms(table))} HAVING sum({count}) <> 0"
    )


def _list_grouping_terms(table: Table) -> list[str]:
    """List the terms by which equal rows are grouped, to the type and case of each value."""
    names = [quote_name(name) for name in table.columns]
    values = [f"+{name} COLLATE BINARY" for name in names]
    return [*values, *(f"typeof({name})" for name in names)]


def _find_free_name(table: Table) -> str:
    name = "goldfish_n"
    while name in {each.casefold() for each in table.columns}:
        name += "_"
    return name
