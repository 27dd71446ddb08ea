"""The project's names in a generated file: none is hidden by what the file itself defines."""

import ast
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.cli.init.agent_files import render_agent
from goldfish.cli.init.names import OWN, ProjectNames
from goldfish.cli.init.project import survey
from tests.cli.init.projects import SAMPLES
from tests.cli.init.test_agents import FASTAPI, SOURCES

FILE = Path("tests/test_memory.py")
FUNCTIONS = """
import json
from pathlib import Path

FOLDER = Path("chats")

def save_message(session_id: str, role: str, content: str) -> None:
    FOLDER.mkdir(exist_ok=True, parents=True)
    with (FOLDER / f"{session_id.encode().hex()}.jsonl").open("a") as file:
        file.write(json.dumps({"role": role, "content": content}) + chr(10))

def load_messages(session_id: str) -> list[dict]:
    file = FOLDER / f"{session_id.encode().hex()}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
"""


def list_defined(text: str) -> Iterator[str]:
    """Yield each name that a file binds, but those that it imports."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id


def list_imported(text: str, packages: Sequence[str] = ()) -> set[str]:
    """Return the names that a file imports, modules by their top; those of packages, if given."""
    return {
        each.asname or each.name.partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for each in node.names
        if not packages or is_in(getattr(node, "module", "") or each.name, packages)
    }


def is_in(module: str, packages: Sequence[str]) -> bool:
    """Return True if a module is one of these packages, or in one of them."""
    return module.partition(".")[0] in packages


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return tmp_path


@pytest.mark.parametrize("module", ["memory", "messages", "store", "sandbox", "history", "quote"])
def test_a_module_that_is_called_like_a_name_of_the_file_is_reached(
    module: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing in the file hides it: neither the target, nor a parameter, nor a variable."""
    (project / f"{module}.py").write_text(FUNCTIONS)
    assert run_command(["init"]) == 0
    assert "Found your memory: save_message and load_messages" in capsys.readouterr().out
    text = FILE.read_text()
    assert list_imported(text).isdisjoint(list_defined(text))
    assert f"import {module} as project_{module}" in text


def test_a_module_called_memory_is_checked_when_the_guess_is_confirmed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The target has its usual name, and reaches the module's functions and values."""
    (project / "memory.py").write_text(FUNCTIONS)
    run_command(["init"])
    FILE.write_text(FILE.read_text().replace(", guessed=True", ""))
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO01,ORD01", "--seed", "7"]) == 0
    assert "memory: held. 2 promises held." in capsys.readouterr().out


@pytest.mark.parametrize("sample", SAMPLES)
def test_all_that_a_file_defines_is_known_as_its_own(sample: str, project: Path) -> None:
    """So that no name of a project is imported under it, in any kind of file."""
    for name, source in SAMPLES[sample].files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(source)
    run_command(["init"])
    text = FILE.read_text()
    packages = [part for name in SAMPLES[sample].files for part in Path(name).with_suffix("").parts]
    theirs = list_imported(text, packages) - {"project"}
    own = {*list_defined(text), *list_imported(text)} - theirs
    assert own <= OWN | WRAPPED
    assert theirs.isdisjoint(list_defined(text))


# Methods of the wrapper, which hide nothing: they are reached as attributes.
WRAPPED = {"__init__", "add_messages", "get_history", "clear", "remember", "recall", "list_facts",
           "forget_all"}  # fmt: skip


@pytest.mark.parametrize("source", [each for each in SOURCES if each != FASTAPI])
def test_an_agent_that_is_called_like_the_target_is_reached(source: str, tmp_path: Path) -> None:
    """As ``bot`` is: the object of the project goes by another name in the file."""
    (tmp_path / "app.py").write_text(source)
    (found,) = survey(tmp_path).agents
    text = render_agent(found)
    assert list_imported(text).isdisjoint(list_defined(text))
    assert {*list_defined(text)} <= OWN | WRAPPED


def test_two_names_that_are_the_same_are_imported_under_two() -> None:
    """Of two modules that have a class of one name, both are reached."""
    names = ProjectNames()
    assert names.use("a", "Message") == "Message"
    assert names.use("a", "Message") == "Message"
    assert names.use("b", "Message") == "project_b_Message"
    assert names.use_module("memory.store") == "project_memory_store"
    assert names.write_imports() == [
        "from a import Message",
        "from b import Message as project_b_Message",
        "import memory.store as project_memory_store",
    ]


def test_builtins_are_left_alone() -> None:
    """A module called ``list`` does not take the place of what the file calls."""
    assert ProjectNames().use_module("list") == "project_list"
