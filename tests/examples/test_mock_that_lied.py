"""The example of the mocked Mem0 says what its README says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
EXAMPLE = TESTS.parent / "examples" / "mock-that-lied"


@pytest.fixture(scope="module")
def said() -> str:
    """What all tests of the example say in one run, which cannot reach any other machine."""
    plugins = ["no_network", "no:cacheprovider", "no:asyncio", "no:anyio", "no:langsmith_plugin"]
    options = [word for plugin in plugins for word in ("-p", plugin)]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", *options],
        cwd=EXAMPLE,
        env={**os.environ, "PYTHONPATH": str(TESTS), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return run.stdout + run.stderr


def outcomes(said: str, file: str) -> list[str]:
    """How the tests of a file ended."""
    return re.findall(rf"^(PASSED|FAILED|ERROR) {file}::", said, re.MULTILINE)


def test_the_mocked_tests_pass(said: str) -> None:
    """They saw nothing of what went wrong."""
    assert outcomes(said, "test_mocked.py") == ["PASSED"] * 3, said


def test_the_real_ones_fail_for_each_of_the_four_reasons(said: str) -> None:
    """Duplicated, missed, leaked and stale."""
    assert outcomes(said, "test_memory_broken.py") == ["FAILED"] * 4, said


def test_the_fixed_memory_passes_the_same_tests(said: str) -> None:
    """On the same real Mem0."""
    assert outcomes(said, "test_memory.py") == ["PASSED"] * 4, said


def test_the_readme_quotes_what_is_said(said: str) -> None:
    """Each quoted line is there, as far as its ellipsis."""
    quoted = re.findall(r"^E .*$", (EXAMPLE / "README.md").read_text(), re.MULTILINE)
    assert len(quoted) == 4
    for line in quoted:
        assert line.partition(", …")[0] in said
