"""Which checks a suite has: those that fit the target."""

from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish.plugin.suite import select_checks
from goldfish.targets.declaration import as_target


def test_an_agent_is_asked_about_prompts_and_a_memory_about_all_else() -> None:
    """Nobody gets items that cannot say anything."""
    agent = goldfish.agent(lambda sandbox: None)
    memory = as_target(lambda sandbox: None, "memory")
    assert {each.family for each in select_checks(agent)} == {"CTX"}
    assert "CTX" not in {each.family for each in select_checks(memory)}


def list_items(function: Any) -> set[str]:
    """Return the codes of the items that a suite makes."""
    (mark,) = function.pytestmark
    return {str(each.id).partition("-")[0] for each in mark.args[1]}


def test_a_suite_can_be_pinned_to_an_edition_and_a_profile() -> None:
    """As the command line can."""
    codes = list_items(
        goldfish.suite("memory", suite="smoke", edition="2026.11", profile="single-process")
    )
    assert "ORD01" in codes
    assert "DUR02" not in codes


def test_a_suite_takes_what_the_project_of_its_file_has_settled(tmp_path: Path) -> None:
    """The pyproject.toml above the test file, wherever pytest was started."""
    (tmp_path / "pyproject.toml").write_text('[tool.goldfish]\nprofile = "single-process"\n')
    source = "import goldfish\ntest_memory = goldfish.suite('memory', suite='smoke')\n"
    names: dict[str, Any] = {"__name__": "test_it"}
    exec(compile(source, tmp_path / "test_it.py", "exec"), names)
    assert "DUR02" not in list_items(names["test_memory"])


def test_targets_of_options_can_be_pinned_too(pytester: pytest.Pytester) -> None:
    """By an option, or by the project."""
    options = "--goldfish memory --goldfish-suite smoke --collect-only -q -p no:cacheprovider"
    pinned = ["--goldfish-edition", "2026.11", "--goldfish-profile", "single-process"]
    said = pytester.runpytest_subprocess(*options.split(), *pinned)
    said.stdout.fnmatch_lines(["*ORD01*"])
    said.stdout.no_fnmatch_line("*DUR02*")
    wrong = pytester.runpytest_subprocess(*options.split(), "--goldfish-edition", "1999.1")
    wrong.stdout.fnmatch_lines(["*no edition named '1999.1'*"])
