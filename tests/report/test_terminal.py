"""The summary for people: complete, 80 columns wide, and inert."""

import io
from dataclasses import replace

import pytest

from goldfish.engine.baseline import Account
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Report, Verdict
from goldfish.history.origin import Frame, Origin
from goldfish.report.page import Page
from goldfish.report.terminal import Detail, summarise
from tests.report.samples import NASTY_REPORT, result, results_of_many_causes

CODES = ("DUR02", "ISO01", "FID01")


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of the usual width."""
    monkeypatch.setenv("COLUMNS", "80")


def told(account: Account, detail: Detail = "usual") -> str:
    """The summary as a pipe gets it."""
    file = io.StringIO()
    summarise(Page(file), account, 7.31, detail)
    return file.getvalue()


def test_the_headline_gives_the_verdict_the_counts_the_time_and_the_seed() -> None:
    """One line says it all."""
    held = tuple(result(f"ISO0{n}", Verdict.HELD) for n in range(3))
    summary = told(Account(Report("sqlite", 123, held)))
    assert summary == "sqlite: held. 3 promises held. (7.3 s, seed 123)\n"


def test_a_summary_fits_eighty_columns_whatever_is_in_it() -> None:
    """Five megabytes of evidence too."""
    summary = told(Account(NASTY_REPORT))
    assert max(map(len, summary.splitlines())) <= 80
    assert len(summary) < 3_000


def test_hostile_text_is_shown_and_does_nothing() -> None:
    """No escape, no markup, no secret, nothing that cannot be encoded."""
    summary = told(Account(NASTY_REPORT))
    assert "[bold]x[/bold] \\x1b[31mred\\x00 \\ud800 \\u202e redis://***@host" in summary
    assert "hunter2" not in summary
    assert summary.replace("\n", "").isprintable()


def test_a_broken_check_comes_with_its_promise_evidence_and_command() -> None:
    """And with no more than twenty-four lines of evidence."""
    summary = told(Account(NASTY_REPORT))
    assert "  DUR02 What was acknowledged is still there after the store" in summary
    assert "        lost: [bold]x" in summary
    assert "        line 24\n        … 3 more lines of evidence: -v shows them\n" in summary
    assert "shows them\n        Fix: Acknowledge after the commit" in summary
    commands = ["goldfish explain DUR02", "goldfish check sqlite --only DUR02 --seed 7"]
    assert "\n        ".join(["", *commands]) in summary
    assert "line 25" not in summary


def test_findings_with_one_cause_are_told_as_one() -> None:
    """The error with its line once, and the codes of the others."""
    place = Frame("memory.py", 12, "add_messages")
    origin = Origin("TypeError", "no", "add_messages", place, place)
    broken = [replace(result(code, Verdict.BROKEN, "gone"), origin=origin) for code in CODES]
    summary = told(Account(Report("x", 7, tuple(broken))))
    assert "3 promises broken by 1 cause." in summary
    assert "        at memory.py:12 in add_messages\n" in summary
    assert "        The same error breaks 2 more promises: ISO01 FID01\n" in summary
    assert summary.count("goldfish check") == 2  # under the finding, and in the end
    known = told(Account(Report("x", 7, tuple(broken)), {"DUR02": "we know"}))
    assert "        The same error breaks 1 more promise: FID01\n" in known


def test_what_was_not_judged_is_listed_by_reason() -> None:
    """What was not asked, and what was never claimed, each apart."""
    summary = told(Account(NASTY_REPORT))
    assert "1 held, 1 unknown, 3 not asked, 1 not claimed" in " ".join(summary.split())
    assert "  Not asked:\n    no set_ttl: TTL01 TTL02\n    the time was up: CON02\n" in summary
    assert "  Not claimed:\n    one process only: CON01\n" in summary
    assert "  unknown: the target did not open: [bold]x" in summary


def test_what_was_not_asked_for_want_of_something_ends_the_summary() -> None:
    """In one line: how much, why, and what to do."""
    why = Reason.of(Why.NOT_ASKED, "no model is here: run goldfish model install")
    lacking = [result(code, Verdict.UNSUPPORTED, why) for code in ("REC01", "REC02", "REV01")]
    held = result("ISO01", Verdict.HELD)
    summary = told(Account(Report("sqlite", 7, (held, *lacking))))
    assert " ".join(summary.split()).startswith(
        "sqlite: held where asked (1 of 4 promises). 1 promise held, 3 not asked."
    )
    late = [result(each.code, Verdict.SKIPPED, Reason.of(Why.TIME_UP)) for each in lacking]
    cut = " ".join(told(Account(Report("sqlite", 7, (held, *late)))).split())
    assert cut.startswith("sqlite: held until the time was up (1 of 4 promises). 1 promise held")
    assert " ".join(summary.split()).endswith(
        "Not asked: 3 promises (REC, REV), because no model is here: run goldfish model install"
    )
    assert "Not asked:\n" not in summary


def test_a_known_failure_is_told_by_its_reason_and_a_stale_entry_by_its_code() -> None:
    """What is known needs no evidence."""
    account = Account(NASTY_REPORT, {"DUR02": "we know"}, {"ISO01": "listed as known, but held"})
    summary = told(account)
    assert "        known: we know\n" in summary
    assert "lost" not in summary
    assert "  ISO01 stale: listed as known, but held. Remove it from the baseline.\n" in summary


def test_a_long_command_is_broken_so_that_it_can_be_copied() -> None:
    """A backslash holds its lines together."""
    path = "tests/integration/some_directory/of_a_large_project/memory.py:factory"
    command = f"goldfish check {path} --only DUR02 --seed 7"
    broken = replace(result("DUR02", Verdict.BROKEN, "gone"), reproduce=command)
    summary = told(Account(Report("x", 7, (broken,))))
    assert f"{path} \\\n          --only DUR02 --seed 7\n" in summary


def test_what_was_lost_is_told_as_a_share() -> None:
    """Only where something was lost."""
    lossy = replace(result("CON01", Verdict.BROKEN, "gone"), acknowledged=200, lost=68)
    held = replace(result("CON02", Verdict.HELD), acknowledged=200)
    summary = told(Account(Report("memory", 7, (lossy, held))))
    assert "Loss rate 17.0 %: 68 of 400 acknowledged messages were gone later." in summary
    assert "Loss rate" not in told(Account(Report("memory", 7, (held,))))


def test_what_is_broken_as_documented_is_told_apart() -> None:
    """After the others, and counted by itself: nobody is to be alarmed."""
    modest = replace(result("DUR02", Verdict.BROKEN, "gone"), documented="a list, it says")
    broken = result("FID01", Verdict.BROKEN, "changed")
    summary = told(Account(Report("lists", 7, (modest, broken), "a list in the process")))
    assert "1 promise broken, 1 broken as documented." in summary
    assert "Its documentation: a list in the process\n" in summary
    assert "        broken, and documented as such: a list, it says\n" in summary
    assert summary.index("FID01") < summary.index("DUR02")


def test_a_quiet_summary_is_the_verdict_alone() -> None:
    """Whatever there is to tell."""
    summary = told(Account(NASTY_REPORT), "verdict")
    assert " ".join(summary.split()) == (
        "sqlite: broken. 1 promise broken, 1 held, 1 unknown, 3 not asked, 1 not claimed. "
        "(7.3 s, seed 7)"
    )


def test_a_verbose_summary_names_every_check_and_keeps_no_evidence_back() -> None:
    """In the order of the catalogue, with the time of each."""
    summary = told(Account(NASTY_REPORT), "everything")
    assert "\n  ISO01 held          0.2 s  What was acknowledged" in summary
    assert "\n  CON02 not asked     0.2 s  What was" in summary
    assert "line 27" in summary
    assert max(map(len, summary.splitlines())) <= 80


def is_row(line: str) -> bool:
    """Whether a line is a row of the table of families."""
    return line.startswith("ISO")


@pytest.mark.parametrize("columns", ["40", "80"])
def test_a_summary_longer_than_a_screen_ends_at_a_glance(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row for each family, then the verdict once more; a short one needs none of it."""
    monkeypatch.setenv("COLUMNS", columns)
    broken = results_of_many_causes("DUR", 8)
    held = tuple(result(f"ISO{n:02}", Verdict.HELD) for n in range(1, 13))
    lines = told(Account(Report("x", 7, held + broken))).splitlines()
    glance = lines[: lines.index("", lines.index(next(filter(is_row, lines))))][-6:]
    assert [line.split() for line in glance if line.startswith(("ISO", "DUR"))] == (
        [["ISO", ".", "12", ".", "."], ["DUR", "8", ".", ".", "."]]
        if columns == "40"
        else [["ISO", "isolation", ".", "12", ".", "."], ["DUR", "durability", "8", ".", ".", "."]]
    )
    assert " ".join(glance).endswith("8 promises broken, 12 held. (7.3 s, seed 7)")
    assert max(map(len, glance)) <= int(columns)
    assert "broken  held" not in told(Account(Report("x", 7, held)))


