"""The documents at the front door: their commands exist; tests/docs runs their code."""

import re
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
