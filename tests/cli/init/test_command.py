"""``goldfish init``: a test file that runs at once, for whatever a project remembers with."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from goldfish.cli import run_command
from goldfish.cli.init.starters import STARTERS, missing_extras
from goldfish.embedding import why_not

NO_PLUGINS = ["-p", "no:asyncio", "-p", "no:anyio", "-p", "no:valkey", "-p", "no:cacheprovider"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def ran(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """A pytest of the user's, without the plugins of our own tests."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", *NO_PLUGINS, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTEST_ADDOPTS": ""},
        check=False,
    )


def test_an_unknown_project_gets_a_place_for_its_own_store_that_runs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command that init says to run next."""
    assert run_command(["init"]) == 0
    out = capsys.readouterr().out
    assert "\nWritten: tests/test_memory.py\nNext: pytest tests/test_memory.py\n" in out
    assert "\nFirst:" not in out
    run = ran("tests/test_memory.py", "-k", "DUR02 or ISO01")
    assert run.returncode == 0, run.stdout
    assert "2 passed" in run.stdout


def test_every_starter_runs_at_once(project: Path) -> None:
    """Each is judged but those that live in the process, which is told once."""
    starters = [each for each in STARTERS.values() if not missing_extras(each)]
    if why_not():
        starters = [each for each in starters if each.name != "mem0"]
    for starter in starters:
        assert run_command(["init", f"test_{starter.name}.py", "--for", starter.name]) == 0
    run = ran("-k", "DUR02 or DUR23", "--junit-xml", "r.xml")
    outcomes = {
        case.get("classname", "").removeprefix("test_"): [each.tag for each in case]
        for case in ElementTree.parse(project / "r.xml").iter("testcase")
        if not case.findall("skipped")
    }
    in_process = {"langchain_memory", "langgraph_memory"}
    expected: dict[str, list[str]] = {
        each.name: [] for each in starters if each.name not in in_process
    }
    assert outcomes == expected, run.stdout


def test_a_file_that_is_there_is_kept_unless_forced(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the sentence says both ways out."""
    path = project / "tests" / "test_memory.py"
    path.parent.mkdir()
    path.write_text("mine")
    assert run_command(["init"]) == 2
    said = capsys.readouterr().err
    assert "tests/test_memory.py already exists: name another file, as in goldfish init " in said
    assert "tests/test_memory_2.py, or replace it with --force" in said
    assert path.read_text() == "mine"
    assert run_command(["init", "--force"]) == 0
    assert "goldfish.suite(" in path.read_text()


def test_what_was_found_is_told_and_what_else_there_is(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the command that would write a file for that."""
    (project / "app.py").write_text("import redis\nfrom mem0 import Memory")
    assert run_command(["init"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("Found Mem0: mem0.Memory in app.py. Written: tests/test_memory.py")
    assert "Also seen: a memory on Redis. goldfish init --for redis tests/test_redis.py" in out


def test_a_name_that_is_no_starter_brings_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is written."""
    assert run_command(["init", "--for", "langchain-redi"]) == 2
    assert "did you mean langchain_redis" in capsys.readouterr().err
    assert not Path("tests").exists()


@pytest.mark.parametrize(
    "folder",
    ['a"""b', "a\nimport os\nos.abort()", "a\u2028import os", "a\\", "coding: cp037", b"\xff"],
)
def test_the_names_of_a_project_stay_in_their_comment(project: Path, folder: str | bytes) -> None:
    """Quotes, line breaks and bytes in the path of a source do not become code."""
    place = Path(os.fsdecode(folder))
    plain, hostile = Path("test_plain.py"), Path("test_hostile.py")
    for where, test in ((Path("app"), plain), (place, hostile)):
        where.mkdir()
        (where / "memory.py").write_text("from agents import SQLiteSession\n")
        assert run_command(["init", str(test), "--for", "openai_agents_sqlite"]) == 0
        (where / "memory.py").unlink()
    assert "# agents.SQLiteSession is imported in " in hostile.read_text("utf-8")
    trees = [ast.dump(ast.parse(each.read_bytes())) for each in (plain, hostile)]
    assert trees[0] == trees[1]
