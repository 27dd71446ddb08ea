"""Checks in processes of their own: a memory that ends its process does not end the run."""

import os
from pathlib import Path
from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.errors import MissingExtraError
from goldfish.findings.result import Result, Verdict
from goldfish.services import reaper
from goldfish.targets.declaration import as_target
from tests.harness import crashing

CODES = ("ORD01", "ISO01")


def ask(memory: type[Any], *codes: str, deadline: float = 10.0, **options: Any) -> list[Result]:
    checks = [catalogue()[code] for code in codes or CODES]
    plan = Plan(deadline=deadline, **options)
    return list(run(as_target(memory), checks, plan).results)


@pytest.mark.parametrize(
    ("memory", "how"),
    [
        (crashing.Segfault, "was ended by SIGSEGV during get_history"),
        (crashing.Exit, "ended itself with exit code 3 during get_history"),
        (crashing.ExitInOpening, "ended itself with exit code 4 during opening"),
        (crashing.EighthThread, "was ended by SIGABRT during add_messages"),
    ],
)
def test_a_memory_that_ends_its_process_is_crashed_and_the_run_goes_on(
    memory: type[Any], how: str
) -> None:
    """Each check says how the process ended, and which call was under way."""
    results = ask(memory)
    assert [(each.verdict, each.finding) for each in results] == [(Verdict.BROKEN, "crashed")] * 2
    for each in results:
        assert each.summary == f"the process of the memory {how}"
        assert any(line.startswith("under way: ") for line in each.evidence)


def test_the_evidence_of_a_crash_has_the_line_of_the_memory() -> None:
    """The interpreter's own dump survives, without the frames of the harness."""
    (result,) = ask(crashing.Segfault, "ORD01")
    dump = [line for line in result.evidence if line.startswith("stderr: ")]
    assert any("crashing.py" in line and "get_history" in line for line in dump)
    assert not any("goldfish/harness" in line for line in dump)


def test_another_process_that_ends_itself_is_crashed() -> None:
    """It was not killed by the check, so its end is no excuse."""
    (result,) = ask(crashing.ExitElsewhere, "DUR03")
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "crashed")
    assert "exit code 5" in result.summary


def test_a_process_that_is_killed_from_outside_is_unknown() -> None:
    """The system kills when memory is short: that proves nothing."""
    (result,) = ask(crashing.Killed, "ORD01")
    assert result.verdict is Verdict.UNKNOWN
    assert "SIGKILL, from outside" in result.summary


@pytest.mark.parametrize("memory", [crashing.Sleeping, crashing.Busy])
def test_a_memory_that_hangs_in_its_process_is_wedged(memory: type[Any]) -> None:
    """Also on a busy machine, where it is tried twice."""
    (result,) = ask(memory, "ORD01", deadline=0.5)
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "wedged")


def test_native_code_that_never_lets_go_is_wedged(monkeypatch: pytest.MonkeyPatch) -> None:
    """No deadline inside that process can find it, so the harness watches from outside."""
    monkeypatch.setattr("goldfish.harness.isolation.SILENCE", 2.0)
    (result,) = ask(crashing.KeepsTheInterpreter, "ORD01")
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "wedged")
    assert "native code" in result.summary


def test_opening_a_memory_that_ends_its_process_is_left_to_the_checks() -> None:
    """The harness lives on, and knows nothing of the memory yet."""
    assert not open_target(as_target(crashing.ExitInOpening)).is_inspected


class Lasting(crashing.Dict):
    """It counts its openings where other checks could see it, and leaves a process behind."""

    opened = 0

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        type(self).opened += 1
        self.opened_before = type(self).opened > 1
        note = Path(os.environ["GOLDFISH_TEST_NOTES"]) / f"{os.getpid()}"
        note.write_text(f"{type(self).opened} {sandbox.path}", "utf-8")


def test_nothing_of_one_check_reaches_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a process of its own, and its directory is gone with it."""
    monkeypatch.setenv("GOLDFISH_TEST_NOTES", str(tmp_path))
    assert all(result.verdict is Verdict.HELD for result in ask(Lasting))
    notes = [path.read_text("utf-8").split() for path in tmp_path.iterdir()]
    assert [count for count, _ in notes] == ["1"] * len(CODES)
    assert not any(Path(path).exists() for _, path in notes)
    assert str(os.getpid()) not in {path.name for path in tmp_path.iterdir()}
    assert not any(reaper.start_mark(int(path.name)) for path in tmp_path.iterdir())


def test_a_crash_leaves_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness removes what the dead process cannot."""
    monkeypatch.setenv("GOLDFISH_TEST_NOTES", str(tmp_path))
    ask(LastingAndCrashing, "ORD01")
    (note,) = tmp_path.iterdir()
    assert not Path(note.read_text("utf-8").split()[1]).exists()


class LastingAndCrashing(Lasting):
    """It ends its process in the first call."""

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        os._exit(1)


def needy(sandbox: Any) -> Any:
    """Miss a package when it is opened."""
    raise MissingExtraError.of("nothing", "nothing")


def test_what_is_missing_here_ends_the_run_with_its_sentence() -> None:
    """An error of the world comes through the processes as what it is."""
    with pytest.raises(MissingExtraError, match="nothing is not installed"):
        ask(needy, "ORD01")  # type: ignore[arg-type]


def test_histories_are_kept_as_before(tmp_path: Path) -> None:
    """The process of a check writes them where the user asked."""
    ask(crashing.Dict, "ORD01", save_runs=tmp_path)
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == ["ORD01.jsonl"]


def test_in_process_for_a_debugger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who wants to step through a memory has it beside the harness."""
    monkeypatch.setenv("GOLDFISH_IN_PROCESS", "1")
    before = crashing.Dict.__init__
    seen: list[int] = []

    def noting(self: Any, sandbox: Any) -> None:
        seen.append(os.getpid())
        before(self, sandbox)

    monkeypatch.setattr(crashing.Dict, "__init__", noting)
    ask(crashing.Dict, "ORD01")
    assert set(seen) == {os.getpid()}
