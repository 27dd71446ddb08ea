"""The SQL that says whether two rows are the same, to the type of each value."""

from goldfish.snapshots.schema import Table, quoted


def same(table: Table, one: str, other: str) -> str:
    """The condition for two rows by their aliases; a key by which they are joined is left out.

    The plus sign takes away affinity; only a column without a type mixes 1 and 1.0.
    """
    terms = []
    for column in table.every_column:
        joined_by = table.key_is_rowid and column.key
        if column.name in table.columns and not joined_by:
            name = quoted(column.name)
            terms.append(f"+{one}.{name} IS +{other}.{name} COLLATE BINARY")
            if _mixes_numbers(column.type):
                terms.append(f"typeof({one}.{name}) = typeof({other}.{name})")
    return " AND ".join(terms) or "TRUE"


def listed(table: Table, side: str = "") -> str:
    """The columns of a table, of the alias where there is one."""
    dot = f"{side}." if side else ""
    return ", ".join(dot + quoted(name) for name in table.columns)


def _mixes_numbers(declared: str) -> bool:
    """Whether a column of this declared type keeps 1 and 1.0 apart (it has no affinity)."""
    kind = declared.upper()
    if "INT" in kind or any(each in kind for each in ("CHAR", "CLOB", "TEXT")):
        return False
    return not kind or "BLOB" in kind or kind == "ANY"
