"""Writes a baseline: a new table for what is broken today, and an old one without what is mended.

It edits lines, so that comments and the reasons that people wrote stay as they are.
"""

import json
import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

from goldfish.engine.baseline import Entry
from goldfish.errors import UsageError, mask
from goldfish.findings.result import Report, Verdict

LONGEST = 160  # characters of a finding
HEADER = re.compile(r"\s*\[\s*(.+?)\s*\]\s*(#.*)?$")


def list_entries(report: Report) -> dict[str, Entry]:
    """Return an entry for each promise that a report has as broken, by code."""
    return {
        result.code: Entry(
            finding=_shorten(f"{result.finding}: {result.summary}"),
            sometimes=result.is_unsteady,
        )
        for result in report.results
        if result.verdict is Verdict.BROKEN
    }


def render_table(target: str, entries: dict[str, Entry]) -> str:
    """Return a table of TOML with a line for each entry, and a place for its reason."""
    lines = [f"[{_quote(target)}]"]
    for code, entry in entries.items():
        fields = [
            f"finding = {_quote(entry.finding)}",
            f"reason = {_quote(entry.reason)}",
            f"link = {_quote(entry.link)}",
            *(["sometimes = true"] if entry.sometimes else []),
        ]
        lines.append(f"{code} = {{ {', '.join(fields)} }}")
    return "\n".join(lines) + "\n"


def append_table(text: str, table: str) -> str:
    """Return the text of a baseline with one more table."""
    return f"{text.rstrip()}\n\n{table}" if text.strip() else table


def drop_entries(text: str, path: Path, target: str, codes: Collection[str]) -> str:
    """Return the text without these entries of a target; all else stays as it was written."""
    edited = "".join(_list_kept(text, target, codes))
    before = tomllib.loads(text)
    left = {code: told for code, told in before[target].items() if code not in codes}
    try:
        is_right = tomllib.loads(edited) == {**before, target: left}
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        names = " ".join(sorted(codes))
        raise UsageError(f"{path} cannot be edited line by line: remove {names} by hand")
    return edited


def _list_kept(text: str, target: str, codes: Collection[str]) -> Iterator[str]:
    """Yield the lines that do not give one of the codes in the table of the target."""
    table = ""
    for line in text.splitlines(keepends=True):
        if header := HEADER.match(line):
            table = header[1].strip("\"'")
        name = line.partition("=")[0].strip().strip("\"'")
        if not (table == target and name in codes):
            yield line


def _shorten(text: str) -> str:
    masked = mask(text)
    return masked if len(masked) <= LONGEST else f"{masked[: LONGEST - 1]}…"


def _quote(text: str) -> str:
    """Return a text as TOML has it: as JSON, with what only TOML escapes."""
    plain = text.encode("utf-8", "backslashreplace").decode()
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
