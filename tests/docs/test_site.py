"""The site is built without a warning, of everything that there is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs.making.assembly import everything
from docs.making.markdown import escaped
from docs.making.navigation import contents
from tests.docs.blocks import ROOT


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """By the command of `make docs`, in another directory; every page is there."""
    pytest.importorskip("sphinx", reason="pip install 'goldfish[docs]'")
    paths = [str(ROOT), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "docs.making", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MEM0_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    made = {path.relative_to(tmp_path / "site").as_posix() for path in tmp_path.rglob("*.html")}
    assert {path.removesuffix(".md") + ".html" for path in everything()} <= made


def test_a_page_needs_no_entry_in_the_navigation() -> None:
    """A file that is there is found; one that is named and not there is no error."""
    told = contents(["index.md", "howto/zebra.md", "howto/own-store.md", "later.md"])
    assert told.index("howto/own-store.md") < told.index("howto/zebra.md")
    assert "later.md" in told
    assert "tutorial.md" not in told


def test_text_of_strangers_is_not_taken_for_markup() -> None:
    """But for what stands in backticks, which is code."""
    assert escaped("<b> *x* `a_b`") == "&#60;b&#62; &#42;x&#42; `a_b`"
