"""Where histories are kept."""

from pathlib import Path

import pytest

from goldfish.errors import HistoryError, UsageError
from goldfish.history import About, History
from goldfish.history.runs import histories, kept


def test_each_run_has_a_directory_and_latest_leads_to_the_newest(tmp_path: Path) -> None:
    """A target's name may be a path: it stays one directory, inside the one that was given."""
    name = "../my app/memory.py:factory"
    first, second = kept(tmp_path, name), kept(tmp_path, name)
    assert first != second
    assert first.parent == second.parent
    assert first.parent.parent == tmp_path
    assert (first.parent / "latest").resolve() == second.resolve()


def test_a_run_gives_back_its_histories_by_directory_file_or_target(tmp_path: Path) -> None:
    """All three ways to name a run lead to the same histories."""
    run = kept(tmp_path, "sqlite")
    for code in ("CON02", "CON01"):
        History([], About("sqlite", code)).save(run / f"{code}.jsonl")
    assert [each.about.code for each in histories(run)] == ["CON01", "CON02"]
    assert histories(run.parent) == histories(run.parent / "latest") == histories(run)
    assert [each.about.code for each in histories(run / "CON02.jsonl")] == ["CON02"]


def test_a_directory_without_histories_is_told(tmp_path: Path) -> None:
    """So is one that cannot be made."""
    with pytest.raises(HistoryError, match="holds no histories"):
        histories(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot be made"):
        kept(tmp_path / "file", "sqlite")
