"""The documents at the front door: their commands exist; tests/docs runs their code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def code_blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_the_make_targets_that_are_named_exist(document: str) -> None:
    """Every `make X` of the front door is in the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in code_blocks(document, "console"):
        for target in re.findall(r"^\$ make (\w+)", command, re.MULTILINE):
            assert f"\n{target}:" in makefile


def test_the_readme_finds_a_bug_within_twenty_lines() -> None:
    """One sentence, then a command."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("$ ") for line in lines[:20])


def test_the_readme_leads_to_a_verdict_on_ones_own_store(tmp_path: Path) -> None:
    """Word for word: a file of at most ten lines, and a command, where pytest is not installed."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, section = readme.partition("## Test your memory")
    found = re.search(
        r"`(\w+\.py)`:\n\n```python\n(.*?)```\n\n```console\n\$ (.*?)\n```", section, re.S
    )
    assert found is not None
    name, code, command = found.groups()
    assert len(code.splitlines()) <= 10
    (tmp_path / name).write_text(code)
    program, *words = command.split()
    assert program == ".venv/bin/goldfish"
    run = "import sys; sys.modules['pytest'] = None; from goldfish.cli import main; main()"
    quick = ["--only", "DUR02"]
    made = subprocess.run(
        [sys.executable, "-c", run, *words, *quick],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("my_memory: held. 1 promise held.")
