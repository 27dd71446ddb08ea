"""Known failures: they pass with a reason, and fail when they no longer happen."""

from pathlib import Path

import pytest

from goldfish.engine.baseline import Entry, apply_baseline, read_baseline
from goldfish.errors import UsageError
from goldfish.findings.result import Report, Result, Verdict

KNOWN = {"DUR02": Entry("a dict dies with its process")}


def report(**verdicts: str) -> Report:
    """A report with these verdicts by code."""
    results = (Result(code, "n", "P.", Verdict(each)) for code, each in verdicts.items())
    return Report("memory", 1, tuple(results))


@pytest.mark.parametrize(
    ("verdicts", "passes"),
    [
        ({"DUR02": "broken", "ISO01": "held"}, True),
        ({"DUR02": "broken"}, True),
        ({"DUR02": "broken", "ISO01": "broken"}, False),
        ({"DUR02": "broken", "ISO01": "unknown"}, False),
        ({"DUR02": "unknown", "ISO01": "held"}, False),
        ({"DUR02": "held", "ISO01": "held"}, False),
        ({"DUR02": "unsupported", "ISO01": "held"}, False),
        ({"DUR02": "skipped", "ISO01": "held"}, True),
        ({"ISO01": "held"}, True),
        ({"ISO01": "unsupported"}, False),
    ],
)
def test_a_run_passes_only_if_it_fails_as_known(verdicts: dict[str, str], passes: bool) -> None:
    """A stale entry fails; one that was not run says nothing; nothing held is not enough."""
    assert apply_baseline(report(**verdicts), KNOWN).passed is passes


def test_a_baseline_gives_reasons_by_target_and_code(tmp_path: Path) -> None:
    """As the file says."""
    path = tmp_path / "known.toml"
    path.write_text('[memory]\nDUR02 = "dies"\n["my_app.m:f"]\nISO01 = "x"\n')
    known = read_baseline(path, ["DUR02", "ISO01"])
    assert known == {"memory": {"DUR02": Entry("dies")}, "my_app.m:f": {"ISO01": Entry("x")}}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[memory]\nDUR02 = " "', 'gives no reason: write DUR02 = "the reason"'),
        ("[memory]\nDUR02 = 3", "gives no reason"),
        ("[memory]\nDUR02 = { flaky = true }", "DUR02 has flaky = True; use reason (str)"),
        ("[memory]\nDUR02 = { reason = 3 }", "DUR02 has reason = 3; use reason (str)"),
        ('[memory]\nDUR03 = "x"', "no check named 'DUR03': did you mean DUR02?"),
        ('[my_app.m]\nDUR02 = "x"', 'write ["my_app.m"]'),
        ('DUR02 = "x"', "outside a table"),
        ("[memory", "cannot be read"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_baseline_that_says_anything_else_is_refused(
    tmp_path: Path, text: str, sentence: str
) -> None:
    """In one sentence that names the file."""
    path = tmp_path / "known.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError) as caught:
        read_baseline(path, ["DUR02"])
    assert sentence in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_baseline_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Nothing known is not the same as a wrong path."""
    with pytest.raises(UsageError, match="No such file"):
        read_baseline(tmp_path / "gone.toml", [])


@pytest.mark.parametrize(("sometimes", "passes"), [(True, True), (False, False)])
def test_what_breaks_only_sometimes_is_not_stale_when_it_holds(
    sometimes: bool, passes: bool
) -> None:
    """A race that was not lost this time proves nothing."""
    known = {"DUR02": Entry("a race", sometimes=sometimes)}
    assert apply_baseline(report(DUR02="held", ISO01="held"), known).passed is passes


def test_a_known_failure_is_told_with_its_link() -> None:
    """Or that nobody has given a reason yet."""
    told = apply_baseline(report(DUR02="broken"), {"DUR02": Entry("a race", link="https://a/1")})
    assert told.known == {"DUR02": "a race (https://a/1)"}
    assert apply_baseline(report(DUR02="broken"), {"DUR02": Entry()}).known == {
        "DUR02": "no reason was given yet"
    }
