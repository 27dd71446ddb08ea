"""Masks for columns whose values change from run to run, and the stand-ins compared instead."""

import sqlite3
from collections.abc import Iterable
from fnmatch import fnmatchcase

from goldfish.errors import UsageError
from goldfish.snapshots.schema import quote_name

ANY = "=any"
FORM = "write table.column, as *.created_at, table.column=any, or a table alone"

Value = None | int | float | str | bytes
Sides = tuple[dict[tuple[type, Value], int], dict[tuple[type, Value], int]]


class StandIn(str):
    """What is shown and compared in place of a masked value: equal for equal values."""

    __slots__ = ()


class Masks:
    """The patterns of one comparison: which tables are left out, which columns are masked.

    ``table.column`` masks the values and keeps which of them are equal; ``table.column=any`` hides
    that too, as times need it; a pattern without a dot leaves out whole tables.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._tables: list[str] = []
        self._columns: list[str] = []
        self._hidden: list[str] = []
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            self._add(pattern)

    def _add(self, pattern: str) -> None:
        bare = pattern.strip().casefold().removesuffix(ANY)
        if not bare or bare.startswith(".") or bare.endswith("."):
            raise UsageError(f"{pattern!r} names no column to ignore: {FORM}")
        if "." not in bare:
            self._tables.append(bare)
        elif pattern.strip().casefold().endswith(ANY):
            self._hidden.append(bare)
        else:
            self._columns.append(bare)

    def leave_out(self, table: str) -> bool:
        """Return True if this table is left out."""
        return _matches(table, self._tables)

    def hide(self, table: str, column: str) -> bool:
        """Return True if any value matches any other in this column."""
        return _matches(f"{table}.{column}", self._hidden)

    def mask(self, table: str, column: str) -> bool:
        """Return True if the values of this column do not count."""
        name = f"{table}.{column}"
        return _matches(name, self._hidden) or _matches(name, self._columns)


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern) for pattern in patterns)


class StandIns:
    """The pairs of masked values of the two sides, as far as the rows have shown them.

    Columns of one name share their stand-ins, and a foreign key those of the column it refers to.
    """

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._kinds: dict[str, Sides] = {}
        self._counts: dict[str, int] = {}

    def kinds(self, connection: sqlite3.Connection, schema: str, table: str) -> dict[str, str]:
        """Return the masked columns that refer to another table, with the kind of their values."""
        listed = connection.execute(f"PRAGMA {schema}.foreign_key_list({quote_name(table)})")
        found = {}
        for _, _, parent, column, referred, *_ in listed.fetchall():
            if referred and self._masks.mask(parent, referred):
                found[column.casefold()] = referred.casefold()
        return found

    def pair(self, kind: str, before: Value, after: Value) -> bool:
        """Pair two values that stand in the same place; return False if that contradicts a pair."""
        if before is None or after is None:
            return before is after
        left, right = self._sides(kind)
        mine, theirs = left.get(_exact(before)), right.get(_exact(after))
        if mine is None and theirs is None:
            left[_exact(before)] = right[_exact(after)] = self._next(kind)
            return True
        return mine == theirs

    def replace(self, kind: str, side: int, value: Value) -> Value:
        """Return the stand-in of a value of one side, a new one if it was never seen."""
        if value is None:
            return None
        known = self._sides(kind)[side]
        if (number := known.get(_exact(value))) is None:
            number = known[_exact(value)] = self._next(kind)
        return StandIn(f"<{kind} {number}>")

    def _sides(self, kind: str) -> Sides:
        return self._kinds.setdefault(kind, ({}, {}))

    def _next(self, kind: str) -> int:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return self._counts[kind]


def _exact(value: Value) -> tuple[type, Value]:
    return type(value), value  # 1, 1.0 and True are equal in Python
