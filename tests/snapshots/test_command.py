"""``goldfish diff``, from the words of a user to an exit code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from tests.snapshots.databases import conversation, database, run_sql


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, with two databases in it."""
    monkeypatch.chdir(tmp_path)
    conversation(tmp_path / "a.db", "one", "two")
    conversation(tmp_path / "b.db", "one", "2")
    return tmp_path


def test_the_same_is_0(capsys: pytest.CaptureFixture[str]) -> None:
    """And said so."""
    assert run_command(["diff", "a.db", "a.db"]) == 0
    assert capsys.readouterr().out == "a.db and a.db: the same\n"


def test_a_difference_is_1_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Row by row, or with --summary in one line per table."""
    assert run_command(["diff", "a.db", "b.db"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "a.db and b.db differ",
        "  rows: 1 changed; 1 table",
        "messages  rows: 1 changed",
        "  ~ id=2",
        "      body: 'two' → '2'",
    ]
    assert run_command(["diff", "a.db", "b.db", "--summary"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "messages  rows: 1 changed"


def test_columns_can_be_masked_and_tables_chosen(here: Path) -> None:
    """As often as needed."""
    run_sql(here / "b.db", "CREATE TABLE more (x)")
    assert run_command(["diff", "a.db", "b.db", "--ignore", "*.body"]) == 1
    assert run_command(["diff", "a.db", "b.db", "--ignore", "*.body", "--ignore", "more"]) == 0
    assert run_command(["diff", "a.db", "b.db", "--ignore", "*.body", "--table", "messages"]) == 0
    assert run_command(["diff", "--table=messages", "a.db", "--ignore=*.body", "b.db"]) == 0
    assert run_command(["diff", "--table=messages", "--", "a.db", "b.db"]) == 1


def test_the_help_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    """With every option."""
    assert run_command(["diff", "--help"]) == 0
    told = capsys.readouterr().out
    assert all(option in told for option in ("--ignore", "--table", "--summary", "--json"))


def test_json_is_one_document(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    """Every change, with types that JSON does not have spelled out."""
    values = [(1, b"\xff"), (2, float("inf")), (3, "\x1b")]
    database(here / "c.db", "CREATE TABLE t (k INTEGER PRIMARY KEY, v)")
    database(here / "d.db", "CREATE TABLE t (k INTEGER PRIMARY KEY, v)", {"t": values})
    assert run_command(["diff", "c.db", "d.db", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["same"] is False
    assert document["rows"] == {"added": 3, "removed": 0, "changed": 0}
    told = [each["after"]["v"] for each in document["changes"]]
    assert told == [{"blob": "ff"}, {"real": "inf"}, "\x1b"]
    assert run_command(["diff", "c.db", "c.db", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == {
        "schema": 1,
        "changes": [],
        "same": True,
        "rows": {"added": 0, "removed": 0, "changed": 0},
        "definitions": 0,
    }


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a.db no.db", "no.db does not exist: check the path"),
        ("a.db .", ". is a directory: name a SQLite file"),
        ("text.db text.db", "text.db is not a SQLite database, or it is encrypted: "),
        ("a.db b.db --table message", "no table named 'message': did you mean messages?"),
        ("a.db b.db --ignore .", "'.' names no column to ignore: write table.column"),
        ("a.db", "Missing argument 'B.db'"),
        ("a.db b.db c.db", "Got unexpected extra argument"),
        ("a.db b.db --tabel x", "No such option: --tabel"),
        ("a.db b.db --table", "Option '--table' requires an argument."),
    ],
)
def test_what_cannot_be_compared_is_2(
    capsys: pytest.CaptureFixture[str], here: Path, words: str, told: str
) -> None:
    """In one sentence, and never the same, even for a file and itself."""
    (here / "text.db").write_text("no database")
    assert run_command(["diff", *words.split()]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"goldfish: {told}")
    assert len(captured.err.splitlines()) == 1


def test_a_plain_comparison_does_not_wait_for_the_words_of_other_commands() -> None:
    """What reads options, and all that other commands need, is not imported."""
    code = (
        "import sys; from goldfish import cli; cli.run_command(sys.argv[1:]); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code, "diff", "a.db", "b.db", "--summary"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert {"typer", "rich", "pydantic"}.isdisjoint(out.splitlines()[-1].split())


def test_memory_does_not_grow_with_the_databases(here: Path) -> None:
    """Neither with those that are the same, nor with a million bytes of differences."""
    script = "CREATE TABLE t (k INTEGER PRIMARY KEY, v)"
    rows = "INSERT INTO t SELECT value, hex(zeroblob(1000)) FROM series"
    series = "WITH RECURSIVE series (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM series "
    for name, count in (("c.db", 4_000), ("d.db", 4_000), ("e.db", 1)):
        database(here / name, script)
        run_sql(here / name, f"{series} WHERE value < {count}) {rows}")
    code = (
        "import sys, resource; from goldfish.cli import run_command\n"
        "base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "code = run_command(['diff', *sys.argv[1:]])\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024, code)"
    )
    for words in (["c.db", "d.db"], ["c.db", "e.db"], ["c.db", "e.db", "--json"]):
        ran = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
        )
        grown = int(ran.stdout.splitlines()[-1].split()[0])
        assert grown < 25, words
