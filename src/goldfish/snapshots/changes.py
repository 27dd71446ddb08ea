"""The changes that a comparison finds: of the schema, and of rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from goldfish.snapshots.masks import Value

Kind = Literal["added", "removed", "changed"]
Row = Mapping[str, Value]


@dataclass(frozen=True)
class SchemaChange:
    """A table, column, index, trigger, view or setting that differs, and the rows it held."""

    kind: Kind
    what: str
    name: str
    table: str = ""
    before: str | None = None
    after: str | None = None
    rows: int = 0


@dataclass(frozen=True)
class RowChange:
    """One row that differs; ``key`` identifies it, and is empty where nothing does."""

    kind: Kind
    table: str
    key: Row
    before: Row | None
    after: Row | None
    times: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a changed row that changed."""
        if self.before is None or self.after is None:
            return ()
        before, after = self.before, self.after
        return tuple(name for name in before if is_different(before[name], after[name]))


Change = SchemaChange | RowChange


def is_different(before: Value, after: Value) -> bool:
    """Return True if two values differ in type or value: 1, 1.0 and '1' are three values."""
    return type(before) is not type(after) or before != after
