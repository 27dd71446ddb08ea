"""The report for machines."""

import json
from dataclasses import replace

from goldfish.findings.result import Report
from goldfish.report.json import as_json
from tests.report.samples import NASTY_REPORT


def test_the_document_has_the_promised_shape() -> None:
    """Others parse it: these names stay."""
    document = json.loads(as_json([NASTY_REPORT, NASTY_REPORT]))
    assert list(document) == ["schema", "goldfish", "reports"]
    assert document["schema"] == 1
    report = document["reports"][1]
    told = "target seed verdict counts loss_rate acknowledged lost promises checks"
    assert list(report) == told.split()
    assert (report["target"], report["seed"], report["verdict"]) == ("sqlite", 7, "broken")
    names = "code name family verdict finding summary evidence seconds reproduce documented"
    names += " promise acknowledged lost history figures"
    assert list(report["checks"][0]) == names.split()
    assert [each["finding"] for each in report["checks"]][:2] == [None, "lost"]


def test_any_text_survives_but_not_its_secrets_and_not_its_length() -> None:
    """A lone surrogate is an escape, five megabytes are a beginning."""
    text = as_json([NASTY_REPORT])
    assert text.isascii()
    assert "hunter2" not in text
    assert len(text) < 20_000
    assert "\ud800" in json.loads(text)["reports"][0]["checks"][1]["summary"]


def test_what_is_documented_is_told_beside_what_was_found() -> None:
    """The note of the target once, and by each result that it is about."""
    kept = Report("lists", 7, (replace(NASTY_REPORT.results[1], documented="said so"),), "a list")
    (report,) = json.loads(as_json([kept]))["reports"]
    assert (report["promises"], report["checks"][0]["documented"]) == ("a list", "said so")
