"""Whole agents as targets: short to write, and told right from wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.targets.names import resolve

AGENTS = Path(__file__).parents[2] / "examples" / "agents"
MOST = {
    "langgraph_agent": 40,
    "openai_agent": 40,
    "own_agent": 40,
    "strangers_library": 25,
}
BASICS = ["CLR01", "DUR02", "FID01", "ISO01", "ORD01"]


def code_lines(name: str) -> list[str]:
    """The lines of an example that are not empty."""
    lines = (AGENTS / f"{name}.py").read_text().splitlines()
    return [line for line in lines if line.strip()]


def found(target: str, codes: list[str]) -> dict[str, str]:
    """The verdicts on one of the examples."""
    wanted = [catalogue()[code] for code in codes]
    report = run(resolve(f"{AGENTS}/{target}"), wanted, Plan(seed=1, workers=2))
    return {result.code: result.verdict.value for result in report.results}


@pytest.mark.parametrize("name", MOST)
def test_a_plug_in_is_short(name: str) -> None:
    """An agent takes forty lines at most, a library twenty-five, with imports and docstrings."""
    assert len(code_lines(name)) <= MOST[name]


def test_an_agent_over_a_store_that_remembers_holds() -> None:
    """Its replies stand in the history, and are not taken for what was said."""
    codes = [*BASICS, "DUR03", "ORD11"]
    expected = dict.fromkeys(codes, "held") | {"ORD11": "unsupported"}
    assert found("own_agent.py:remembering", codes) == expected


def test_an_agent_over_a_dict_is_caught() -> None:
    """What it was told is gone after a restart, and in another process."""
    codes = [*BASICS, "DUR03"]
    expected = dict.fromkeys(codes, "held") | {"DUR02": "broken", "DUR03": "broken"}
    assert found("own_agent.py:forgetting", codes) == expected


def test_an_agent_of_the_openai_sdk_holds() -> None:
    """Through its Runner, with a session on a file."""
    pytest.importorskip("agents")
    assert found("openai_agent.py:assistant", BASICS) == dict.fromkeys(BASICS, "held")


def test_a_strangers_library_holds() -> None:
    """Without an adapter; it has no clear, and says so by not having it."""
    pytest.importorskip("agents")
    expected = dict.fromkeys(BASICS, "held") | {"CLR01": "unsupported"}
    assert found("strangers_library.py:sessions", BASICS) == expected


def test_the_command_line_finds_what_a_langgraph_agent_loses() -> None:
    """Turns at once on one thread: all succeed, and some are gone; the rest of it holds."""
    pytest.importorskip("langgraph.checkpoint.sqlite")
    only = [word for code in ("CON04", "DUR02", "ISO01") for word in ("--only", code)]
    command = [sys.executable, "-m", "goldfish", "check", "langgraph_agent.py:agent", *only]
    done = subprocess.run(command, cwd=AGENTS, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "agent: broken. 1 promise broken, 2 held." in done.stdout
    assert "CON04" in done.stdout
