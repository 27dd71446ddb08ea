"""The files of a sandbox while a store writes to them."""

import time
from pathlib import Path

PATIENCE = 0.2  # seconds to wait for a change


def await_change(directory: Path, before: dict[Path, int], changes: int) -> None:
    """Wait, but not for long, until the sizes of the files have changed so many times."""
    until = time.monotonic() + PATIENCE
    while changes and time.monotonic() < until:
        now = measure_files(directory)
        changes -= now != before
        before = now


def await_shrinking(directory: Path) -> None:
    """Wait, but not for long, until a file shrinks, as a file does that is being rewritten."""
    until, before = time.monotonic() + PATIENCE, measure_files(directory)
    while time.monotonic() < until:
        now = measure_files(directory)
        if any(now.get(path, 0) < size for path, size in before.items()):
            return
        before = now


def measure_files(directory: Path) -> dict[Path, int]:
    """Return the size of each file."""
    sizes = {}
    for path in directory.rglob("*"):
        try:
            sizes[path] = path.stat().st_size
        except FileNotFoundError:  # it was removed meanwhile
            continue
    return sizes
