"""The campaign counts what the checks say of specimens and of references, and goes on when cut."""

import json
from pathlib import Path

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.specimens import gallery
from tools.campaign.__main__ import main
from tools.campaign.results import Answer, Seen, Unit, add_result, list_units, read_results
from tools.campaign.subjects import REFERENCES, list_subjects
from tools.campaign.table import add_tables, count, pick_whole_seeds, read_table, write_table

CAUGHT = Seen(Unit("quiet", 1, "specimen:x"), False, (Answer("DUR01", "broken", True),))
MISSED = Seen(Unit("busy", 1, "specimen:x"), False, (Answer("DUR01", "held", False),))
BLAMED = Seen(
    Unit("quiet", 1, "reference:y"),
    True,
    (
        Answer("DUR01", "broken", False, "lost"),
        Answer("DUR02", "unsupported", True),
        Answer("DUR03", "unknown", True),
    ),
)


def test_every_specimen_and_every_reference_takes_part() -> None:
    subjects = list_subjects()
    wrong = [each for each in subjects.values() if each.finding is not None]
    assert len(wrong) >= len(gallery()) - 1  # one needs a user who is not root
    assert len(subjects) - len(wrong) == len(REFERENCES)


def test_every_check_is_asked_of_somebody_who_is_right() -> None:
    asked = {
        check.code
        for each in list_subjects().values()
        if each.finding is None
        for check in each.checks
    }
    assert asked == set(catalogue())


def test_what_was_seen_is_counted_by_check_and_condition() -> None:
    table = count([CAUGHT, MISSED, BLAMED])
    assert table["seeds"] == {"quiet": 1, "busy": 1}
    quiet, busy = table["checks"]["DUR01"]["quiet"], table["checks"]["DUR01"]["busy"]
    assert quiet == {"wrong": 1, "caught": 1, "right": 1, "blamed": 1, "unsure": 0}
    assert busy == {"wrong": 1, "caught": 0, "right": 0, "blamed": 0, "unsure": 0}
    assert "DUR02" not in table["checks"]
    assert table["checks"]["DUR03"]["quiet"]["unsure"] == 1


def test_results_survive_a_line_that_was_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "below" / "results.jsonl"
    for each in (CAUGHT, BLAMED):
        add_result(file, each)
    with file.open("a") as out:
        out.write(MISSED.as_line()[:30])
    assert list(read_results(file)) == [CAUGHT, BLAMED]


def test_all_are_asked_with_one_seed_before_the_next() -> None:
    units = list_units(["a", "b"], "quiet", range(1, 3))
    assert [(unit.seed, unit.subject) for unit in units] == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_a_campaign_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, table = tmp_path / "results.jsonl", tmp_path / "table.json"
    words = ["--condition", "quiet", "--at-once", "1", "--only", "cut-window"]
    words += ["--results", str(results), "--table", str(table)]
    assert main([*words, "--seeds", "1"]) == 0
    assert "1 of 1 specimens caught" in capsys.readouterr().out
    assert main([*words, "--seeds", "1"]) == 0
    assert "seed 1" not in capsys.readouterr().out
    (row,) = json.loads(table.read_text())["checks"].values()
    assert row["quiet"]["caught"] == 1


def test_whole_seeds_are_added_to_the_table_of_earlier_campaigns(tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    for _ in range(2):
        write_table(table, add_tables(read_table(table), count([CAUGHT, MISSED])))
    assert read_table(table)["seeds"] == {"quiet": 2, "busy": 2}
    row = read_table(table)["checks"]["DUR01"]
    assert (row["quiet"]["caught"], row["busy"]["wrong"], row["busy"]["caught"]) == (2, 2, 0)


def test_half_a_seed_is_not_counted() -> None:
    assert list(pick_whole_seeds([CAUGHT, BLAMED, MISSED], ["specimen:x", "reference:y"])) == [
        CAUGHT,
        BLAMED,
    ]


def test_a_campaign_without_results_begins_after_the_seeds_of_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.json"
    words = ["--condition", "quiet", "--at-once", "1", "--only", "cut-window"]
    for results in ("first", "second"):
        main([*words, "--seeds", "1", "--results", str(tmp_path / results), "--table", str(table)])
    assert capsys.readouterr().out.count("seed 1") == 1
    assert read_table(table)["seeds"]["quiet"] == 1


def test_a_name_that_nobody_has_is_told_so(tmp_path: Path) -> None:
    words = ["--results", str(tmp_path / "results"), "--table", str(tmp_path / "table")]
    with pytest.raises(SystemExit, match="no specimen and no reference has 'nobody-at-all'"):
        main(["--only", "nobody-at-all", *words])
