"""Two databases compared: exactly what differs, whatever the tables are like."""

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goldfish.errors import UsageError
from goldfish.snapshots import by_rowid
from goldfish.snapshots.by_merge import MergeComparison
from goldfish.snapshots.changes import RowChange, SchemaChange
from goldfish.snapshots.diff import find_differences
from goldfish.snapshots.digest import logical_hash
from goldfish.snapshots.masks import Masks, StandIns
from goldfish.snapshots.reading import SCHEMAS, UnreadableError, open_for_reading
from goldfish.snapshots.schema import read_schema
from tests.snapshots.databases import connected, conversation, database, run_sql

Told = tuple[Any, ...]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Where two databases go."""
    return tmp_path / "a.db", tmp_path / "b.db"


def both(pair: tuple[Path, Path], script: str) -> None:
    for path in pair:
        database(path, script)


def told(pair: tuple[Path, Path], **options: Any) -> list[Told]:
    """The changes in short: kind, table, key, and both sides of what changed."""
    return [_short(change) for change in find_differences(*pair, **options)]


def _short(change: RowChange | SchemaChange) -> Told:
    if isinstance(change, SchemaChange):
        return change.kind, change.what, change.name
    key = tuple(change.key.values())
    if change.before is not None and change.after is not None:
        columns = {name: (change.before[name], change.after[name]) for name in change.columns}
        return change.kind, change.table, key, columns
    row = change.before or change.after
    assert row is not None
    return change.kind, change.table, key, tuple(row.values()), change.times


class TestRows:
    def test_a_changed_row_names_the_columns_that_changed(self, pair: tuple[Path, Path]) -> None:
        """And no others."""
        conversation(pair[0], "one", "two", "three")
        conversation(pair[1], "one", "2", "three")
        assert told(pair) == [("changed", "messages", (2,), {"body": ("two", "2")})]

    def test_a_row_hidden_in_a_log_is_found(self, pair: tuple[Path, Path]) -> None:
        """A live process has it only in its write-ahead log."""
        for path in pair:
            conversation(path, "one")
        with closing(sqlite3.connect(pair[1], isolation_level=None)) as live:
            live.execute("PRAGMA journal_mode=WAL")
            live.execute("INSERT INTO messages VALUES (2, 's', 'hidden')")
            assert told(pair) == [("added", "messages", (2,), (2, "s", "hidden"), 1)]
            assert pair[0].stat().st_size == pair[1].stat().st_size

    def test_rows_with_null_keys_are_told_by_their_contents(self, pair: tuple[Path, Path]) -> None:
        """SQLite lets a primary key be NULL, and many rows have it."""
        both(pair, "CREATE TABLE t (k TEXT PRIMARY KEY, v)")
        run_sql(pair[0], "INSERT INTO t VALUES (NULL, 1), (NULL, 1), (NULL, NULL), ('k', 1)")
        run_sql(pair[1], "INSERT INTO t VALUES ('k', 1), (NULL, 1), (NULL, 2), (NULL, NULL)")
        assert told(pair) == [
            ("removed", "t", (), (None, 1), 1),
            ("added", "t", (), (None, 2), 1),
        ]

    def test_rows_without_a_key_are_counted(self, pair: tuple[Path, Path]) -> None:
        """Wherever they lie, also if columns have all the names of the rowid."""
        both(pair, "CREATE TABLE t (rowid, oid, _rowid_)")
        run_sql(pair[0], "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (1, 1, 1), (1, 1, 1)")
        run_sql(pair[1], "INSERT INTO t VALUES (2, 2, 2), (1, 1, 1), (3, 3, 3)")
        assert sorted(told(pair)) == [
            ("added", "t", (), (3, 3, 3), 1),
            ("removed", "t", (), (1, 1, 1), 2),
        ]

    def test_rows_at_both_ends_of_what_a_rowid_can_be_are_seen(
        self, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And at 0; on each side alone, and more than SQLite is asked for at once."""
        monkeypatch.setattr(by_rowid, "RANGE", 2)
        least, most = -(2**63), 2**63 - 1
        for key in ("INTEGER PRIMARY KEY", ""):
            for path, places in zip(pair, ((least, 0, 1, most), (-1, 1, 2)), strict=True):
                path.unlink(missing_ok=True)
                database(path, f"CREATE TABLE t (k {key})")
                values = ", ".join(f"({place}, {place})" for place in places)
                run_sql(path, f"INSERT INTO t (rowid, k) VALUES {values}")
            found = sorted((kind, row[0]) for kind, _, _, row, _ in told(pair))
            removed = [("removed", place) for place in (least, 0, most)]
            assert found == [("added", -1), ("added", 2), *removed]

    def test_types_and_collations_do_not_hide_a_change(self, pair: tuple[Path, Path]) -> None:
        """1 is not 1.0, and 'A' is not 'a', even where the table sorts them together."""
        both(pair, "CREATE TABLE t (k TEXT COLLATE NOCASE PRIMARY KEY, v, w COLLATE NOCASE)")
        run_sql(pair[0], "INSERT INTO t VALUES ('key', 1, 'a')")
        run_sql(pair[1], "INSERT INTO t VALUES ('KEY', 1.0, 'A')")
        (change,) = told(pair)
        assert change[0] == "changed"
        assert change[3] == {"k": ("key", "KEY"), "v": (1, 1.0), "w": ("a", "A")}

    @pytest.mark.parametrize("key", ["", "PRIMARY KEY"])
    @pytest.mark.parametrize(
        ("before", "after"), [("1", "1.0"), ("'a'", "'A'"), ("'1'", "x'31'"), ("''", "NULL")]
    )
    def test_one_value_of_another_type_is_a_change(
        self, pair: tuple[Path, Path], key: str, before: str, after: str
    ) -> None:
        """If it is all that differs, with a key and without."""
        both(pair, f"CREATE TABLE t (k INTEGER {key}, v COLLATE NOCASE)")
        run_sql(pair[0], f"INSERT INTO t VALUES (1, {before})")
        run_sql(pair[1], f"INSERT INTO t VALUES (1, {after})")
        expected = ["changed"] if key else ["added", "removed"]
        assert sorted(change[0] for change in told(pair)) == expected

    def test_generated_columns_are_left_to_what_they_are_made_of(
        self, pair: tuple[Path, Path]
    ) -> None:
        """Stored or not."""
        both(pair, "CREATE TABLE t (k INTEGER PRIMARY KEY, v AS (k * 2), w AS (k + 1) STORED)")
        run_sql(pair[0], "INSERT INTO t (k) VALUES (1)")
        run_sql(pair[1], "INSERT INTO t (k) VALUES (1), (2)")
        assert told(pair) == [("added", "t", (2,), (2,), 1)]

    def test_hostile_names_are_names(self, pair: tuple[Path, Path]) -> None:
        """Quotes, signs and words of SQL."""
        both(pair, 'CREATE TABLE "a""; +b.x" ("k ""k" PRIMARY KEY, "select", "goldfish_n")')
        both((pair[0], pair[1]), 'CREATE TABLE "GROUP" ("goldfish_n", "order by")')
        run_sql(pair[0], 'INSERT INTO "a""; +b.x" VALUES (1, 2, 3)')
        run_sql(pair[1], 'INSERT INTO "GROUP" VALUES (1, 2)')
        assert sorted(told(pair)) == [
            ("added", "GROUP", (), (1, 2), 1),
            ("removed", 'a"; +b.x', (1,), (1, 2, 3), 1),
        ]

    def test_a_full_text_index_differs_by_its_contents(self, pair: tuple[Path, Path]) -> None:
        """Its shadow tables are not told."""
        both(pair, "CREATE VIRTUAL TABLE f USING fts5(body)")
        run_sql(pair[0], "INSERT INTO f VALUES ('one'), ('two')")
        run_sql(pair[1], "INSERT INTO f VALUES ('one'), ('2')")
        assert told(pair) == [("changed", "f", (2,), {"body": ("two", "2")})]

    def test_an_index_that_cannot_be_read_back_is_refused(self, pair: tuple[Path, Path]) -> None:
        """With the way to leave it out."""
        both(pair, "CREATE VIRTUAL TABLE f USING fts5(body, content='')")
        with pytest.raises(UnreadableError, match="leave it out with ignore f"):
            told(pair)
        assert told(pair, ignore=["f"]) == []

    def test_a_module_or_collation_of_strangers_is_refused(self, pair: tuple[Path, Path]) -> None:
        """Only the application knows how to read it; the rest can be compared."""
        for path in pair:
            with closing(sqlite3.connect(path)) as connection:
                connection.create_collation("own", lambda a, b: (a > b) - (a < b))
                connection.execute("CREATE TABLE t (k TEXT COLLATE own PRIMARY KEY)")
                connection.execute("PRAGMA writable_schema=ON")
                connection.execute(
                    "INSERT INTO sqlite_master VALUES "
                    "('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING vec0(x)')"
                )
                connection.commit()
        with pytest.raises(UnreadableError, match=r"no such module: vec0.*ignore v"):
            told(pair)
        with pytest.raises(UnreadableError, match="no such collation sequence: own"):
            told(pair, ignore=["v"])
        assert told(pair, ignore=["v", "t"]) == []

    def test_text_in_another_encoding_is_compared_as_text(self, pair: tuple[Path, Path]) -> None:
        """Two files in UTF-16, masked and not."""
        both(pair, "PRAGMA encoding='UTF-16le'; CREATE TABLE t (k TEXT PRIMARY KEY, v)")
        run_sql(pair[0], "INSERT INTO t VALUES ('ÿ', 1), ('Ā', 2), ('z', 3)")
        run_sql(pair[1], "INSERT INTO t VALUES ('ÿ', 1), ('Ā', 5), ('z', 3)")
        assert told(pair) == [("changed", "t", ("Ā",), {"v": (2, 5)})]
        assert told(pair, ignore=["t.v"]) == []
        run_sql(pair[1], "DELETE FROM t WHERE k = 'Ā'")
        assert [change[2] for change in told(pair, ignore=["t.v"])] == [("Ā",)]


