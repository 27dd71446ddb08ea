"""The marks of facts in a SQLite file: blocks, which are written together with their facts."""

import sqlite3

from goldfish.stores.facts.backend import STEP, Unmarked
from goldfish.stores.sqlite.blocks import Blocks

BLOCKS = Blocks("goldfish_fact_blocks")

_WORDED = "SELECT seq, said_at FROM goldfish_facts WHERE user = ? AND seq > ? ORDER BY seq"
_SOURCE = """SELECT seq, said_at, base, said, vectors FROM goldfish_facts
    WHERE user = ? AND seq = ?"""


def list_all(connection: sqlite3.Connection, user: int) -> list[int]:
    """Return the numbers of all facts that have marks."""
    return [seq for seq, _ in BLOCKS.list_worded(connection, user)]


def find_unmarked(connection: sqlite3.Connection, user: int, after: int) -> list[Unmarked]:
    """Return facts beyond a number that have no marks of their present text, STEP at most."""
    marked = BLOCKS.list_worded(connection, user)
    worded = connection.execute(_WORDED, (user, after))
    lacking = [seq for seq, said_at in worded if (seq, said_at) not in marked][:STEP]
    rows = (connection.execute(_SOURCE, (user, seq)).fetchone() for seq in lacking)
    return [Unmarked(*row) for row in rows]


def drop_stray(connection: sqlite3.Connection, user: int) -> None:
    """Remove marks of facts that are gone."""
    there = {seq for seq, _ in connection.execute(_WORDED, (user, 0))}
    marked = BLOCKS.list_worded(connection, user)
    BLOCKS.drop(connection, user, [seq for seq, _ in marked if seq not in there])
