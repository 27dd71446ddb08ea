"""Writes the rows that a message refers to, where the project's code expects to find them."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from goldfish.cli.init.calls import CallWriter
from goldfish.cli.init.parameters import Call
from goldfish.cli.init.places import Builder
from goldfish.cli.init.shapes import list_fields, parse_annotation
from goldfish.cli.init.sources import Source

DEEPEST = 4  # tables that refer to tables
VALUES = {"int": "1", "str": '"goldfish"', "bool": "True", "float": "1.0", "dict": "{}"}


@dataclass(frozen=True)
class Table:
    """A model of SQLAlchemy, and by its columns the table and the column that each refers to."""

    source: Source
    owner: ast.ClassDef
    refers: dict[str, tuple[str, str]]


def write_parents(builder: Builder, write: Call) -> list[str]:
    """Return the statements that store what the messages of a session refer to.

    Nothing if the project's own code stores it, or its messages refer to nothing.
    """
    session = write.part("session", "user")
    written = CallWriter(builder, "").identify(session, {}) if session else "session_id"
    tables = dict(_list_tables(builder))
    called = _list_named(builder, write)
    for table in tables.values():
        if table.owner.name in called:
            rows = list(_list_parents(builder, tables, table, called, written, DEEPEST))
            return list(dict.fromkeys(rows))
    return []


def _list_named(builder: Builder, write: Call) -> set[str]:
    """Return the names in what writes, and in the functions of its module that it calls."""
    functions, names, seen = [write.function], set[str](), set[str]()
    local = {each.name: each for each in ast.walk(write.source.tree)
             if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}  # fmt: skip
    while functions:
        node = functions.pop()
        calls = {ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
        names |= calls
        for each in {name.rpartition(".")[2] for name in calls} & set(local) - seen:
            seen.add(each)
            functions.append(local[each])
    return {each.rpartition(".")[2] for each in names}


def _list_tables(builder: Builder) -> Iterator[tuple[str, Table]]:
    for source in builder.sources.all:
        for owner in source.classes.values() if not source.is_test else ():
            names = [ast.literal_eval(each.value) for each in owner.body
                     if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant)
                     and ast.unparse(each.targets[0]) == "__tablename__"]  # fmt: skip
            if names:
                yield str(names[0]), Table(source, owner, dict(_list_references(owner)))


def _list_references(owner: ast.ClassDef) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the columns that must refer to another table, with its name and its column."""
    for node in owner.body:
        if not isinstance(node, ast.AnnAssign | ast.Assign) or "None" in ast.unparse(node):
            continue
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and ast.unparse(each.func).endswith("ForeignKey"):
                first = each.args[0] if each.args else None
                if isinstance(first, ast.Constant) and "." in str(first.value):
                    table, _, column = str(first.value).rpartition(".")
                    yield ast.unparse(target), (table, column)


def _list_parents(
    builder: Builder,
    tables: dict[str, Table],
    table: Table,
    called: set[str],
    written: str,
    depth: int,
) -> Iterator[str]:
    """Yield the rows that a table refers to, those first that others refer to."""
    for name, key in table.refers.values():
        parent = tables.get(name)
        if parent is None or parent.owner.name in called or not depth or parent is table:
            continue
        yield from _list_parents(builder, tables, parent, called, "", depth - 1)
        yield _write_row(builder, tables, parent, key, written)


def _write_row(
    builder: Builder, tables: dict[str, Table], table: Table, key: str, written: str
) -> str:
    given = []
    for each in list_fields(table.source, table.owner, builder.sources):
        if each.name == key:
            value = written or _make_value(builder, each.annotation)
        elif each.name in table.refers:
            named, column = table.refers[each.name]
            fields = (
                list_fields(tables[named].source, tables[named].owner, builder.sources)
                if named in tables
                else []
            )
            kinds = [field.annotation for field in fields if field.name == column]
            value = _make_value(builder, kinds[0] if kinds else each.annotation)
        else:
            value = _make_value(builder, each.annotation) if each.is_required else ""
        given += [f"{each.name}={value}"] if value else []
    model = builder.place.names.use(table.source.module, table.owner.name)
    return f"insert({model}).values({', '.join(given)}).on_conflict_do_nothing()"


def _make_value(builder: Builder, annotation: str) -> str:
    """Return a value of a column, the same each time."""
    node = parse_annotation(annotation)
    kind = ast.unparse(node).rpartition(".")[2].partition("(")[0] if node else ""
    if kind in {"UUID", "Uuid"}:
        builder.place.imports.add("import uuid")
        return "uuid.UUID(int=1)"
    if kind in {"datetime", "DateTime"}:
        builder.place.imports.add("import datetime")
        return "datetime.datetime.now(datetime.UTC)"
    kind = {"Integer": "int", "BigInteger": "int", "String": "str", "Text": "str",
            "Boolean": "bool", "JSON": "dict"}.get(kind, kind)  # fmt: skip
    return VALUES.get(kind, '"goldfish"')
