"""The marks of facts in a SQLite file: blocks, which are written together with their facts."""

import sqlite3
from collections.abc import Iterable

from goldfish.stores.facts.backend import NO_MARKS, STEP, Marked, Marks, Unmarked
from goldfish.stores.facts.blocks import block_of, join, read_directory, replace, split

_BLOCK = "SELECT directory, marks FROM goldfish_fact_blocks WHERE place = ?"
_BLOCKS = """SELECT directory, marks FROM goldfish_fact_blocks
    WHERE place BETWEEN :user << 32 AND (:user + 1 << 32) - 1 ORDER BY place"""
_DIRECTORIES = _BLOCKS.replace("directory, marks", "directory")
_PUT = "INSERT OR REPLACE INTO goldfish_fact_blocks (place, directory, marks) VALUES (?, ?, ?)"
_DROP = "DELETE FROM goldfish_fact_blocks WHERE place = ?"
_DROP_ALL = """DELETE FROM goldfish_fact_blocks
    WHERE place BETWEEN ? << 32 AND (?1 + 1 << 32) - 1"""
_WORDED = "SELECT seq, said_at FROM goldfish_facts WHERE user = ? AND seq > ? ORDER BY seq"
_SOURCE = """SELECT seq, said_at, base, said, vectors FROM goldfish_facts
    WHERE user = ? AND seq = ?"""


def put(connection: sqlite3.Connection, user: int, marked: Marked) -> None:
    """Store the marks of a fact in place of those that it had."""
    _replace(connection, user, marked.seq, marked)


def drop(connection: sqlite3.Connection, user: int, seq: int) -> None:
    """Remove the marks of a fact."""
    _replace(connection, user, seq, None)


def drop_all(connection: sqlite3.Connection, user: int) -> None:
    """Remove the marks of all facts of a user."""
    connection.execute(_DROP_ALL, (user,))


def read_all(connection: sqlite3.Connection, user: int) -> Marks:
    """Return the marks of all facts of a user."""
    return join(connection.execute(_BLOCKS, {"user": user}))


def read_some(connection: sqlite3.Connection, user: int, seqs: Iterable[int]) -> Marks:
    """Return the marks of these facts."""
    wanted = set(seqs)
    blocks = (_read(connection, user, block) for block in sorted(set(map(block_of, wanted))))
    return Marks.of([each for marks in blocks for each in split(marks) if each.seq in wanted])


def list_all(connection: sqlite3.Connection, user: int) -> list[int]:
    """Return the numbers of all facts that have marks."""
    return [seq for seq, _ in _list_worded(connection, user)]


def find_unmarked(connection: sqlite3.Connection, user: int, after: int) -> list[Unmarked]:
    """Return facts beyond a number that have no marks of their present text, STEP at most."""
    marked = _list_worded(connection, user)
    worded = connection.execute(_WORDED, (user, after))
    lacking = [seq for seq, said_at in worded if (seq, said_at) not in marked][:STEP]
    rows = (connection.execute(_SOURCE, (user, seq)).fetchone() for seq in lacking)
    return [Unmarked(*row) for row in rows]


def drop_stray(connection: sqlite3.Connection, user: int) -> None:
    """Remove marks of facts that are gone."""
    there = {seq for seq, _ in connection.execute(_WORDED, (user, 0))}
    for seq, _ in _list_worded(connection, user):
        if seq not in there:
            drop(connection, user, seq)


def _list_worded(connection: sqlite3.Connection, user: int) -> set[tuple[int, int]]:
    """Return number and number of wording of all facts that have marks."""
    directories = (stored for (stored,) in connection.execute(_DIRECTORIES, {"user": user}))
    numbers = read_directory(b"".join(directories))
    return set(zip(numbers[::3], numbers[1::3], strict=True))


def _replace(connection: sqlite3.Connection, user: int, seq: int, new: Marked | None) -> None:
    block = block_of(seq)
    marks = replace(_read(connection, user, block), seq, new)
    if len(marks):
        values = ((user << 32) + block, marks.directory.tobytes(), marks.data)
        connection.execute(_PUT, values)
    else:
        connection.execute(_DROP, ((user << 32) + block,))


def _read(connection: sqlite3.Connection, user: int, block: int) -> Marks:
    row = connection.execute(_BLOCK, ((user << 32) + block,)).fetchone()
    return NO_MARKS if row is None else join([row])
