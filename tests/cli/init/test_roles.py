"""A class that has a method for each role: other roles are refused, and the class not blamed."""

import json
import os
import sys
from pathlib import Path

import pytest

from goldfish.cli import run_command

FILE = Path("tests/test_memory.py")
CLASS = '''
import json
from pathlib import Path

class Conversation:
    """One conversation, in a file of JSON Lines."""

    def __init__(self, conversation_id: str, base_dir: Path = Path("conversations")):
        self.path = base_dir / f"{conversation_id.encode().hex()}.jsonl"

    def add_user_message(self, text: str) -> None:
        self._add("user", text)

    def add_assistant_message(self, text: str) -> None:
        self._add("assistant", text)

    def _add(self, role, text):
        with self.path.open("a") as file:
            file.write(json.dumps({"role": role, "content": text}) + chr(10))

    @property
    def messages(self) -> list[dict]:
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [json.loads(line) for line in lines]

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)
'''
SYSTEM = """
    def add_system_message(self, text: str) -> None:
        self._add("system", text)
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with such a class; its directory is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delitem(sys.modules, "conv", raising=False)
    (tmp_path / "conv.py").write_text(CLASS)
    return tmp_path


def read_verdicts() -> dict[str, str]:
    """Return what is said of each check that was asked, after the guess is confirmed."""
    FILE.write_text(FILE.read_text().replace(", guessed=True", ""))
    arguments = ["--only", "ORD,FID,CLR,DUR08", "--seed", "7", "--json", "report.json"]
    run_command(["check", f"{FILE}:memory", *arguments])
    (report,) = json.loads(Path("report.json").read_text())["reports"]
    return {each["code"]: each["verdict"] for each in report["checks"]}


def test_a_role_without_a_method_is_refused_and_nobody_is_blamed(project: Path) -> None:
    """It is not written as if a user had said it, which would be the file's own mistake."""
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert 'elif each.role == "user":' in text
    assert 'raise ValueError(f"it has no method for the role {each.role}")' in text
    verdicts = read_verdicts()
    assert "broken" not in verdicts.values()
    assert list(verdicts.values()).count("held") > 20


def test_a_role_that_has_a_method_is_written_by_it(project: Path) -> None:
    """And what writes in it is asked."""
    (project / "conv.py").write_text(CLASS + SYSTEM)
    assert run_command(["init"]) == 0
    text = FILE.read_text()
    assert ".add_system_message(each.content)" in text
    assert read_verdicts()["ORD09"] == "held"
