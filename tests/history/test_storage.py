"""Where histories are kept."""

from pathlib import Path

import pytest

from goldfish.errors import HistoryError, UsageError
from goldfish.history import About, History
from goldfish.history.storage import load_histories, make_run_directory


def test_each_run_has_a_directory_and_latest_leads_to_the_newest(tmp_path: Path) -> None:
    """A target's name may be a path: it stays one directory, inside the one that was given."""
    name = "../my app/memory.py:factory"
    first, second = make_run_directory(tmp_path, name), make_run_directory(tmp_path, name)
    assert first != second
    assert first.parent == second.parent
    assert first.parent.parent == tmp_path
    assert (first.parent / "latest").resolve() == second.resolve()


def test_a_run_gives_back_its_histories_by_directory_file_or_target(tmp_path: Path) -> None:
    """All three ways to name a run lead to the same histories."""
    run = make_run_directory(tmp_path, "sqlite")
    for code in ("CON02", "CON01"):
        History([], About("sqlite", code)).save(run / f"{code}.jsonl")
    assert [each.about.code for each in load_histories(run)] == ["CON01", "CON02"]
    assert (
        load_histories(run.parent) == load_histories(run.parent / "latest") == load_histories(run)
    )
    assert [each.about.code for each in load_histories(run / "CON02.jsonl")] == ["CON02"]


def test_the_directory_above_has_the_newest_run_of_each_target(tmp_path: Path) -> None:
    """What --save-runs was given can be replayed, also after several targets and runs."""
    for name in ("redis", "sqlite", "sqlite"):
        run = make_run_directory(tmp_path, name)
        History([], About(name, "CON01")).save(run / "CON01.jsonl")
    found = load_histories(tmp_path)
    assert [each.about.target for each in found] == ["redis", "sqlite"]


def test_a_directory_without_histories_is_told(tmp_path: Path) -> None:
    """So is one that cannot be made."""
    with pytest.raises(HistoryError, match="holds no histories"):
        load_histories(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be made"):
        make_run_directory(tmp_path / "file", "sqlite")
