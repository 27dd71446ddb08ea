"""SQL that compares two rows, to the type of each value."""

from goldfish.snapshots.schema import Table, quote_name


def build_equality(table: Table, one: str, other: str) -> str:
    """Return the condition that two rows, by their aliases, are equal; a joining key is left out.

    The plus sign removes affinity; only a column without a type mixes 1 and 1.0.
    """
    terms = []
    for column in table.every_column:
        joined_by = table.key_is_rowid and column.key
        if column.name in table.columns and not joined_by:
            name = quote_name(column.name)
            terms.append(f"+{one}.{name} IS +{other}.{name} COLLATE BINARY")
            if _keeps_numbers_apart(column.type):
                terms.append(f"typeof({one}.{name}) = typeof({other}.{name})")
    return " AND ".join(terms) or "TRUE"


def list_columns(table: Table, side: str = "") -> str:
    """Return the columns of a table as SQL, prefixed by the alias if there is one."""
    dot = f"{side}." if side else ""
    return ", ".join(dot + quote_name(name) for name in table.columns)


def _keeps_numbers_apart(declared: str) -> bool:
    """Return True if a column of this declared type keeps 1 and 1.0 apart (it has no affinity)."""
    kind = declared.upper()
    if "INT" in kind or any(each in kind for each in ("CHAR", "CLOB", "TEXT")):
        return False
    return not kind or "BLOB" in kind or kind == "ANY"
