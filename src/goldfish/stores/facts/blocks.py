"""Blocks of marks: those of 64 neighbouring numbers lie in one value of the backend.

So a process that begins reads few values, however many facts there are, and a write replaces one
of some kilobytes.
"""

from array import array
from collections.abc import Iterable

from goldfish.stores.facts.backend import Marked, Marks

SPAN = 64  # numbers in a block


def block_of(seq: int) -> int:
    """Return the number of the block in which the marks of this fact lie."""
    return seq // SPAN


def join(blocks: Iterable[tuple[bytes, bytes]]) -> Marks:
    """Return the marks in stored blocks: directory and data of each."""
    directories, data = [], []
    for directory, marks in blocks:
        directories.append(directory)
        data.append(marks)
    return Marks(read_directory(b"".join(directories)), b"".join(data))


def read_directory(stored: bytes) -> "array[int]":
    """Return the numbers of a directory."""
    return array("q", stored)


def split(marks: Marks) -> list[Marked]:
    """Return the marks of each fact."""
    found, at, numbers = [], 0, marks.directory
    for first in range(0, len(numbers), 3):
        seq, said_at, size = numbers[first : first + 3]
        found.append(Marked(seq, said_at, marks.data[at : at + size]))
        at += size
    return found


def replace(marks: Marks, seq: int, new: Marked | None) -> Marks:
    """Return the block without the old marks of a fact, and with the new ones."""
    kept = [each for each in split(marks) if each.seq != seq]
    return Marks.of(sorted([*kept, new] if new else kept))
