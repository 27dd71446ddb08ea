"""A baseline that a command writes and edits, and people fill in."""

import tomllib
from pathlib import Path

import pytest

from goldfish.engine.baseline import Entry, read_baseline
from goldfish.engine.baseline_file import append_table, drop_entries, list_entries, render_table
from goldfish.errors import UsageError
from goldfish.findings.reason import Reason
from goldfish.findings.result import Report, Result, Verdict

TEXT = """\
# reviewed in May
[sqlite]
DUR02 = "ours"  # ticket 7

["app.memory:make"]
# the race
DUR02 = { finding = "lost: 'a'", reason = "known", link = "" }
CON01 = "a race"
"""


def broken(code: str, said: tuple[tuple[str, int], ...] = ()) -> Result:
    """Return a result that is broken."""
    reason = Reason.stated('"a"\x7f\udcff is gone')
    return Result(code, "n", "P.", Verdict.BROKEN, reason, "lost", said=said)


def test_what_is_broken_is_written_with_its_finding_and_a_place_for_the_reason(
    tmp_path: Path,
) -> None:
    """Whatever is in the texts, the file can be read again."""
    held = Result("ISO01", "n", "P.", Verdict.HELD)
    report = Report("t", 1, (held, broken("DUR02"), broken("CON01", (("held", 2), ("lost", 1)))))
    path = tmp_path / "known.toml"
    path.write_text(render_table("my app.py:make", list_entries(report)), encoding="utf-8")
    known = read_baseline(path, ["DUR02", "CON01"])["my app.py:make"]
    assert known["DUR02"].finding.startswith('lost: "a"')
    assert (known["DUR02"].reason, known["DUR02"].sometimes) == ("", False)
    assert known["CON01"].sometimes
    assert str(known["DUR02"]) == "no reason was given yet"


def test_one_more_table_leaves_the_others_alone() -> None:
    """As they were written."""
    table = render_table("new", {"DUR03": Entry(finding="lost: 'b'")})
    assert append_table(TEXT, table).startswith(TEXT.rstrip())
    assert set(tomllib.loads(append_table(TEXT, table))) == {"sqlite", "app.memory:make", "new"}


def test_an_entry_is_dropped_from_the_table_of_its_target_only() -> None:
    """Comments, other targets and other entries stay."""
    edited = drop_entries(TEXT, Path("known.toml"), "app.memory:make", {"DUR02"})
    assert edited == TEXT.replace(
        'DUR02 = { finding = "lost: \'a\'", reason = "known", link = "" }\n', ""
    )


def test_what_cannot_be_edited_line_by_line_is_left_alone() -> None:
    """A person is asked to do it."""
    text = '[a]\nDUR02 = """\nlong\n"""\n'
    with pytest.raises(UsageError, match="remove DUR02 by hand"):
        drop_entries(text, Path("known.toml"), "a", {"DUR02"})
