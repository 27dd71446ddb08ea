"""The example of the Redis history that evaporated, beyond what its README shows."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from goldfish.findings.families import FAMILIES

EXAMPLE = Path(__file__).parents[2] / "examples" / "goldfish-bot"
FAULTS = {"FID14": "corrupted", "TTL18": "lost", "FLT01": "swallowed"}
# The smoke suite asks something of every family, and with it those that the faults are seen by.
SOME = ("--suite", "smoke", "--only", ",".join([*FAMILIES, *FAULTS]))


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What a command says in the directory of the example."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=EXAMPLE, capture_output=True, text=True, timeout=300)


def checked(target: str, report: Path) -> dict[str, Any]:
    """The report of a run on the command line."""
    said = ran("goldfish", "check", target, *SOME, "--json", str(report))
    assert said.returncode in {0, 1}, said.stdout + said.stderr
    (only,) = json.loads(report.read_text())["reports"]
    found: dict[str, Any] = only
    return found


def test_the_broken_memory_is_caught_for_each_of_its_faults(tmp_path: Path) -> None:
    """Lost fields, the swallowed error and the expiry; and no family is blamed without cause."""
    report = checked("memory_broken.py:memory", tmp_path / "report.json")
    broken = {each["code"]: each for each in report["checks"] if each["verdict"] == "broken"}
    assert {code: broken[code]["finding"] for code in FAULTS} == FAULTS
    # Ids are a field that was lost (DUP); an odd session id makes Redis refuse, unheard (ISO); a
    # batch is one command per message (CON, DUR); and no error is ever told (FLT, LIV).
    explained = {"FID", "TTL", "DUP", "ISO", "CON", "DUR", "FLT", "LIV"}
    assert {code[:3] for code in broken} <= explained
    assert report["counts"]["unknown"] == 0


def test_the_fixed_memory_holds(tmp_path: Path) -> None:
    """Everything that it has the methods for."""
    report = checked("memory_fixed.py:memory", tmp_path / "report.json")
    assert report["verdict"] == "held"
    assert report["counts"]["held"] >= 25


def test_its_own_tests_catch_the_one_and_pass_the_other() -> None:
    """Each is one line; here only the three checks of the three faults are run."""
    chosen = ["-k", " or ".join(FAULTS), "-p", "no:cacheprovider", "-p", "no:asyncio"]
    assert "3 passed" in ran("pytest", "test_memory.py", *chosen).stdout
    said = ran("pytest", "test_memory_broken.py", *chosen).stdout
    assert "3 failed" in said
    for code, finding in FAULTS.items():
        assert f"{code} is broken: {finding}: " in said
