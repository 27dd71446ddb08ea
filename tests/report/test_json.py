"""The report for machines, written and read."""

import json
from dataclasses import replace

import pytest

from goldfish.errors import UsageError
from goldfish.findings.result import Report
from goldfish.history.metrics import Figures
from goldfish.report.json import parse_reports, render_json
from goldfish.report.sanitize import sanitize_report
from tests.report.html.stories import LOST, broken
from tests.report.samples import NASTY_REPORT


def test_the_document_has_the_promised_shape() -> None:
    """Others parse it: these names stay."""
    document = json.loads(render_json([NASTY_REPORT, NASTY_REPORT]))
    assert list(document) == ["schema", "goldfish", "reports"]
    assert document["schema"] == 1
    report = document["reports"][1]
    told = "target seed verdict counts loss_rate acknowledged lost promises does_not checks"
    told += " backend causes notes cost edition profile runs place"
    assert list(report) == told.split()
    assert (report["target"], report["seed"], report["verdict"]) == ("sqlite", 7, "broken")
    names = "code name family verdict finding summary evidence seconds reproduce documented"
    names += " promise acknowledged lost history figures origin conditions basic prompts notes said"
    assert list(report["checks"][0]) == names.split()
    assert [each["finding"] for each in report["checks"]][:2] == [None, "lost"]

    assert report["causes"] == [
        {
            "mechanism": "alone",
            "code": "DUR02",
            "finding": "lost",
            "summary": report["checks"][1]["summary"],
            "codes": ["DUR02"],
        }
    ]


def test_any_text_survives_but_not_its_secrets_and_not_its_length() -> None:
    """A lone surrogate is an escape, five megabytes are a beginning."""
    text = render_json([NASTY_REPORT])
    assert text.isascii()
    assert "hunter2" not in text
    assert len(text) < 20_000
    assert "\ud800" in json.loads(text)["reports"][0]["checks"][1]["summary"]


def test_what_is_documented_is_told_beside_what_was_found() -> None:
    """The note of the target once, and by each result that it is about."""
    kept = Report("lists", 7, (replace(NASTY_REPORT.results[1], documented="said so"),), "a list")
    (report,) = json.loads(render_json([kept]))["reports"]
    assert (report["promises"], report["checks"][0]["documented"]) == ("a list", "said so")


def test_a_report_comes_back_as_it_was_told() -> None:
    """With the calls and figures of every finding, so that a page can be made of it."""
    figures = Figures(((0.0, 0.5, "ok"),), ((0.0, 1.0, "kill pod1"),), ((0, 0.1),), ((1, 3, 2),))
    result = replace(broken("CON01", "lost", LOST), figures=figures)
    report = Report("files", 7, (result,))
    assert parse_reports(render_json([report]), "a.json") == [sanitize_report(report)]


def without_reasons(report: Report) -> Report:
    """Reasons come back as their sentences."""
    return replace(report, results=tuple(replace(each, reason=None) for each in report.results))


def test_any_text_comes_back() -> None:
    """Also a lone surrogate."""
    (back,) = parse_reports(render_json([NASTY_REPORT]), "a.json")
    told = sanitize_report(NASTY_REPORT)
    assert [each.summary for each in back.results] == [each.summary for each in told.results]
    assert without_reasons(back) == without_reasons(told)


def test_a_report_of_before_there_were_promises_in_it_can_be_read() -> None:
    """What is new in a report is not demanded of an old one."""
    document = json.loads(render_json([NASTY_REPORT]))
    for name in ("promise", "acknowledged", "lost", "history", "figures"):
        del document["reports"][0]["checks"][0][name]
    (back,) = parse_reports(json.dumps(document), "a.json")
    assert back.results[0].promise == "A name."


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 99, "reports": []}', "null"])
def test_anything_else_is_refused_with_a_way_out(text: str) -> None:
    """The error names the file and says what to give instead."""
    with pytest.raises(UsageError, match=r"a\.json is not a report .*: give a file"):
        parse_reports(text, "a.json")