class TestSchema:
    def test_tables_columns_and_the_rest_are_told(self, pair: tuple[Path, Path]) -> None:
        """Each as what it is; rows are compared in the columns that both have."""
        conversation(pair[0], "one")
        conversation(pair[1], "1")
        run_sql(pair[0], "CREATE TABLE old (x)", "CREATE VIEW v AS SELECT 1")
        run_sql(
            pair[1],
            "ALTER TABLE messages ADD COLUMN more INT DEFAULT 3",
            "CREATE INDEX i ON messages (body)",
            "CREATE VIEW v AS SELECT 2",
            "PRAGMA user_version=2",
        )
        assert told(pair) == [
            ("added", "column", "more"),
            ("changed", "messages", (1,), {"body": ("one", "1")}),
            ("removed", "table", "old"),
            ("added", "index", "i"),
            ("changed", "setting", "user_version"),
            ("changed", "view", "v"),
        ]

    def test_a_constraint_is_a_part_of_its_table(self, pair: tuple[Path, Path]) -> None:
        """Though no column shows it."""
        database(pair[0], "CREATE TABLE t (k INTEGER PRIMARY KEY, v CHECK (v > 0))")
        database(pair[1], "CREATE TABLE t (k INTEGER PRIMARY KEY, v CHECK (v > 1))")
        assert told(pair) == [("changed", "table", "t")]

    def test_a_key_that_changed_still_tells_its_rows(self, pair: tuple[Path, Path]) -> None:
        """By all that they hold."""
        database(pair[0], "CREATE TABLE t (k INTEGER PRIMARY KEY, v)", {"t": [(1, 2), (3, 4)]})
        database(pair[1], "CREATE TABLE t (k INT, v PRIMARY KEY)", {"t": [(3, 4), (1, 5)]})
        rows = [change for change in told(pair) if change[1] == "t" and len(change) == 5]
        assert rows == [("removed", "t", (1,), (1, 2), 1), ("added", "t", (1,), (1, 5), 1)]

    def test_only_the_tables_asked_for_are_looked_at(self, pair: tuple[Path, Path]) -> None:
        """An unknown one is refused, with the nearest name."""
        conversation(pair[0], "one")
        conversation(pair[1], "two")
        run_sql(pair[1], "CREATE TABLE other (x)", "PRAGMA user_version=1")
        assert [change[1] for change in told(pair, tables=["Messages"])] == ["messages"]
        with pytest.raises(UsageError, match="'message': did you mean messages"):
            told(pair, tables=["message"])


