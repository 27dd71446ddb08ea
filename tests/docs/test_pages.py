"""Whoever follows a page word for word sees what it shows."""

import os
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT
from tests.docs.reading import Reader, new_edition, pages


@pytest.mark.parametrize(
    "path", [pytest.param(each, id=str(each.relative_to(ROOT))) for each in pages()]
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the libraries that pages import
def test_the_page_can_be_followed(path: Path, tmp_path: Path) -> None:
    """Its code runs, its commands exist, and what it shows is what they say.

    With GOLDFISH_UPDATE_DOCS=1 the page is given what they say today, where it shows all of it.
    """
    page, reader = path.read_text(encoding="utf-8"), Reader(tmp_path)
    reader.read(page, path)
    if os.environ.get("GOLDFISH_UPDATE_DOCS"):
        path.write_text(new_edition(page, reader.said), encoding="utf-8")
