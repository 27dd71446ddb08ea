"""A memory of the project's own: it is found, wrapped, and not judged before a user has looked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.cli.init.project import survey
from goldfish.targets.guesses import MARK
from goldfish.targets.lookup import is_installed
from tests.cli.init.projects import SAMPLES as PLAIN
from tests.cli.init.projects import Sample
from tests.cli.init.strange_projects import STRANGE

FILE = Path("tests/test_memory.py")
# One of each way to reach a storage: the others differ from these in their words only.
JUDGED = (
    *("redis-module-client", "redis-host-port", "sqlalchemy-functions", "sqlite-functions"),
    *(each for each in STRANGE if each != "redis-facts"),
)
SAMPLES = {**PLAIN, **STRANGE}
BUGS = {  # what is planted in a project, and the promise that it breaks
    "redis-diary": ("p_diary.py", "start, -1)", "start, 1)", "DUR02"),
    "sqlite-tuples": ("services/chat/p_chat/store.py", "ORDER BY n", "ORDER BY what", "ORD01"),
    "redis-facts": ("p_person_facts.py", "{person}", "{person[:1]}", "ISO23"),
    "sqlalchemy-parents": ("p_orm/repositories.py", "(Message.id)", "(Message.content)", "ORD01"),
}


@pytest.fixture
def sample(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Sample:
    """A project on disk, whose directory is the current one."""
    chosen = SAMPLES[request.param]
    for name, text in chosen.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return chosen


@pytest.mark.parametrize("sample", SAMPLES, indirect=True)
def test_the_projects_own_memory_is_found_and_wrapped(
    sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its class or functions are called by their names, on storage of the sandbox's own."""
    assert run_command(["init"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    text = FILE.read_text(encoding="utf-8")
    compile(text, str(FILE), "exec")
    assert sample.found in out
    assert "goldfish.SQLiteMemoryStore" not in text
    assert f".{sample.writes}(" in text or not sample.writes
    assert f".{sample.reads}" in text
    assert [line for line in sample.lines if line not in text] == []
    assert "".join(f'"{each}"' for each in sample.services) in text


@pytest.mark.parametrize("sample", SAMPLES, indirect=True)
def test_a_guess_says_which_lines_to_look_at(
    sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command names each line that is marked, and the target is declared a guess."""
    run_command(["init"])
    text = FILE.read_text(encoding="utf-8")
    marked = [str(n) for n, line in enumerate(text.splitlines(), 1) if MARK in line]
    assert f"{', '.join(marked)}:" in " ".join(capsys.readouterr().out.split())
    assert text.count("guessed=True)") == 1


@pytest.mark.parametrize("sample", ["sqlite-raw"], indirect=True)
def test_a_guess_fails_in_pytest_and_on_the_command_line(
    sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one sentence that names the lines; nothing was asked of a store that is not theirs."""
    run_command(["init"])
    arguments = ["-p", "no:asyncio", "-p", "no:anyio", "-p", "no:cacheprovider", "-q", str(FILE)]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "1 failed" in run.stdout
    assert "passed" not in run.stdout
    assert "is a guess of goldfish init" in run.stdout
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory"]) == 2
    assert "then delete guessed=True" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("sample", JUDGED, indirect=True)
def test_a_guess_that_is_confirmed_judges_the_projects_own_memory(
    sample: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the file was written: only guessed=True is deleted."""
    if not all(map(is_installed, sample.needs)):
        pytest.skip("a package of the project is not installed")
    run_command(["init"])
    text = FILE.read_text(encoding="utf-8")
    FILE.write_text(text.replace(", guessed=True", ""), encoding="utf-8")
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO01,ORD01", "--seed", "7"]) == 0
    assert "memory: held. 2 promises held." in capsys.readouterr().out


@pytest.mark.parametrize("sample", BUGS, indirect=True)
def test_a_bug_in_the_projects_memory_is_found(
    sample: Sample, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file that init writes reaches the project's own code."""
    if not all(map(is_installed, sample.needs)):
        pytest.skip("a package of the project is not installed")
    name, right, wrong, code = BUGS[request.node.callspec.params["sample"]]
    Path(name).write_text(Path(name).read_text().replace(right, wrong))
    run_command(["init"])
    FILE.write_text(FILE.read_text().replace(", guessed=True", ""))
    capsys.readouterr()
    assert run_command(["check", f"{FILE}:memory", "--only", code, "--seed", "7"]) == 1
    assert "1 promise broken" in capsys.readouterr().out


@pytest.mark.parametrize(
    "source",
    [
        "import sqlite3\nclass Orders:\n def place(self, customer, article):\n"
        "  self.db.execute('INSERT INTO orders (customer, article) VALUES (?, ?)',\n"
        "                  (customer, article))\n"
        " def of(self, customer):\n"
        "  return self.db.execute('SELECT article FROM orders WHERE customer = ?', (customer,))",
        "class EventLog:\n def record(self, session_id, kind, payload):\n"
        "  self.client.rpush(f'session:{session_id}:events', payload)\n"
        " def events(self, session_id):\n"
        "  return self.client.lrange(f'session:{session_id}:events', 0, -1)",
        "class Cache:\n def set(self, key, value): ...\n def get(self, key): ...",
        "class Orders:\n def add(self, order): ...\n def get(self, order_id): ...",
        "class Users:\n def create(self, user): ...\n def get(self, user_id): ...",
        "def save(path, data): ...\ndef load(path): ...",
        "class Audit:\n def record(self, user_id, event): ...\n def list(self, user_id): ...",
        "from typing import Protocol\nclass History(Protocol):\n"
        " def append(self, session_id, message): ...\n def load(self, session_id): ...",
    ],
)
def test_what_is_no_memory_is_passed(source: str, tmp_path: Path) -> None:
    """Caches, repositories of other things, logs of events, and interfaces without code."""
    (tmp_path / "shop.py").write_text(source)
    assert survey(tmp_path).memories == []


IN_NAME_ONLY = """
from abc import ABC, abstractmethod

class History(ABC):
    @abstractmethod
    def append(self, session_id, role, content): ...
    @abstractmethod
    def load(self, session_id): ...
    def clear(self, session_id):
        '''Remove everything.'''
        raise NotImplementedError("no clear")

class FileHistory(History):
    def __init__(self, path):
        self.path = path
    def append(self, session_id, role, content):
        with open(self.path, "a") as file:
            file.write(f"{session_id} {role} {content}")
    def load(self, session_id):
        return open(self.path).read().splitlines()

class RemoteHistory:
    def append(self, session_id, role, content):
        raise NotImplementedError
    def load(self, session_id):
        raise NotImplementedError
"""


def test_a_method_in_name_only_is_not_wired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an abstract base has it, whose classes need not have it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "history.py").write_text(IN_NAME_ONLY)
    (found,) = survey(tmp_path).memories
    assert found.name == "FileHistory"
    assert dict(found.others) == {}
    run_command(["init"])
    assert "def clear(" not in FILE.read_text()


def test_stand_ins_of_tests_are_passed(tmp_path: Path) -> None:
    """The memory of the application is what is meant."""
    (tmp_path / "tests").mkdir()
    text = SAMPLES["in-process-dict"].files["p_dict_memory.py"]
    (tmp_path / "tests" / "fakes.py").write_text(text)
    assert survey(tmp_path).memories == []


@pytest.mark.parametrize("sample", ["redis-class"], indirect=True)
def test_another_memory_can_be_chosen(sample: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command that the first run shows for it."""
    other = "class NoteMemory:\n def add_message(self, session_id, role, text): ...\n"
    Path("p_redis_class/notes.py").write_text(f"{other} def messages(self, session_id): ...\n")
    assert run_command(["init"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "goldfish init --for NoteMemory tests/test_notememory.py" in out
    assert run_command(["init", "tests/test_notememory.py", "--for", "NoteMemory"]) == 0
    assert ".add_message(" in Path("tests/test_notememory.py").read_text()


@pytest.mark.parametrize("where", ["a\nimport os\nos.abort()", 'a"""b', "a\\"])
def test_names_of_files_cannot_write_code(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be imported is passed, so none of it gets into the file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / where).mkdir()
    (tmp_path / where / "store.py").write_text(SAMPLES["sqlite-raw"].files["p_sqlite_raw.py"])
    assert survey(tmp_path).memories == []
