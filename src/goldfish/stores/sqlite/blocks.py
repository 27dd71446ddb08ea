"""Blocks of marks in a SQLite file, which are written together with what they are the marks of."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from goldfish.stores.retrieval.blocks import (
    NO_MARKS,
    Marked,
    Marks,
    block_of,
    join,
    read_directory,
    replace,
    split,
)

MOST = 2**32 - 1  # the highest number of a text


class Blocks:
    """The blocks in one table, by their place: that is owner * 2**32 + block."""

    def __init__(self, table: str) -> None:
        within = "place BETWEEN :owner << 32 AND (:owner + 1 << 32) - 1"
        columns = f"SELECT directory, marks FROM {table} WHERE"
        self._one = f"{columns} place = ?"
        self._from = f"{columns} place BETWEEN ? AND ? ORDER BY place"
        self._directories = f"SELECT directory FROM {table} WHERE place BETWEEN ? AND ?"
        self._put = f"INSERT OR REPLACE INTO {table} (place, directory, marks) VALUES (?, ?, ?)"
        self._drop = f"DELETE FROM {table} WHERE place = ?"
        self._drop_all = f"DELETE FROM {table} WHERE {within}"

    def put(self, connection: sqlite3.Connection, owner: int, marked: Iterable[Marked]) -> None:
        """Store these marks in place of those that there are of the same texts."""
        new: defaultdict[int, list[Marked]] = defaultdict(list)
        for each in marked:
            new[block_of(each.seq)].append(each)
        for block, some in new.items():
            marks = self._read(connection, owner, block)
            marks = replace(marks, {each.seq for each in some}, some)
            self._write(connection, owner, block, marks)

    def drop(self, connection: sqlite3.Connection, owner: int, seqs: Iterable[int]) -> None:
        """Remove the marks of these texts."""
        gone: defaultdict[int, set[int]] = defaultdict(set)
        for seq in seqs:
            gone[block_of(seq)].add(seq)
        for block, some in gone.items():
            marks = self._read(connection, owner, block)
            self._write(connection, owner, block, replace(marks, some))

    def drop_all(self, connection: sqlite3.Connection, owner: int) -> None:
        """Remove the marks of all texts."""
        connection.execute(self._drop_all, {"owner": owner})

    def read_from(self, connection: sqlite3.Connection, owner: int, first: int = 0) -> Marks:
        """Return the marks of all texts from a number on."""
        places = ((owner << 32) + block_of(first), (owner << 32) + block_of(MOST))
        marks = join(connection.execute(self._from, places))
        if not first:
            return marks
        return Marks.of([each for each in split(marks) if each.seq >= first])

    def read_some(self, connection: sqlite3.Connection, owner: int, seqs: Iterable[int]) -> Marks:
        """Return the marks of these texts."""
        wanted = set(seqs)
        blocks = (
            self._read(connection, owner, each) for each in sorted(set(map(block_of, wanted)))
        )
        return Marks.of([each for marks in blocks for each in split(marks) if each.seq in wanted])

    def list_worded(
        self, connection: sqlite3.Connection, owner: int, first: int = 0, last: int = MOST
    ) -> set[tuple[int, int]]:
        """Return number and number of wording of texts that have marks: all, or of some numbers."""
        places = ((owner << 32) + block_of(first), (owner << 32) + block_of(last))
        found = connection.execute(self._directories, places)
        numbers = read_directory(b"".join(stored for (stored,) in found))
        pairs = zip(numbers[::3], numbers[1::3], strict=True)
        return {(seq, said_at) for seq, said_at in pairs if first <= seq <= last}

    def _read(self, connection: sqlite3.Connection, owner: int, block: int) -> Marks:
        row = connection.execute(self._one, ((owner << 32) + block,)).fetchone()
        return NO_MARKS if row is None else join([row])

    def _write(self, connection: sqlite3.Connection, owner: int, block: int, marks: Marks) -> None:
        place = (owner << 32) + block
        if len(marks):
            connection.execute(self._put, (place, marks.directory.tobytes(), marks.data))
        else:
            connection.execute(self._drop, (place,))
