"""Compares two SQLite files and yields every change of the schema and of the rows."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from goldfish.errors import UsageError
from goldfish.snapshots.by_key import KeyComparison
from goldfish.snapshots.by_merge import MergeComparison
from goldfish.snapshots.changes import Change, Kind, RowChange, SchemaChange
from goldfish.snapshots.integrity import walk_indexes
from goldfish.snapshots.masks import Masks, StandIns
from goldfish.snapshots.reading import SCHEMAS, WAITS, open_for_reading
from goldfish.snapshots.schema import Column, Schema, Table, quote_name, read_schema


def find_differences(
    before: str | Path,
    after: str | Path,
    *,
    ignore: Iterable[str] = (),
    tables: Collection[str] = (),
    waits: float = WAITS,
) -> Iterator[Change]:
    """Yield what a reader would see differ; memory does not grow with the files.

    ``tables`` limits the comparison to these tables, ``ignore`` is as for ``Masks``. Equal files
    yield nothing; a file that cannot be read raises UnreadableError.
    """
    masks = Masks(ignore)
    with open_for_reading(Path(before), Path(after), waits=waits) as connection:
        wanted = {each.casefold() for each in tables}

        def looked_at(table: str) -> bool:
            return not masks.leave_out(table) and (not wanted or table.casefold() in wanted)

        one, other = (read_schema(connection, schema, looked_at) for schema in SCHEMAS)
        _refuse_unknown(connection, tables, {*one.tables, *other.tables})
        yield from _compare_tables(connection, one, other, masks)
        yield from _compare_rest(one, other, settings=not wanted)


def _refuse_unknown(
    connection: sqlite3.Connection, tables: Collection[str], found: Collection[str]
) -> None:
    known = {each.casefold() for each in found}
    for table in tables:
        if table.casefold() not in known:
            from goldfish.targets.lookup import suggest_name

            everything = [name for schema in SCHEMAS for name in _list_tables(connection, schema)]
            see = "neither database has it"
            raise UsageError(suggest_name("table", table, everything, see=see))


def _list_tables(connection: sqlite3.Connection, schema: str) -> list[str]:
    listed = connection.execute(f"SELECT name FROM {schema}.sqlite_master WHERE type = 'table'")
    return [name for (name,) in listed]


def _compare_tables(
    connection: sqlite3.Connection, one: Schema, other: Schema, masks: Masks
) -> Iterator[Change]:
    stand_ins = StandIns(masks)
    for name in sorted({*one.tables, *other.tables}):
        mine, theirs = one.tables.get(name), other.tables.get(name)
        if mine is None or theirs is None:
            yield _describe_whole_table(connection, mine, theirs)
            continue
        yield from _compare_definitions(mine, theirs)
        yield from _compare_rows(connection, mine, theirs, masks, stand_ins)


def _compare_rows(
    connection: sqlite3.Connection, mine: Table, theirs: Table, masks: Masks, stand_ins: StandIns
) -> Iterator[RowChange]:
    for schema, table in zip(SCHEMAS, (mine, theirs), strict=True):
        walk_indexes(connection, schema, table)
    masked = any(masks.mask(mine.name, column) for column in mine.columns)
    if mine == theirs and not masked and not mine.module:
        return KeyComparison(connection, mine).changes()
    return MergeComparison(connection, (mine, theirs), masks, stand_ins).changes()


def _describe_whole_table(
    connection: sqlite3.Connection, mine: Table | None, theirs: Table | None
) -> SchemaChange:
    table, schema = (mine, SCHEMAS[0]) if mine else (theirs, SCHEMAS[1])
    assert table is not None
    place = f"{schema}.{quote_name(table.name)}"
    (rows,) = connection.execute(f"SELECT count(*) FROM {place}").fetchone()
    kind: Kind = "removed" if mine else "added"
    return SchemaChange(kind, "table", table.name, table.name, rows=rows)


def _compare_definitions(mine: Table, theirs: Table) -> Iterator[SchemaChange]:
    before = {each.name: each for each in mine.every_column}
    after = {each.name: each for each in theirs.every_column}
    told = False
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            told = True
            yield _compare_column(mine.name, name, before.get(name), after.get(name))
    if not told and mine != theirs:
        forms = " ".join(mine.form), " ".join(theirs.form)
        yield SchemaChange("changed", "table", mine.name, mine.name, *forms)


def _compare_column(
    table: str, name: str, before: Column | None, after: Column | None
) -> SchemaChange:
    one, other = (None if each is None else _describe_column(each) for each in (before, after))
    return SchemaChange(_kind(one, other), "column", name, table, one, other)


def _describe_column(column: Column) -> str:
    words = [column.type]
    words += ["NOT NULL"] if column.not_null else []
    words += [f"DEFAULT {column.default}"] if column.default is not None else []
    words += [f"PRIMARY KEY {column.key}"] if column.key else []
    words += ["GENERATED"] if column.hidden > 1 else []
    return " ".join(filter(None, words)) or "no type"


def _compare_rest(one: Schema, other: Schema, *, settings: bool) -> Iterator[SchemaChange]:
    for kind, name in sorted({*one.rest, *other.rest}):
        before, after = one.rest.get((kind, name)), other.rest.get((kind, name))
        if before != after and (settings or kind != "setting"):
            was, now = (None if each is None else " ".join(each) for each in (before, after))
            yield SchemaChange(_kind(was, now), kind, name, "", was, now)


def _kind(before: str | None, after: str | None) -> Kind:
    if before is None:
        return "added"
    return "removed" if after is None else "changed"
