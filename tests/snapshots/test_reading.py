"""Reading a SQLite file: what a reader would see, or one sentence that says why not."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from goldfish.snapshots.diff import find_differences
from goldfish.snapshots.digest import logical_hash
from goldfish.snapshots.reading import UnreadableError, open_for_reading
from tests.snapshots.databases import conversation, database, run_sql

KILLED = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=" + sys.argv[2])
connection.execute("PRAGMA cache_size=1")
connection.execute("PRAGMA cache_spill=1")
if sys.argv[2] == "WAL":
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("INSERT INTO messages (body) VALUES ('in the log')")
else:
    connection.execute("BEGIN")
    connection.execute("UPDATE messages SET body = hex(zeroblob(5000))")
os._exit(0)
"""


def bodies(path: Path) -> list[str]:
    with open_for_reading(path) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM messages ORDER BY id")]


def left_by_a_dead_process(path: Path, mode: str) -> None:
    subprocess.run([sys.executable, "-c", KILLED, str(path), mode], check=True)


def refusal(path: Path, waits: float = 0.05) -> str:
    with (
        pytest.raises(UnreadableError) as caught,
        open_for_reading(path, waits=waits) as connection,
    ):
        connection.execute("SELECT * FROM messages").fetchall()
    told = str(caught.value)
    assert "\n" not in told
    return told.replace(str(path), "F")


def test_a_log_left_by_a_dead_process_is_read(tmp_path: Path) -> None:
    """A row that is only in the write-ahead log counts."""
    path = conversation(tmp_path / "a.db", "hello")
    left_by_a_dead_process(path, "WAL")
    assert (tmp_path / "a.db-wal").stat().st_size > 0
    assert bodies(path) == ["hello", "in the log"]


def test_a_log_is_read_where_nothing_can_be_written_beside_it(tmp_path: Path) -> None:
    """From a private copy, as in a directory that is read-only."""
    path = conversation(tmp_path / "a.db", "hello")
    left_by_a_dead_process(path, "WAL")
    (tmp_path / "a.db-shm").unlink()
    (tmp_path / "a.db-shm").mkdir()  # refused to root too, unlike a read-only directory
    assert bodies(path) == ["hello", "in the log"]


def test_a_transaction_cut_short_by_a_kill_is_rolled_back(tmp_path: Path) -> None:
    """In the reader's eyes; the file and its journal stay as they were found."""
    path = conversation(tmp_path / "a.db", *["hello"] * 50)
    left_by_a_dead_process(path, "DELETE")
    journal = tmp_path / "a.db-journal"
    assert journal.stat().st_size > 0
    before = path.read_bytes(), journal.read_bytes()
    assert bodies(path) == ["hello"] * 50
    assert (path.read_bytes(), journal.read_bytes()) == before


def test_a_database_that_a_live_process_holds_open_is_read(tmp_path: Path) -> None:
    """In write-ahead mode, with a write transaction begun and not committed."""
    path = conversation(tmp_path / "a.db", "hello")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("INSERT INTO messages (body) VALUES ('committed')")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO messages (body) VALUES ('not yet')")
        assert bodies(path) == ["hello", "committed"]


def test_nothing_is_left_beside_a_file_in_write_ahead_mode(tmp_path: Path) -> None:
    """A baseline in a repository stays alone."""
    path = conversation(tmp_path / "a.db", "hello")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    assert bodies(path) == ["hello"]
    assert os.listdir(tmp_path) == ["a.db"]


def test_odd_names_are_paths_and_nothing_else(tmp_path: Path) -> None:
    """Question marks, percent signs and spaces are no part of a URI."""
    path = conversation(tmp_path / "a b?mode=memory#%41.db", "hello")
    assert bodies(path) == ["hello"]


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        (b"hello, I am text", "F is not a SQLite database, or it is encrypted: "),
        (bytes(range(256)) * 16, "F is not a SQLite database, or it is encrypted: "),
        (b"SQLite format 3\x00", "F is not a SQLite database, or it is encrypted: "),
    ],
)
def test_what_is_no_database_is_refused(tmp_path: Path, contents: bytes, told: str) -> None:
    """Text, an encrypted file, and a file that only begins like one."""
    path = tmp_path / "a.db"
    path.write_bytes(contents)
    assert refusal(path).startswith(told)


def test_a_missing_file_and_a_directory_are_refused(tmp_path: Path) -> None:
    """Neither is an empty database, and none is made."""
    assert refusal(tmp_path / "no.db") == "F does not exist: check the path"
    assert refusal(tmp_path) == "F is a directory: name a SQLite file"
    assert not (tmp_path / "no.db").exists()


