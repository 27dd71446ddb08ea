"""Transactions of a SQLite file: writes that are whole or leave no trace, reads of one moment."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any


def in_transaction(
    connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], Any]
) -> Any:
    """Do the work and commit it, or leave no trace of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


@contextlib.contextmanager
def at_one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Let several statements read the same state of the file."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # an error may have ended it
            connection.execute("COMMIT")
