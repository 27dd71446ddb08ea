"""Blocks of marks: those of 64 neighbouring numbers lie in one value of the backend.

So a process that begins reads few values, however many texts there are, and a write replaces one
of some kilobytes.
"""

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

SPAN = 64  # numbers in a block


class Marked(NamedTuple):
    """The marks of a fact, as it was worded at a number, or of a message, in its place."""

    seq: int
    said_at: int  # 0 for a message, which never says anything else
    marks: bytes


class Marks(NamedTuple):
    """The marks of several texts, one after the other, and where each begins."""

    directory: "array[int]"  # three numbers each: seq, said_at, bytes
    data: bytes

    @classmethod
    def of(cls, marked: list[Marked]) -> "Marks":
        """Put together the marks of these texts."""
        numbers = (n for each in marked for n in (each.seq, each.said_at, len(each.marks)))
        return cls(array("q", numbers), b"".join(each.marks for each in marked))

    def __len__(self) -> int:
        return len(self.directory) // 3


NO_MARKS = Marks(array("q"), b"")


def block_of(seq: int) -> int:
    """Return the number of the block in which the marks of this text lie."""
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
    """Return the marks of each text."""
    found, at, numbers = [], 0, marks.directory
    for first in range(0, len(numbers), 3):
        seq, said_at, size = numbers[first : first + 3]
        found.append(Marked(seq, said_at, marks.data[at : at + size]))
        at += size
    return found


def replace(marks: Marks, seqs: Iterable[int], new: Sequence[Marked] = ()) -> Marks:
    """Return the block without the old marks of these texts, and with the new ones."""
    gone = set(seqs)
    if (
        not len(marks) or min(gone, default=0) > marks.directory[-3]
    ):  # as those of most new texts are
        more = Marks.of(sorted(new))
        return Marks(marks.directory + more.directory, marks.data + more.data)
    return Marks.of(sorted([*(each for each in split(marks) if each.seq not in gone), *new]))
