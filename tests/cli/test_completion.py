"""Completion in shells: everything that can be named is offered, and quickly."""

import os
import subprocess
import sys
from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.cli import completion
from goldfish.findings.families import FAMILIES
from goldfish.integrations.libraries import BUILT_INS
from goldfish.specimens import gallery

RUN = "import sys; from goldfish.cli import main; main()"


def asked(*words: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    """The command line in a process of its own."""
    command = [sys.executable, "-c", RUN, *words]
    env = {**os.environ, **settings}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=True)


def test_a_shell_gets_targets_through_the_light_entry() -> None:
    """As bash asks for them."""
    settings: dict[str, Any] = {
        "_GOLDFISH_COMPLETE": "complete_bash",
        "COMP_WORDS": "goldfish check langchain-",
        "COMP_CWORD": "2",
    }
    offered = asked(**settings).stdout.split()
    assert offered == [each for each in BUILT_INS if each.startswith("langchain-")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(shell: str) -> None:
    """With the name under which we are asked."""
    settings = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = asked("--show-completion", shell, **settings)
    assert f"_GOLDFISH_COMPLETE=complete_{shell}" in shown.stdout


def test_codes_and_specimens_are_those_of_the_catalogue() -> None:
    """Though they are read from its sources, for speed."""
    assert completion.list_codes() == sorted(catalogue())
    assert completion.list_specimens() == sorted(gallery())


def test_the_last_of_several_checks_is_completed() -> None:
    """Families too."""
    assert completion.checks("CON,LIV") == ["CON,LIV", *_codes("CON,", "LIV")]
    assert completion.checks("DUR0")[0] == "DUR01"
    assert completion.checks("")[: len(FAMILIES)] == list(FAMILIES)


def test_everything_else_with_a_name_is_offered() -> None:
    """Suites, words, starters, specimens, and what can be done with the model."""
    assert completion.suites("s") == ["smoke", "standard", "soak"]
    assert completion.explained("lo") == ["lost"]
    assert completion.explained("CON0")[0] == "CON01"
    assert "langchain_redis" in completion.starters("lang")
    assert "specimen:" in completion.targets("spec")
    assert completion.targets("specimen:wiped-on-o") == ["specimen:wiped-on-open"]
    assert completion.model_actions("i") == ["install"]


def _codes(before: str, family: str) -> list[str]:
    return [f"{before}{code}" for code in sorted(catalogue()) if code[:3] == family]
