"""The page: what a reader sees first, and what never gets into it."""

from dataclasses import replace

import pytest

from goldfish.engine.baseline import Account
from goldfish.findings.absence import Absence
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.html import render_html
from tests.report.html.reading import Seen, parsed
from tests.report.html.stories import BROKEN_REPORT, HELD_REPORT, HOSTILE, hostile
from tests.report.samples import NASTY_REPORT

OURS = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "article", "footer"),
    *("div", "p", "span", "a", "b", "ul", "li", "h1", "h2", "h3", "h4", "pre", "code"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "figure", "figcaption"),
    *("svg", "g", "rect", "path", "circle", "text", "line", "ol", "q"),
}


def page(*reports: Report) -> Seen:
    """The page of reports without a baseline."""
    return parsed(render_html([Account(report) for report in reports]))


def test_the_verdict_the_counts_and_the_loss_rate_come_first() -> None:
    """A reader who stops after the first lines knows how it stands."""
    told = page(BROKEN_REPORT).text.partition("What is broken")[0]
    for words in ("files is broken", "1 of the 2 promises", "25.0 %", "5 of 20 acknowledged"):
        assert words in told


def test_a_finding_has_its_promise_its_story_its_command_and_its_advice() -> None:
    """Everything that is needed to believe it, repeat it and mend it stands together."""
    told = page(BROKEN_REPORT).text
    for words in (
        "The promise of CON01.",
        "Caller w1 (through pod1) wrote a to session s, and the write was acknowledged.",
        "goldfish check sqlite --only CON01 --seed 7",
        "What usually causes it",
        "Read, change, write back",
        "fcntl.flock",
    ):
        assert words in told


def test_the_matrix_has_a_row_for_each_family_and_a_column_for_each_target() -> None:
    """Where it breaks is seen at a glance, and every link on the page leads somewhere."""
    seen = page(BROKEN_REPORT, HELD_REPORT)
    assert {"✗ 1 of 1 broken", "✓ 1 held", "not asked", "concurrency "} <= set(seen.texts)
    ids = {attributes["id"] for _, attributes in seen.elements if "id" in attributes}
    links = [attributes["href"] for attributes in seen.named("a")]
    assert links
    assert {link.removeprefix("#") for link in links} <= ids


def test_where_several_differ_is_listed() -> None:
    """Side by side, what one keeps and another breaks has a table of its own."""
    kept = Result("CON01", "a_name", "The promise of CON01.", Verdict.HELD)
    seen = page(BROKEN_REPORT, Report("sqlite", 7, (kept,)))
    assert "Where they differ" in seen.texts
    assert "✗ broken: lost" in seen.texts
    assert "1 of 2 memories is broken" in seen.texts


@pytest.mark.parametrize(
    ("reports", "words"),
    [
        ((), "Nothing was checked"),
        ((Report("sqlite", 7, ()),), "Nothing was checked"),
        ((HELD_REPORT,), "sqlite keeps its promises"),
        ((NASTY_REPORT,), "sqlite is broken"),
        ((HELD_REPORT, HELD_REPORT), "2 of 2 memories keep their promises"),
    ],
)
def test_there_is_a_page_for_every_outcome(reports: tuple[Report, ...], words: str) -> None:
    """Also of nothing at all a page can be made, and it says so."""
    assert words in page(*reports).text


def test_what_is_hostile_stays_text_and_what_is_secret_stays_secret() -> None:
    """No text of a store becomes markup, acts on a terminal, or gives away a password."""
    text = render_html([Account(hostile())])
    seen = parsed(text)
    assert {name for name, _ in seen.elements} <= OURS
    assert not any(key.startswith("on") for _, each in seen.elements for key in each)
    assert "hunter2" not in text
    assert not {"\x00", "\x1b", "\ud800", "\u202e"} & set(text)
    assert "你好 🐟" in text
    assert "</script><script>" in seen.text
    text.encode("utf-8")


def test_the_page_fetches_and_runs_nothing() -> None:
    """A strict policy allows one style, ours; there is no script and no address of anything."""
    text = render_html([Account(hostile())])
    (policy,) = [
        each["content"]
        for each in parsed(text).named("meta")
        if each.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    for _, attributes in parsed(text).elements:
        assert not {"src", "style"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")


def test_a_known_failure_says_why_it_is_known() -> None:
    """What a baseline excuses is shown with its reason."""
    known = parsed(
        render_html([Account(BROKEN_REPORT, {"CON01": "ticket 12"}, {"ISO01": "it holds"})])
    )
    assert "known: ticket 12" in known.texts
    assert "ISO01: it holds" in known.texts


def test_five_megabytes_of_evidence_make_no_page_of_five_megabytes() -> None:
    """A page can always be opened."""
    assert len(render_html([Account(NASTY_REPORT), Account(hostile())])) < 200_000


def test_hostile_texts_are_in_the_test() -> None:
    """What the tests above look for is in what they were given."""
    assert {"\x00", "\ud800"} <= set(HOSTILE)


def test_what_a_memory_does_not_do_is_told_with_its_declaration() -> None:
    """Once, and apart from what is broken."""
    absence = Absence("retries", "A known id is stored again", "retries=True")
    page = render_html([Account(replace(BROKEN_REPORT, absences=(absence,)))])
    assert "What this memory does not do" in page
    assert "A known id is stored again: to hold it to that, declare <code>retries=True" in page
