"""The schema of a database: tables with their columns, and the rest as normalised SQL."""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from goldfish.snapshots.reading import UnreadableError

SHADOWS = {  # the tables in which a virtual table keeps its data
    "fts3": ("content", "segments", "segdir", "docsize", "stat"),
    "fts4": ("content", "segments", "segdir", "docsize", "stat"),
    "fts5": ("data", "idx", "content", "docsize", "config"),
    "rtree": ("node", "parent", "rowid"),
    "rtree_i32": ("node", "parent", "rowid"),
    "geopoly": ("node", "parent", "rowid"),
}
SETTINGS = ("user_version", "application_id")  # those that an application reads and writes itself
ORDINARY, GENERATED = 0, (2, 3)
TOKEN = re.compile(
    r"""(?P<gap>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>'(?:''|[^'])*')
      | "(?P<name>(?:""|[^"])*)" | `(?P<tick>(?:``|[^`])*)` | \[(?P<bracket>[^\]]*)\]
      | (?P<word>[\w$]+) | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Column:
    """One column of a table; ``key`` is its place in the primary key, from 1, or 0."""

    name: str
    type: str
    not_null: bool
    default: str | None
    key: int
    hidden: int


@dataclass(frozen=True)
class Table:
    """One table; ``form`` is its definition without its name, white space and comments."""

    name: str
    every_column: tuple[Column, ...]
    form: tuple[str, ...]
    module: str = ""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that hold something: what is generated follows from the rest."""
        return tuple(each.name for each in self.every_column if each.hidden == ORDINARY)

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The columns of the primary key, in its order."""
        keys = [each for each in self.every_column if each.key]
        return tuple(each.name for each in sorted(keys, key=lambda each: each.key))

    @cached_property
    def without_rowid(self) -> bool:
        """Whether the primary key is the table."""
        after = self.form[len(self.form) - self.form[::-1].index(")") :] if ")" in self.form else ()
        return not self.module and "without" in after

    @cached_property
    def rowid(self) -> str | None:
        """A name by which the rowid can be had, if there is one."""
        if self.without_rowid:
            return None
        taken = {each.name.casefold() for each in self.every_column}
        return next((each for each in ("rowid", "_rowid_", "oid") if each not in taken), None)

    @cached_property
    def key_is_rowid(self) -> bool:
        """Whether the primary key is the rowid itself, which is never NULL."""
        keys = [each for each in self.every_column if each.key]
        # Only this spelling makes one; "INTEGER PRIMARY KEY DESC" is SQLite's own exception.
        return (
            len(keys) == 1
            and keys[0].type.casefold() == "integer"
            and not self.without_rowid
            and "desc" not in self.form
        )

    @cached_property
    def nullable_key(self) -> bool:
        """Whether a part of the primary key may be NULL, as SQLite allows."""
        loose = any(each.key and not each.not_null for each in self.every_column)
        return loose and not self.key_is_rowid and not self.without_rowid


@dataclass(frozen=True)
class Schema:
    """All of one database but its rows; ``rest`` holds indexes, triggers, views and settings."""

    tables: dict[str, Table]
    rest: dict[tuple[str, str], tuple[str, ...]]


def read_schema(
    connection: sqlite3.Connection, name: str, wanted: Callable[[str], bool] = bool
) -> Schema:
    """Read the schema of the database with this name on the connection, for the wanted tables."""
    made = connection.execute(
        f"SELECT type, name, tbl_name, sql FROM {name}.sqlite_master "
        "WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    tables = {each: tokenise(sql) for kind, each, _, sql in made if kind == "table"}
    shadows = {shadow for table in tables for shadow in _list_shadow_tables(table, tables[table])}
    kept = sorted(filter(wanted, set(tables) - shadows))
    rest = {
        (kind, each): tokenise(sql)
        for kind, each, of, sql in made
        if kind != "table" and wanted(of)
    }
    return Schema(
        {each: _read_table(connection, name, each, tables[each]) for each in kept},
        {**rest, **_read_settings(connection, name)},
    )


def _read_settings(
    connection: sqlite3.Connection, name: str
) -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for setting in SETTINGS:
        (value,) = connection.execute(f"PRAGMA {name}.{setting}").fetchone()
        found["setting", setting] = (str(value),)
    return found


def tokenise(sql: str) -> tuple[str, ...]:
    """Split a statement into words and signs; layout and case do not count."""
    found = []
    for match in TOKEN.finditer(sql):
        kind, text = match.lastgroup, match[match.lastgroup or 0]
        if kind == "word":
            found.append(text.casefold())
        elif kind in {"name", "tick", "bracket"}:
            found.append(f'"{text}"')
        elif kind != "gap":
            found.append(text)
    return tuple(found)


def quote_name(name: str) -> str:
    """Quote a name for SQL, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def _list_shadow_tables(table: str, words: tuple[str, ...]) -> list[str]:
    return [f"{table}_{end}" for end in SHADOWS.get(_find_module(words), ())]


def _find_module(words: tuple[str, ...]) -> str:
    if words[:2] != ("create", "virtual"):
        return ""
    return words[words.index("using") + 1].strip('"').casefold()


def _read_table(
    connection: sqlite3.Connection, schema: str, name: str, words: tuple[str, ...]
) -> Table:
    module = _find_module(words)
    if module == "fts5" and "content = ''" in " ".join(words):
        raise UnreadableError(
            f"the table {name} is an index without contents, which cannot be read back: "
            f"leave it out with ignore {name}"
        )
    try:
        found = connection.execute(f"PRAGMA {schema}.table_xinfo({quote_name(name)})").fetchall()
    except sqlite3.OperationalError as error:
        raise UnreadableError(
            f"the table {name} cannot be read ({error}): leave it out with ignore {name}"
        ) from None
    columns = tuple(
        Column(each[1], each[2], bool(each[3]), each[4], each[5], each[6]) for each in found
    )
    begin = next((i for i, word in enumerate(words) if word in {"(", "as", "using"}), 0)
    return Table(name, columns, words[begin:], module)
