"""A class of the project around Mem0: it is what is tested, or the user is told that it is not."""

import os
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.embedding import why_not
from goldfish.targets.lookup import is_installed

FILE = Path("tests/test_memory.py")
COACH = """
from mem0 import Memory

class AthleteMemory:
    def __init__(self, memory: Memory | None = None, *, top_k: int = 5) -> None:
        self._memory = memory or Memory.from_config({"llm": {"provider": "openai"}})
        self._top_k = top_k

    def jot_down(self, athlete_id: str, text: str) -> list[str]:
        said = [{"role": "user", "content": text}]
        result = self._memory.add(said, user_id=athlete_id, infer=False)
        return [each["id"] for each in result["results"]]

    def whatever_fits(self, athlete_id: str, about: str, most: int = 5) -> list[str]:
        filters = {"user_id": athlete_id}
        found = self._memory.search(about, filters=filters, top_k=most)
        return [each["memory"] for each in found["results"]]

    def everything(self, athlete_id: str) -> list[str]:
        found = self._memory.get_all(filters={"user_id": athlete_id})
        return [each["memory"] for each in found["results"]]

    def goodbye(self, athlete_id: str) -> None:
        self._memory.delete_all(user_id=athlete_id)
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delitem(sys.modules, "coach", raising=False)
    return tmp_path


def test_a_class_is_known_by_the_calls_of_the_client(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever its methods are called, they are what is tested."""
    (project / "coach.py").write_text(COACH)
    assert run_command(["init"]) == 0
    assert "Found your memory: AthleteMemory in coach.py" in capsys.readouterr().out
    text = FILE.read_text()
    for line in (
        "self.memory.jot_down(user_id, text)",
        "self.memory.whatever_fits(user_id, query, limit)",
        "_list_texts(self.memory.everything(user_id))",
        "self.memory.goodbye(user_id)",
        "AthleteMemory(memory=offline.Memory())",
    ):
        assert line in text
    if not is_installed("mem0") or why_not():
        pytest.skip("mem0 cannot be run here")
    FILE.write_text(text.replace(", guessed=True", ""))
    assert run_command(["check", f"{FILE}:memory", "--only", "ISO31,REC01", "--seed", "7"]) == 0
    assert "2 promises held" in capsys.readouterr().out


def test_a_class_that_is_not_known_is_named_as_not_tested(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the terminal and in the file: what is held says nothing of it."""
    code = "class Coach:\n    def __init__(self):\n        self.memory = Memory()\n"
    (project / "coach.py").write_text(f"from mem0 import Memory\n\n{code}")
    assert run_command(["init"]) == 0
    said = "Not tested: Coach in coach.py, which uses it;"
    assert said in " ".join(capsys.readouterr().out.split())
    assert f"# {said}" in FILE.read_text()


@pytest.mark.parametrize(
    "code",
    [
        "def add(self, tags, each):\n        tags.add(each)",
        "def _add(self, user, text):\n        self.m.add(text, user_id=user)",
        "def add(self, user, text, session):\n        self.m.add(text, user_id=user, x=session)",
    ],
)
def test_what_does_not_add_facts_of_a_user_is_not_wrapped(code: str, project: Path) -> None:
    """Other objects have methods of these names, and some need what init does not have."""
    search = "def find(self, user, text):\n        return self.m.search(text, user_id=user)"
    (project / "coach.py").write_text(f"import mem0\nclass Coach:\n    {code}\n    {search}\n")
    assert run_command(["init"]) == 0
    assert "Coach(" not in FILE.read_text()


def test_what_lists_facts_is_known_by_its_client_too(project: Path) -> None:
    """Where the names of the others say enough, and its own does not."""
    named = {"jot_down": "note", "whatever_fits": "lookup", "athlete_id": "customer", "most": "top"}
    code = COACH
    for old, new in named.items():
        code = code.replace(old, new)
    (project / "coach.py").write_text(code)
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert "self.memory.lookup(user_id, query, limit)" in text
    assert "def list_facts(self, user_id):" in text
    assert "_list_texts(self.memory.everything(user_id))" in text
