"""Several reports side by side."""

import io

from goldfish.findings.families import FAMILIES
from goldfish.findings.result import Report, Verdict
from goldfish.report.comparison import find_differences, summarise_family
from goldfish.report.comparison_table import write_comparison
from goldfish.report.page import Page
from tests.report.html.stories import HOSTILE, broken
from tests.report.samples import result

KEPT = Report("sqlite", 7, (result("CON01", Verdict.HELD), result("DUR02", Verdict.HELD)))
BROKEN = Report("files", 7, (broken("CON01", "lost", None), result("DUR02", Verdict.HELD)))


def told(*reports: Report, width: str = "") -> str:
    """The comparison as a terminal shows it."""
    file = io.StringIO()
    page = Page(file)
    page.width = int(width or 80)
    write_comparison(page, reports, FAMILIES)
    return file.getvalue()


def test_a_family_stands_as_its_worst_check() -> None:
    """Broken beats unknown beats held, and what was not asked is said to be so."""
    report = Report(
        "x",
        7,
        (
            broken("CON01", "lost", None),
            result("CON02", Verdict.HELD),
            result("ISO01", Verdict.UNKNOWN),
            result("DUR01", Verdict.UNSUPPORTED),
        ),
    )
    assert summarise_family(report, "CON") == ("broken", "1 of 2 broken")
    assert summarise_family(report, "ISO") == ("unknown", "1 unknown, 0 held")
    assert (
        summarise_family(report, "DUR") == summarise_family(report, "TTL") == ("none", "not asked")
    )


def test_only_what_makes_a_difference_is_listed() -> None:
    """A promise that all keep is not, nor one that only one was asked for."""
    other = Report("other", 7, (result("TTL01", Verdict.HELD),))
    assert [each.code for each in find_differences([KEPT, BROKEN, other])] == ["CON01"]


def test_the_table_has_a_column_for_each_target() -> None:
    """Verdict, loss rate and families in lines, at most 80 columns wide."""
    lines = told(KEPT, BROKEN).splitlines()
    assert lines[0].split() == ["sqlite", "files"]
    assert lines[1].split() == ["verdict", "held", "broken"]
    assert lines[2].split() == ["loss", "rate", "not", "measured", "25.0", "%"]
    assert "        sqlite held; files broken: lost" in lines
    assert max(map(len, lines)) <= 80


def test_many_targets_come_one_after_the_other_and_nothing_acts() -> None:
    """Where columns do not fit, each target has its lines; hostile names stay text."""
    hostile = Report(HOSTILE, 7, BROKEN.results)
    text = told(*[hostile] * 6)
    assert not {"\x00", "\x1b", "\u202e"} & set(text)
    assert text.count("verdict") == 6
    assert "They agree on every promise" in text
