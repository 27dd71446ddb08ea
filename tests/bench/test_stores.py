"""The benchmark runs, and its JSON has what readers of it rely on; no time is judged here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "stores.py"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of one quick run on SQLite, with the table and the JSON."""
    directory = tmp_path_factory.mktemp("bench")
    command = [
        sys.executable,
        str(SCRIPT),
        "--quick",
        "--backend",
        "sqlite",
        "--json",
        "figures.json",
    ]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    (directory / "table.txt").write_text(run.stdout)
    return directory


@pytest.fixture(scope="module")
def figures(directory: Path) -> dict[str, Any]:
    """What the run wrote as JSON."""
    loaded: dict[str, Any] = json.loads((directory / "figures.json").read_text())
    return loaded


def test_every_workload_is_timed_for_ours_and_for_the_raw_driver(figures: dict[str, Any]) -> None:
    """Appending alone and at once, and reading each length, have a rate for both."""
    for family in ("goldfish", "raw"):
        rates = [rate for rate in figures["rates"] if rate["family"] == family]
        work = [(rate["backend"], rate["workload"], rate["size"]) for rate in rates]
        assert work == [
            ("sqlite", "append", 1),
            ("sqlite", "at once", 5),
            ("sqlite", "read", 10),
            ("sqlite", "read", 100),
        ]
        assert all(rate["per_second"] > 0 for rate in rates)


def test_a_ratio_is_our_rate_divided_by_the_opponents(figures: dict[str, Any]) -> None:
    """The ratio to raw follows from the two rates, and is judged by its target."""
    rates = {rate["family"]: rate["per_second"] for rate in figures["rates"][:2]}
    ratio = figures["ratios"][0]
    assert (ratio["workload"], ratio["opponent"], ratio["target"]) == ("append", "raw", 0.6)
    assert ratio["value"] == rates["goldfish"] / rates["raw"]
    assert ratio["met"] == (ratio["value"] >= 0.6)


def test_writing_at_once_is_compared_with_raw_writing_alone(figures: dict[str, Any]) -> None:
    """For SQLite the target of many sessions at once refers to raw one at a time."""
    targets = {(each["workload"], each["opponent"]): each["target"] for each in figures["ratios"]}
    assert targets["at once", "raw, one at a time"] == 3.5


def test_growth_is_measured_for_appends_and_for_the_last_messages(figures: dict[str, Any]) -> None:
    """Both steps are timed in a small and in a large store."""
    steps = {growth["step"]: growth for growth in figures["growth"]}
    assert set(steps) == {"append", "last 20"}
    assert all(growth["small_seconds"] > 0 < growth["large_seconds"] for growth in steps.values())


def test_a_peer_takes_part_or_is_named_as_not_installed(figures: dict[str, Any]) -> None:
    """No peer is left out in silence."""
    took_part = {rate["contender"] for rate in figures["rates"]} - {"goldfish", "raw sqlite3"}
    assert took_part | set(figures["not_installed"]) == {
        "langchain SQL",
        "langchain SQL (async)",
        "openai-agents SQLite",
    }


def test_the_table_fits_and_no_file_is_left_behind(directory: Path) -> None:
    """The table has at most 80 columns, and the databases are removed."""
    lines = (directory / "table.txt").read_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert {path.name for path in directory.iterdir()} == {"figures.json", "table.txt"}
