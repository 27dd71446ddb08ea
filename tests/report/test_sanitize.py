"""What a stranger's text may do to a reader: be read."""

import pytest

from goldfish.report.sanitize import escape_controls, shorten_evidence

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
DOCTOR = "\U0001f469\U0001f3fd\u200d\u2695\ufe0f"


@pytest.mark.parametrize("text", ["plain", "中文 ünïcode", FAMILY, f"a {DOCTOR} b"])
def test_what_can_be_read_stays_as_it_is(text: str) -> None:
    """Pictures that are joined into one too."""
    assert escape_controls(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("pass\u200dword", "pass\\u200dword"),
        ("\u200d", "\\u200d"),
        ("\U0001f468\u200d", "\U0001f468\\u200d"),
    ],
)
def test_what_acts_or_hides_is_shown_by_its_number(text: str, told: str) -> None:
    """A joiner between letters hides a difference."""
    assert escape_controls(text) == told


def test_evidence_that_is_cut_keeps_what_differs() -> None:
    """The lines of a comparison are cut at the same place, shortly before it."""
    same = ", ".join(f"'m{n}'" for n in range(30))
    lines = [f"expected [{same}, 'lost']", f"read back [{same}, 'wrong']", "x" * 90]
    expected, read, other = shorten_evidence(lines, 70)
    assert expected.startswith("expected … ")
    assert "'lost'" in expected
    assert "'wrong'" in read
    assert max(map(len, (expected, read, other))) <= 70
