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


def test_an_unknown_project_gets_a_place_for_its_own_store_which_fails_until_it_is_there(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command that init says to run next: nothing is green on a store of ours."""
    assert run_command(["init"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Written: tests/test_memory.py\n")
    assert "\nNext: pytest tests/test_memory.py\n" in out
    assert "\nFirst:" not in out
    run = ran("tests/test_memory.py", "-k", "DUR02 or ISO01")
    assert run.returncode == 1, run.stdout
    assert "1 failed, 1 skipped" in run.stdout
    path = project / "tests" / "test_memory.py"
    path.write_text(path.read_text().replace("guessed=True", ""))
    run = ran("tests/test_memory.py", "-k", "DUR02 or ISO01")
    assert "passed" not in run.stdout
    assert "NotImplementedError: return your own memory here" in run.stdout
    capsys.readouterr()
    assert run_command(["check", "tests/test_memory.py:memory", "--only", "ISO01"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    line = path.read_text().splitlines().index(RAISES) + 1
    assert "NotImplementedError: return your own memory here" in said
    assert f"(line {line} of tests/test_memory.py)" in said


RAISES = '    raise NotImplementedError("return your own memory here")'


@pytest.mark.parametrize("file", ["package.json", "src/memory.ts", "lib/memory.mjs"])
def test_a_project_in_javascript_is_led_to_commands(
    file: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its memory is not in Python, so the file alone would not serve it."""
    (project / file).parent.mkdir(exist_ok=True)
    (project / file).write_text("{}")
    assert run_command(["init"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"Is your memory in {file} or beside it?" in out
    assert "goldfish check 'cmd:node memory.mjs'. docs/protocol.md says how." in out


@pytest.mark.parametrize("file", ["node_modules/redis/index.js", "tailwind.config.js", "a.json"])
def test_a_project_in_python_is_not(
    file: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Packages, and settings of tools, do not make it one."""
    (project / file).parent.mkdir(exist_ok=True, parents=True)
    (project / file).write_text("{}")
    assert run_command(["init"]) == 0
    assert "cmd:" not in capsys.readouterr().out


def test_every_starter_runs_at_once(project: Path) -> None:
    """Each is judged but those that live in the process, which is told once."""
    starters = [
        each
        for each in STARTERS.values()
        if not (missing_extras(each) or each.advice or each.is_placeholder)
    ]
    if why_not():
        starters = [each for each in starters if each.name != "mem0"]
    for starter in starters:
        file = project / f"test_{starter.name}.py"
        assert run_command(["init", file.name, "--for", starter.name]) == 0
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


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("folder", [".", "tests", "sub/folder"])
def test_a_directory_is_not_the_file_to_write(
    folder: str, force: list[str], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence says what to name instead; exit code 2, also with --force."""
    (project / folder).mkdir(parents=True, exist_ok=True)
    assert run_command(["init", folder, *force]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{folder} is a directory: name the file to write, for example tests/test_" in said
    assert list(project.rglob("*.py")) == []


def test_a_directory_that_is_not_there_is_not_made(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a slip more often than a wish; only tests/ is made, where pytest looks."""
    path = project / "nowhere" / "x" / "test_memory.py"
    assert run_command(["init", str(path)]) == 2
    assert f"there is no directory {path.parent}" in " ".join(
        capsys.readouterr().err.replace("\n", "").split()
    )
    assert list(project.iterdir()) == []
    assert run_command(["init", "tests/test_memory_2.py"]) == 0


def test_a_file_for_nothing_that_was_found_is_told_before_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was written comes first, then what it is for."""
    assert run_command(["init"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("Written: tests/test_memory.py It is for a memory of your own: no class")


def test_what_was_found_is_told_and_what_else_there_is(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the command that would write a file for that."""
    (project / "app.py").write_text("import redis\nfrom mem0 import Memory")
    assert run_command(["init"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("Found Mem0: mem0.Memory in app.py. Written: tests/test_memory.py")
    assert "looked at the line that is marked with GUESS" in out


def test_a_starter_that_is_chosen_for_a_library_of_the_project_is_a_guess_too(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It opens the library as goldfish does, and the project does it in its own way."""
    (project / "app.py").write_text("import redis\nfrom agents import SQLiteSession")
    assert run_command(["init", "test_chosen.py", "--for", "openai_agents_sqlite"]) == 0
    assert "looked at the line that is marked with GUESS" in " ".join(
        capsys.readouterr().out.split()
    )
    assert "guessed=True" in Path("test_chosen.py").read_text()


@pytest.mark.parametrize(
    ("source", "said", "written"),
    [
        (
            "from langgraph.checkpoint.redis import RedisSaver",
            "Found LangGraph, threads in Redis",
            "RedisSaver.from_conn_string",
        ),
        (
            "from langgraph.checkpoint.mongodb import MongoDBSaver",
            "goldfish has no target for langgraph.checkpoint.mongodb.MongoDBSaver (in app.py): "
            "goldfish.adapt.langgraph takes it",
            "goldfish.adapt.langgraph(MongoDBSaver(...))",
        ),
        (
            "from langchain_mongodb.chat_message_histories import MongoDBChatMessageHistory",
            "goldfish.adapt.langchain takes it",
            "goldfish.adapt.langchain(lambda session_id: MongoDBChatMessageHistory(...))",
        ),
        (
            "from zep_cloud.client import Zep",
            "goldfish has no target for zep_cloud.client.Zep (in app.py)",
            "return your own memory here",
        ),
    ],
)
def test_a_memory_of_a_library_is_never_taken_for_another(
    source: str, said: str, written: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One without a target is named as such, and its file says what to fill in."""
    (project / "app.py").write_text(
        f"{source}\nfrom langgraph.graph import StateGraph\n" if "langgraph" in source else source
    )
    assert run_command(["init"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    text = (project / "tests" / "test_memory.py").read_text()
    assert written in text
    assert "SqliteSaver" not in text
    assert "guessed=True" in text


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