def test_what_was_not_asked_is_counted_where_its_codes_would_fill_the_screen() -> None:
    """With every detail, the codes are there."""
    many = [
        result(f"{family}{n:02}", Verdict.UNSUPPORTED, "no remember")
        for n in range(1, 30)
        for family in ("REC", "ISO")
    ]
    account = Account(
        Report(
            "x",
            7,
            (
                result("DUR01", Verdict.HELD),
                result("ISO30", Verdict.HELD),
                result("REC30", Verdict.HELD),
                *many,
            ),
        )
    )
    assert "no remember: 58 promises (REC, ISO)\n" in told(account)
    assert "REC07" in told(account, detail="everything")


def test_a_family_that_was_left_out_as_a_whole_is_named_once() -> None:
    """Not code by code."""
    why = "interrupted before it started"
    family = [result(f"TTL{n:02}", Verdict.SKIPPED, why) for n in range(1, 9)]
    others = (result("DUR01", Verdict.HELD), result("DUR02", Verdict.SKIPPED, why))
    summary = told(Account(Report("x", 7, (*others, *family))))
    assert "interrupted before it started: all 8 of TTL, DUR02\n" in summary


def test_a_page_of_findings_ends_with_what_where_and_the_next_command() -> None:
    """Of the gravest cause: whoever reads only the end of a log knows how to go on."""
    place = Frame("memory.py", 12, "add_messages")
    origin = Origin("TypeError", "no", "add_messages", place, place)
    refused = replace(
        result("FID01", Verdict.BROKEN, "add_messages raised TypeError"),
        finding="refused",
        origin=origin,
        reproduce="goldfish check x --only FID01 --seed 7",
    )
    summary = told(Account(Report("x", 7, (refused,))))
    assert summary.endswith(
        "\nWhat:  FID01 refused: add_messages raised TypeError\n"
        "Where: memory.py:12 in add_messages\n"
        "Next:  goldfish check x --only FID01 --seed 7\n"
    )
    lost = result("DUR02", Verdict.BROKEN, "'a' is gone")
    summary = told(Account(Report("x", 7, (lost,), place="my_memory.py:6")))
    assert "\nWhere: x, opened at my_memory.py:6\n" in summary
    assert "Where:" not in told(Account(Report("x", 7, (lost,)), {"DUR02": "we know"}))