@pytest.mark.parametrize("where", ["begin", "middle", "end"])
def test_a_damaged_file_is_refused(tmp_path: Path, where: str) -> None:
    """Also if the damage shows only while rows are read."""
    path = conversation(tmp_path / "a.db", *["x" * 500] * 200)
    contents = bytearray(path.read_bytes())
    if where == "end":
        del contents[len(contents) // 2 :]
    else:
        begin = 100 if where == "begin" else len(contents) // 2 // 4096 * 4096
        contents[begin : begin + 4096] = b"\xff" * 4096
    path.write_bytes(contents)
    assert "damaged" in refusal(path)


@pytest.mark.parametrize("condition", ["", "WHERE body > '5'"])
def test_a_damaged_index_is_not_called_the_same(tmp_path: Path, condition: str) -> None:
    """Though no row is read through it, in a comparison or in a hash; whichever page it is."""
    sound = conversation(tmp_path / "sound.db", *(str(n) * 40 for n in range(300)))
    rows = sound.stat().st_size
    run_sql(sound, f"CREATE INDEX i ON messages (body) {condition}")
    assert sound.stat().st_size > rows + 2 * 4096
    damaged = tmp_path / "damaged.db"
    for page in range(rows, sound.stat().st_size, 4096):
        contents = bytearray(sound.read_bytes())
        contents[page : page + 4096] = b"\xff" * 4096
        damaged.write_bytes(contents)
        for pair in ((sound, damaged), (damaged, sound)):
            with pytest.raises(UnreadableError, match=r"damaged\.db is damaged"):
                list(find_differences(*pair))
        with pytest.raises(UnreadableError, match="is damaged"):
            logical_hash(damaged)


def test_an_index_of_strangers_does_not_keep_rows_from_being_compared(tmp_path: Path) -> None:
    """Its collation is known to its application only."""
    for name in ("a.db", "b.db"):
        path = conversation(tmp_path / name, "hello", name)
        with closing(sqlite3.connect(path)) as connection:
            connection.create_collation("own", lambda one, other: (one > other) - (one < other))
            connection.execute("CREATE INDEX i ON messages (body COLLATE own)")
    (change,) = find_differences(tmp_path / "a.db", tmp_path / "b.db")
    assert change.kind == "changed"


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    """By the version in the header, and by a schema that this SQLite cannot parse."""
    path = conversation(tmp_path / "a.db", "hello")
    contents = bytearray(path.read_bytes())
    contents[18:20] = b"\x03\x03"
    (tmp_path / "b.db").write_bytes(contents)
    assert refusal(tmp_path / "b.db").startswith("F is newer than SQLite 3.")
    unknown = path.read_bytes().replace(b"id INTEGER PRIMARY KEY", b"id INTEGER PRIMARY KEZ")
    (tmp_path / "c.db").write_bytes(unknown)
    assert refusal(tmp_path / "c.db").startswith("F is newer than SQLite 3.")


def test_a_locked_file_is_refused(tmp_path: Path) -> None:
    """After a short wait, with what to do."""
    path = conversation(tmp_path / "a.db", "hello")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert refusal(path) == (
            "F is locked by another process: try again when its transaction is over"
        )


def test_the_damaged_one_of_two_files_is_named(tmp_path: Path) -> None:
    """Whichever of them it is."""
    sound = conversation(tmp_path / "sound.db", *["x" * 500] * 200)
    damaged = tmp_path / "damaged.db"
    shutil.copyfile(sound, damaged)
    contents = bytearray(damaged.read_bytes())
    contents[8 * 4096 : 9 * 4096] = b"\xff" * 4096
    damaged.write_bytes(contents)
    for pair in ((sound, damaged), (damaged, sound)):
        with pytest.raises(UnreadableError, match=r"damaged\.db is damaged"):
            list(find_differences(*pair))


def test_two_encodings_are_not_compared(tmp_path: Path) -> None:
    """SQLite refuses to see both at once; that is no difference of rows."""
    one = conversation(tmp_path / "a.db", "hello")
    script = "PRAGMA encoding='UTF-16le'; CREATE TABLE messages (id INTEGER PRIMARY KEY)"
    other = database(tmp_path / "b.db", script)
    with pytest.raises(UnreadableError, match="another encoding"), open_for_reading(one, other):
        pass
