"""``goldfish diff``: show how two SQLite files differ, as text or JSON."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goldfish.report.sanitize import escape_controls
from goldfish.snapshots.changes import Change, Row, RowChange
from goldfish.snapshots.diff import find_differences
from goldfish.snapshots.masks import Value
from goldfish.snapshots.rendering import SIGNS, Difference

SAME, DIFFERENT = 0, 1
SCHEMA = 1


def run_quickly(arguments: Sequence[str]) -> int | None:
    """Run a command line that is plainly right; return None if it needs help or an error message.

    Importing Typer takes longer than SQLite takes to compare 100 MB.
    """
    files: list[Path] = []
    flags = {"--json": False, "--summary": False}
    lists: dict[str, list[str]] = {"--ignore": [], "--table": []}
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if word in flags:
            flags[word] = True
        elif name in lists and (value or not equals):
            lists[name].append(value if equals else next(words, ""))
        elif word.startswith("-"):
            return None
        else:
            files.append(Path(word))
    if len(files) != 2 or "" in lists["--ignore"] + lists["--table"]:
        return None
    return diff(
        *files,
        ignore=lists["--ignore"],
        tables=lists["--table"],
        as_json=flags["--json"],
        summary=flags["--summary"],
    )


def diff(
    before: Path,
    after: Path,
    *,
    ignore: Sequence[str],
    tables: Sequence[str],
    as_json: bool,
    summary: bool,
) -> int:
    """Print how the second file differs from the first; return 0 if a reader sees no difference."""
    changes = find_differences(before, after, ignore=ignore, tables=tables)
    if as_json:
        return _print_json(changes, details=not summary)
    difference = Difference(changes)
    names = f"{before} and {after}"
    if difference.is_empty:
        print(escape_controls(f"{names}: the same"))
        return SAME
    print(escape_controls(f"{names} differ"))
    print(f"  {difference.summary}")
    for line in difference.headlines() if summary else difference.lines():
        print(line)
    return DIFFERENT


def _print_json(changes: Iterable[Change], *, details: bool) -> int:
    """Print one JSON document as changes are found, so that memory does not grow with it."""
    write = sys.stdout.write
    found = dict.fromkeys(SIGNS, 0)
    schema = 0
    begun = False
    for change in changes:
        if not begun:
            write(f'{{"schema": {SCHEMA}, "changes": [')
        if isinstance(change, RowChange):
            found[change.kind] += change.times
        else:
            schema += 1
        if details:
            write((",\n" if begun else "\n") + json.dumps(_as_dict(change)))
        begun = True
    if not begun:
        write(f'{{"schema": {SCHEMA}, "changes": [')
    rest = {"same": not begun, "rows": found, "definitions": schema}
    write("], " + json.dumps(rest)[1:] + "\n")
    return DIFFERENT if begun else SAME


def _as_dict(change: Change) -> dict[str, Any]:
    if not isinstance(change, RowChange):
        return asdict(change)
    return {
        "kind": change.kind,
        "what": "row",
        "table": change.table,
        "key": _cells(change.key),
        "columns": list(change.columns),
        "before": _cells(change.before),
        "after": _cells(change.after),
        "times": change.times,
    }


def _cells(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else {name: _as_json(value) for name, value in row.items()}


def _as_json(value: Value) -> Any:
    """Return a value for JSON: a blob as hex, a number that JSON lacks as text."""
    if isinstance(value, bytes):
        return {"blob": value.hex()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"real": str(value)}
    return value
