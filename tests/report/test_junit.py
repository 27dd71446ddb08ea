"""The report for continuous integration."""

from xml.etree import ElementTree

from goldfish.engine.baseline import Account
from goldfish.report.junit import render_junit
from tests.report.samples import NASTY_REPORT


def test_each_verdict_is_what_ci_knows_it_as() -> None:
    """Broken fails, unknown is an error, the rest is skipped with its reason."""
    root = ElementTree.fromstring(render_junit([Account(NASTY_REPORT)]))
    (suite,) = root
    assert [suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")] == [
        "sqlite",
        "7",
        "1",
        "1",
        "4",
    ]
    cases = {str(case.get("name")): case for case in suite.iter("testcase")}
    assert cases["ISO01 a_name"].get("classname") == "sqlite"
    assert len(cases["ISO01 a_name"]) == 0
    (failure,) = cases["DUR02 a_name"]
    assert (failure.tag, failure.get("type")) == ("failure", "lost")
    assert str(failure.text).endswith("goldfish check sqlite --only DUR02 --seed 7")
    assert [each.tag for each in cases["DUR03 a_name"]] == ["error"]
    (skipped,) = cases["TTL01 a_name"]
    assert skipped.get("message") == "the store has no set_ttl"


def test_a_known_failure_is_skipped_with_its_reason() -> None:
    """So that CI is green when the exit code is 0."""
    root = ElementTree.fromstring(render_junit([Account(NASTY_REPORT, {"DUR02": "we know"})]))
    messages = [each.get("message") for each in root.iter("skipped")]
    assert "known: we know" in messages
    assert list(root.iter("failure")) == []


def test_what_xml_forbids_is_written_as_escapes() -> None:
    """And secrets not at all."""
    text = render_junit([Account(NASTY_REPORT)])
    text.encode()
    ElementTree.fromstring(text)
    assert "\\x1b[31mred\\x00 \\ud800" in text
    assert "hunter2" not in text
