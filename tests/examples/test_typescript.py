"""The memories in JavaScript and Perl, judged as a user does it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node import find_packages, require_node

EXAMPLES = Path(__file__).parents[2] / "examples"
TYPESCRIPT = EXAMPLES / "typescript"
MOST_LINES = 60


def check(command: str, codes: str, directory: Path) -> dict[str, str]:
    """Return by its code the finding of each check, or its verdict where nothing was found."""
    options = ["--only", codes, "--seed", "1", "--json", "-"]
    done = subprocess.run(
        [sys.executable, "-m", "goldfish", "check", command, *options],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    (report,) = json.loads(done.stdout)["reports"]
    return {each["code"]: each["finding"] or each["verdict"] for each in report["checks"]}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the examples with their packages, as npm install leaves them."""
    packages = find_packages("redis", "@langchain/langgraph-checkpoint-sqlite")
    for file in TYPESCRIPT.glob("*.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    return tmp_path


@pytest.mark.parametrize("file", sorted(TYPESCRIPT.glob("*.mjs")), ids=lambda file: file.name)
def test_each_is_short(file: Path) -> None:
    """Whoever plugs in a memory of their own writes no more."""
    assert len(file.read_text("utf-8").splitlines()) <= MOST_LINES


def test_a_file_that_is_rewritten_loses_what_others_write() -> None:
    """Between processes, and between calls of one."""
    require_node()
    found = check("cmd:node json-broken.mjs", "CON01,CON04,DUR02", TYPESCRIPT)
    assert found == {"CON01": "lost", "CON04": "lost", "DUR02": "held"}


CODES = "CON01,CON04,DUR12,DUR17,FID06,FID16,FLT28,ISO14,TRM01"


def test_a_memory_in_node_is_held() -> None:
    """By writers at once, kills, odd texts and a damaged file."""
    require_node()
    found = check("cmd:node json-fixed.mjs", CODES, TYPESCRIPT)
    assert {**found, "FID16": "held"} == dict.fromkeys(CODES.split(","), "held")
    assert found["FID16"] == "unsupported"  # its numbers are doubles


def test_a_memory_in_perl_is_held() -> None:
    """The same, with numbers of any size."""
    if shutil.which("perl") is None:
        pytest.skip("perl is not installed")
    found = check("cmd:perl memory.pl", CODES, EXAMPLES / "perl")
    assert {**found, "TRM01": "held"} == dict.fromkeys(CODES.split(","), "held")
    assert found["TRM01"] == "unsupported"


def test_a_memory_over_redis_is_held(project: Path) -> None:
    """Its server is started because it declares it, and cut off because the check does so."""
    found = check("cmd:node redis.mjs", "CON01,DUR12,FLT01,FID06,TRM01", project)
    assert set(found.values()) == {"held"}


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("langgraph.mjs memory", "CON04,DUR02"),
        ("langgraph.mjs sqlite", "CON01,DUR02"),
        ("langchain-file.mjs", "CON01,DUR02"),
    ],
)
def test_the_memories_of_npm_are_judged(project: Path, command: str, codes: str) -> None:
    """What is found in them is in the findings; here they answer."""
    found = check(f"cmd:node {command}", codes, project)
    assert found["DUR02"] in {"held", "unsupported"}
    assert "unknown" not in found.values()