class TestMasks:
    SCRIPT = """
        CREATE TABLE snapshots (snapshot_id TEXT PRIMARY KEY, label, created_at);
        CREATE TABLE turns (n INTEGER PRIMARY KEY, snapshot REFERENCES snapshots (snapshot_id));
    """
    IDS = ("snapshots.snapshot_id", "turns.snapshot")

    def filled(self, path: Path, ids: str, turns: str) -> None:
        database(path, self.SCRIPT)
        for n, (snapshot, label) in enumerate(zip(ids, "abc", strict=False)):
            run_sql(path, f"INSERT INTO snapshots VALUES ('{snapshot}', '{label}', {n})")
        for n, snapshot in enumerate(turns):
            run_sql(path, f"INSERT INTO turns VALUES ({n}, '{snapshot}')")

    def test_other_ids_in_the_same_places_are_the_same(self, pair: tuple[Path, Path]) -> None:
        """Whatever order the ids themselves have, and across tables."""
        self.filled(pair[0], "xyz", "xxyz")
        self.filled(pair[1], "qpo", "qqpo")
        assert told(pair, ignore=self.IDS) == []
        assert told(pair)

    @pytest.mark.parametrize("turns", ["qppo", "qqpq", "pqqo"])
    def test_ids_that_are_equal_elsewhere_differ(self, pair: tuple[Path, Path], turns: str) -> None:
        """Equal stays equal, different stays different, also from table to table."""
        self.filled(pair[0], "xyz", "xxyz")
        self.filled(pair[1], "qpo", turns)
        assert told(pair, ignore=self.IDS)

    def test_a_row_too_few_is_one_change(self, pair: tuple[Path, Path]) -> None:
        """The stand-ins of the others stay what they were."""
        self.filled(pair[0], "xyz", "")
        self.filled(pair[1], "qpo", "")
        run_sql(pair[1], "DELETE FROM snapshots WHERE label = 'a'")
        (change,) = find_differences(*pair, ignore=self.IDS)
        assert isinstance(change, RowChange)
        assert (change.kind, change.before) == (
            "removed",
            {"snapshot_id": "<snapshot_id 1>", "label": "a", "created_at": 0},
        )

    def test_a_null_is_not_masked(self, pair: tuple[Path, Path]) -> None:
        """A value that is missing is no other value."""
        for path, value in zip(pair, ("'x'", "NULL"), strict=True):
            database(path, "CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
            run_sql(path, f"INSERT INTO t VALUES (1, {value})")
        assert told(pair, ignore=["t.v"])
        assert told(pair, ignore=["t.v=any"]) == []

    def test_times_may_hide_whether_they_are_equal(self, pair: tuple[Path, Path]) -> None:
        """Two rows of one second are not two rows of one second the next time."""
        for path, times in zip(pair, ((1, 1), (5, 6)), strict=True):
            database(path, "CREATE TABLE t (k INTEGER PRIMARY KEY, created_at)")
            run_sql(path, f"INSERT INTO t VALUES (1, {times[0]}), (2, {times[1]})")
        assert told(pair, ignore=["*.created_at"])
        assert told(pair, ignore=["*.created_at=any"]) == []

    @pytest.mark.parametrize("pattern", ["", " ", ".", "t.", ".v", "=any"])
    def test_a_pattern_that_names_nothing_is_refused(
        self, pair: tuple[Path, Path], pattern: str
    ) -> None:
        """It would mask nothing, or everything."""
        with pytest.raises(UsageError, match=r"write table\.column"):
            Masks([pattern])


SHAPES = {
    "rowid": "CREATE TABLE t (k INTEGER PRIMARY KEY, v, w TEXT)",
    "text": "CREATE TABLE t (k TEXT PRIMARY KEY, v, w TEXT COLLATE NOCASE)",
    "heap": "CREATE TABLE t (k, v, w TEXT)",
    "compound": "CREATE TABLE t (k, v, w TEXT, PRIMARY KEY (v, k))",
    "without rowid": "CREATE TABLE t (k, v NOT NULL, w, PRIMARY KEY (k)) WITHOUT ROWID",
}
VALUES = [None, 0, 1, 1.0, "1", b"1", "a", "A", "", b"", 2**53, float(2**53), "ä\0b", -1.5]


def scribbled(choice: random.Random, path: Path, shape: str, seed: int) -> list[Told]:
    """A table with some random rows, and what is in it."""
    database(path, SHAPES[shape])
    common = random.Random(seed)
    with closing(connected(path)) as connection:
        for _ in range(12):
            source = common if choice.random() < 0.8 else choice
            key = common.randrange(9) if shape == "rowid" else common.choice(VALUES)
            row = key, source.choice(VALUES), source.choice(VALUES)
            if _allowed(shape, row):
                connection.execute("INSERT OR REPLACE INTO t VALUES (?, ?, ?)", row)
        connection.commit()
        rows = connection.execute("SELECT k, typeof(k), v, typeof(v), w, typeof(w) FROM t")
        return rows.fetchall()


def _allowed(shape: str, row: Told) -> bool:
    return shape != "without rowid" or (row[0] is not None and row[1] is not None)


def replayed(changes: Iterator[RowChange], before: Counter[Told]) -> Counter[Told]:
    """What the first table becomes when the changes are made to it."""
    rows = Counter(before)
    for change in changes:
        if change.before is not None:
            rows[tuple(change.before.values())] -= change.times
        if change.after is not None:
            rows[tuple(change.after.values())] += change.times
    assert min(rows.values(), default=0) >= 0
    return +rows


@pytest.mark.parametrize("shape", SHAPES)
def test_changes_lead_from_one_database_to_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    """On random tables, by SQLite and by Python, in many steps and in one, and the hash agrees."""
    for seed in range(25):
        monkeypatch.setattr(by_rowid, "RANGE", 3 if seed % 2 else 1_000)
        choice = random.Random(seed)
        paths = tmp_path / f"{seed}a.db", tmp_path / f"{seed}b.db"
        before, after = (
            Counter(_typed(row) for row in scribbled(choice, path, shape, seed)) for path in paths
        )
        by_sqlite = [_typed_change(each) for each in find_differences(*paths)]
        with open_for_reading(*paths) as connection:
            one, other = (read_schema(connection, name).tables["t"] for name in SCHEMAS)
            merged = MergeComparison(connection, (one, other), Masks(), StandIns(Masks()))
            by_python = [_typed_change(each) for each in merged.changes()]
        assert replayed(iter(by_sqlite), before) == after
        assert replayed(iter(by_python), before) == after
        assert (before == after) == (by_sqlite == [])
        assert (before == after) == (logical_hash(paths[0]) == logical_hash(paths[1]))


def _typed(row: Told) -> Told:
    return tuple((kind, value) for value, kind in zip(row[::2], row[1::2], strict=True))


KINDS = {int: "integer", float: "real", str: "text", bytes: "blob", type(None): "null"}


def _typed_change(change: RowChange | SchemaChange) -> RowChange:
    assert isinstance(change, RowChange)
    return replace(change, before=_typed_row(change.before), after=_typed_row(change.after))


def _typed_row(row: Any) -> Any:
    return row and {name: (KINDS[type(value)], value) for name, value in row.items()}
