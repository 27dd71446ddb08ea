"""What a memory writes to: a server that it asked for, or files of which kind."""

import contextlib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

MOST_FILES = 20  # that are looked at
SQLITE = b"SQLite format 3\0"


def find_backend(services: Sequence[str], directory: Path) -> str:
    """Return redis, postgres, sqlite or files; empty if nothing tells."""
    if services:
        return services[0]
    with contextlib.suppress(OSError):  # a memory may remove its files at any time
        files = [each for each in islice(directory.rglob("*"), MOST_FILES) if each.is_file()]
        if any(_begins_with(each, SQLITE) for each in files):
            return "sqlite"
        return "files" if files else ""
    return ""


def _begins_with(file: Path, head: bytes) -> bool:
    try:
        with file.open("rb") as opened:
            return opened.read(len(head)) == head
    except OSError:
        return False
