"""The report for machines, read back."""

import json
from dataclasses import replace

import pytest

from goldfish.errors import UsageError
from goldfish.findings.result import Report
from goldfish.history.metrics import Figures
from goldfish.report.discretion import discreet
from goldfish.report.json import as_json
from goldfish.report.reading import reports_in
from tests.report.html.stories import LOST, broken
from tests.report.samples import NASTY_REPORT


def test_a_report_comes_back_as_it_was_told() -> None:
    """With the calls and figures of every finding, so that a page can be made of it."""
    figures = Figures(((0.0, 0.5, "ok"),), ((0.0, 1.0, "kill pod1"),), ((0, 0.1),), ((1, 3, 2),))
    result = replace(broken("CON01", "lost", LOST), figures=figures)
    report = Report("files", 7, (result,))
    assert reports_in(as_json([report]), "a.json") == [discreet(report)]


def test_any_text_comes_back() -> None:
    """Also a lone surrogate."""
    (back,) = reports_in(as_json([NASTY_REPORT]), "a.json")
    assert back == discreet(NASTY_REPORT)


def test_a_report_of_before_there_were_promises_in_it_can_be_read() -> None:
    """What is new in a report is not demanded of an old one."""
    document = json.loads(as_json([NASTY_REPORT]))
    for name in ("promise", "acknowledged", "lost", "history", "figures"):
        del document["reports"][0]["checks"][0][name]
    (back,) = reports_in(json.dumps(document), "a.json")
    assert back.results[0].promise == "A name."


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 99, "reports": []}', "null"])
def test_anything_else_is_refused_with_a_way_out(text: str) -> None:
    """The error names the file and says what to give instead."""
    with pytest.raises(UsageError, match=r"a\.json is not a report .*: give a file"):
        reports_in(text, "a.json")
