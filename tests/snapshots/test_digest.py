"""The logical hash: of what a database says, not of how its pages lie."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from goldfish.snapshots.digest import file_hash, logical_hash
from tests.snapshots.databases import MESSAGES, conversation, database, run_sql

KINDS = {
    "rowid": "CREATE TABLE t (k INTEGER PRIMARY KEY, v)",
    "text key": "CREATE TABLE t (k TEXT PRIMARY KEY, v)",
    "no key": "CREATE TABLE t (k, v)",
    "without rowid": "CREATE TABLE t (k PRIMARY KEY, v) WITHOUT ROWID",
}


@pytest.mark.parametrize(
    "statements",
    [
        ["VACUUM"],
        ["INSERT INTO messages VALUES (99, 's', 'x')", "DELETE FROM messages WHERE id = 99"],
        ["PRAGMA journal_mode=WAL"],
        ["PRAGMA page_size=8192", "VACUUM"],
        ["PRAGMA auto_vacuum=FULL", "VACUUM"],
        ["UPDATE messages SET body = body"],
        ["ANALYZE"],
    ],
)
def test_what_a_reader_cannot_see_changes_nothing(tmp_path: Path, statements: list[str]) -> None:
    """Though the bytes of the file differ."""
    path = conversation(tmp_path / "a.db", "hello", "world")
    before, raw = logical_hash(path), file_hash(path)
    run_sql(path, *statements)
    assert logical_hash(path) == before
    assert file_hash(path) != raw or statements == ["UPDATE messages SET body = body"]


def test_a_counter_of_autoincrement_is_no_content(tmp_path: Path) -> None:
    """Inserting and deleting leaves it, and nothing else, behind."""
    script = "CREATE TABLE t (k INTEGER PRIMARY KEY AUTOINCREMENT, v)"
    path = database(tmp_path / "a.db", script, {"t": [(1, "x")]})
    before = logical_hash(path)
    run_sql(path, "INSERT INTO t (v) VALUES ('y')", "DELETE FROM t WHERE k = 2")
    assert logical_hash(path) == before


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_insertion_does_not_count(tmp_path: Path, kind: str) -> None:
    """Nor does what lies where: the rows are the same."""
    rows: list[tuple[Any, ...]] = [(n, f"v{n}") for n in range(1200)]
    one = database(tmp_path / "a.db", KINDS[kind], {"t": rows})
    other = database(tmp_path / "b.db", KINDS[kind], {"t": rows[::-1]})
    assert logical_hash(one) == logical_hash(other)


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_other_types_are_other_values(tmp_path: Path, kind: str) -> None:
    """1, 1.0, '1', x'31', NULL, text with a NUL in it, and text that is no valid UTF-8."""
    values = [1, 1.0, "1", b"1", None, "", b"", "a", "a\0b", "a\0c", "\U0001f420"]
    hashes = {
        logical_hash(database(tmp_path / f"{n}.db", KINDS[kind], {"t": [(1, value)]}))
        for n, value in enumerate(values)
    }
    for n, text in enumerate(("ff", "fe", "61ff")):
        path = database(tmp_path / f"bad{n}.db", KINDS[kind])
        run_sql(path, f"INSERT INTO t VALUES (1, CAST(x'{text}' AS TEXT))")
        hashes.add(logical_hash(path))
    assert len(hashes) == len(values) + 3


def test_rows_that_are_there_twice_count_twice(tmp_path: Path) -> None:
    """Where no key tells them apart."""
    made = [database(tmp_path / f"{n}.db", KINDS["no key"], {"t": [(1, 2)] * n}) for n in range(4)]
    assert len({logical_hash(path) for path in made}) == 4


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE INDEX i ON messages (body)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER g AFTER INSERT ON messages BEGIN SELECT 1; END",
        "ALTER TABLE messages ADD COLUMN more",
        "ALTER TABLE messages RENAME COLUMN body TO Body",
        "CREATE TABLE empty (x)",
        "PRAGMA user_version=7",
    ],
)
def test_the_schema_counts(tmp_path: Path, statement: str) -> None:
    """Whatever a reader can see of it."""
    path = conversation(tmp_path / "a.db", "hello")
    before = logical_hash(path)
    run_sql(path, statement)
    assert logical_hash(path) != before


def test_how_a_definition_is_written_does_not_count(tmp_path: Path) -> None:
    """White space, comments, the case of words and the kind of quotes are layout."""
    written = """create  table "messages" -- all of them
        (id INTEGER PRIMARY key, session /* whose */ TEXT, body TEXT)"""
    one = database(tmp_path / "a.db", MESSAGES)
    other = database(tmp_path / "b.db", written)
    assert logical_hash(one) == logical_hash(other)


def test_a_full_text_index_counts_by_its_contents(tmp_path: Path) -> None:
    """Not by the segments in which it was built."""
    script = "CREATE VIRTUAL TABLE f USING fts5(body)"
    one = database(tmp_path / "a.db", script, {"f": [("one",), ("two",), ("three",)]})
    other = database(tmp_path / "b.db", script, {"f": [("one",), ("two",), ("three",)]})
    run_sql(
        other, "INSERT INTO f(f) VALUES ('optimize')", "UPDATE f SET body = 'two' WHERE rowid=2"
    )
    assert logical_hash(one) == logical_hash(other)
    run_sql(other, "DELETE FROM f WHERE rowid = 2")
    assert logical_hash(one) != logical_hash(other)


def test_a_damaged_index_hides_no_row(tmp_path: Path) -> None:
    """Rows are read from the table itself."""
    path = database(tmp_path / "a.db", KINDS["text key"], {"t": [("a", 1), ("b", 2)]})
    before = logical_hash(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("UPDATE t SET v = v")
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_t_1'"
        ).fetchone()
    contents = bytearray(path.read_bytes())
    page = (root - 1) * 4096
    contents[page + 3 : page + 5] = b"\0\1"  # one entry fewer
    path.write_bytes(contents)
    assert logical_hash(path) == before


def test_the_hash_is_the_same_on_every_machine(tmp_path: Path) -> None:
    """It may be written down."""
    path = conversation(tmp_path / "a.db", "hello", "wörld")
    assert logical_hash(path)[:16] == "abf1f3011dc03cc1"
