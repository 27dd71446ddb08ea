"""Runs from anybody become tests in which only literals are theirs."""

import ast
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from goldfish.cli import run_command
from goldfish.errors import HistoryError
from goldfish.history.storage import load_history
from goldfish.replay.as_test import render_tests

RUN: list[dict[str, Any]] = [
    {"goldfish": 1, "target": "sqlite", "code": "CON01", "seed": 7, "judged": True},
    {"process": "w1", "session": "s", "action": "add", "value": ["a"], "start": 0, "end": 3.5},
    {"process": "w2", "session": "s", "action": "add", "value": ["b"], "start": 1, "end": 4},
    {"process": "w1", "session": "s", "action": "save", "value": "v", "start": 4.5, "end": 4.6},
    {"process": "fault", "action": "fault", "value": "kill pod1", "start": 2, "end": 3},
    {
        "process": "w3",
        "session": "s",
        "action": "read",
        "result": ["b"],
        "start": 5,
        "end": 6,
        "place": "pod1",
        "error": "",
        "outcome": "ok",
    },
]
FIELDS = [(line, name) for line, record in enumerate(RUN) for name in record]
OUT = '"""\n\nimport os\nos.abort()\n"""'
HOSTILE = [
    OUT,
    "'''" + OUT,
    "w1\nimport os",
    'x\\"); import os; ("',
    "\\",
    '"',
    "\u2028import os\u2028",
    "\r\x0b\x0c\x1c\x85import os",
    "{0.__class__}",
    "%s{name}",
    "\ud83d\ude00\ud800",
    "\0",
    "1; import os",
    "²٣ªß",
    "fault",
    "def",
    "",
    "m1",
    "x" * 5000,
]
hostile = st.sampled_from(HOSTILE) | st.text(max_size=20)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | hostile,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(hostile, inner, max_size=2),
    max_leaves=4,
)


def saved(directory: Path, run: list[dict[str, Any]]) -> Path:
    path = directory / "run.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in run))
    return path


def shape(source: str) -> str:
    """What a file does, whatever its literals say and its test is called."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = type(node.value).__name__
        elif isinstance(node, ast.Name) and node.id.endswith("_HISTORY"):
            node.id = "HISTORY"
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_what_"):
            node.name = "test"
    return ast.dump(tree)


def test_an_innocent_run_becomes_a_test(tmp_path: Path) -> None:
    """With the calls as they were."""
    text = render_tests([load_history(saved(tmp_path, RUN))], None)
    assert "def test_what_con01_showed_once_does_not_happen_again() -> None:" in text
    assert "w1    s add a" in text
    assert "fault kill pod1" in text
    assert 'relive("sqlite", CON01_HISTORY, pods=0)' in text


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.sampled_from(FIELDS), anything), min_size=1, max_size=3))
@example([((0, "seed"), OUT)])
@example([((1, "process"), OUT)])
@example([((0, "code"), "1²")])
@example([((1, "value"), [OUT])])
@example([((3, "value"), OUT)])
@example([((5, "result"), [[{"x": OUT}]])])
def test_nothing_leaves_its_literal(
    tmp_path: Path, changes: list[tuple[tuple[int, str], Any]]
) -> None:
    """Whatever a field holds: the file does what that of an innocent run does, or there is none."""
    innocent = shape(render_tests([load_history(saved(tmp_path, RUN))], None))
    run = copy.deepcopy(RUN)
    for (line, name), value in changes:
        run[line][name] = value
    try:
        text = render_tests([load_history(saved(tmp_path, run))], None)
    except HistoryError:
        return
    assert shape(text) == innocent
    text.encode()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_target_is_the_literal_of_its_name(tmp_path: Path, text: str) -> None:
    """Given in the run, or on the command line."""
    told = render_tests([load_history(saved(tmp_path, RUN))], text or "sqlite")
    (call,) = [node for node in ast.walk(ast.parse(told)) if isinstance(node, ast.Call)]
    assert ast.literal_eval(call.args[0]) == (text or "sqlite")


def test_two_runs_of_one_code_are_two_tests(tmp_path: Path) -> None:
    """The second does not take the place of the first."""
    history = load_history(saved(tmp_path, RUN))
    tree = ast.parse(render_tests([history, history], None))
    tests = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert len(set(tests)) == 2


@pytest.mark.parametrize(
    ("line", "name", "value", "told"),
    [
        (0, "seed", OUT, "'seed' must be of type int, not str"),
        (0, "seed", True, "'seed'"),
        (0, "code", 7, "'code'"),
        (0, "judged", "no", "'judged'"),
        (1, "process", 1, "'process' must be of type str"),
        (1, "session", ["s"], "'session'"),
        (1, "start", "0", "'start'"),
        (1, "end", -1, "span of time"),
        (1, "start", float("nan"), "span of time"),
        (1, "end", float("inf"), "span of time"),
        (1, "value", "a", "list of messages"),
        (5, "result", {}, "list of messages"),
        (5, "outcome", "maybe", "ok, fail or unknown"),
    ],
)
def test_a_run_of_other_types_is_one_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    line: int,
    name: str,
    value: Any,
    told: str,
) -> None:
    """It says which field is wrong, and the exit code is 2."""
    run = copy.deepcopy(RUN)
    run[line][name] = value
    path = saved(tmp_path, run)
    for arguments in (["replay", str(path)], ["replay", str(path), "--as-test", "test_x.py"]):
        assert run_command(arguments) == 2
        said = capsys.readouterr().err
        assert told in said
        assert said.count("\n") == 1


@pytest.mark.parametrize(
    "text", ["", "[]", '"x"', "7", "{}", "[" * 100_000, "\xff\xfe", '{"goldfish": 1}\n[]\n']
)
def test_a_file_that_is_no_run_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """Whatever it is instead."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(text.encode("latin-1"))
    assert run_command(["replay", str(path)]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.count("\n") == 1
