"""The page that reports are written to."""

from io import StringIO

import pytest

from goldfish.report.page import WIDEST, Page


@pytest.mark.parametrize("columns", ["0", "80", "400"])
def test_a_page_is_as_wide_as_is_known_and_never_without_room(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some environments say that a line has no columns."""
    monkeypatch.setenv("COLUMNS", columns)
    file = StringIO()
    page = Page(file)
    page.write("two words")
    assert page.width == WIDEST
    assert file.getvalue() == "two words\n"
