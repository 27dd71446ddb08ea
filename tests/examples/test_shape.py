"""The four examples are alike: who knows one finds the way in all of them."""

import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("goldfish-bot", "mock-that-lied", "rollback-that-wiped", "thirty-percent")
FILES = {
    "README.md",
    "memory_broken.py",
    "memory_fixed.py",
    "pytest.ini",
    "test_before.py",
    "test_memory.py",
    "test_memory_broken.py",
}
PARTS = ["Run the broken one", "What goldfish says", "The fix", "Run it again"]
ONE_SCREEN = 76


def test_there_are_four() -> None:
    """One for each incident."""
    found = {path.name for path in EXAMPLES.iterdir() if (path / "README.md").exists()}
    assert found == {
        *NAMES,
        "agents",
        "mcp",
        "node-agent",
        "perl",
        "typescript",
    }  # which are about plugging in


@pytest.mark.parametrize("name", NAMES)
def test_each_has_the_same_files(name: str) -> None:
    """The broken memory, the fixed one, the tests before, and one test for each of them."""
    assert {path.name for path in (EXAMPLES / name).iterdir()} >= FILES


@pytest.mark.parametrize("name", NAMES)
def test_each_readme_has_the_same_parts_on_one_screen(name: str) -> None:
    """The incident, the run, what it says, the fix, and the run that passes."""
    readme = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", readme, re.MULTILINE) == PARTS
    incident = readme.partition("\n\n")[2].partition("\n\n")[0]
    assert len(incident.splitlines()) == 3
    assert len(readme.splitlines()) <= ONE_SCREEN