def test_a_run_that_was_cut_short_does_not_list_hundreds_of_codes() -> None:
    """Neither of those that did not run, nor of a target that did not open."""
    codes = [f"{family}{n:02}" for family in ("ISO", "DUR", "ORD", "CON") for n in range(1, 60)]
    for verdict in (Verdict.SKIPPED, Verdict.UNKNOWN):
        cut = tuple(result(code, verdict, "the time was up") for code in codes[:-3])
        others = tuple(result(code, Verdict.HELD) for code in codes[-3:])
        summary = told(Account(Report("x", 7, cut + others)))
        assert len(summary.splitlines()) < 20
        assert "233 promises (ISO, DUR, ORD, CON)" in " ".join(summary.split())


def test_a_pinned_edition_and_profile_are_in_the_headline() -> None:
    """With the seeds of all runs, and how often each check said what."""
    steady = replace(result("ISO01", Verdict.HELD), said=(("held", 3),))
    shaky = replace(result("CON01", Verdict.HELD), said=(("held", 2), ("not asked", 1)))
    report = Report("x", 7, (steady, shaky), edition="2026.11", profile="shared", runs=3)
    summary = told(Account(report))
    assert "(7.3 s, 3 runs, seeds 7 to 9, edition 2026.11, profile shared)" in " ".join(
        summary.split()
    )
    assert "Of 2 checks, 1 said the same in all 3 runs:\n    CON01 held 2, not asked 1\n" in summary
