"""Builds the site: python -m docs.making [DIRECTORY], by default site/; a warning fails it."""

import sys
import tempfile
from pathlib import Path

from docs.making.assembly import assemble


def build(out: Path) -> int:
    """Assemble the pages in a directory of their own, and have Sphinx make HTML of them."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory(prefix="goldfish-docs-") as directory:
        source = Path(directory) / "pages"
        assemble(source)
        return int(build_main(["-q", "-W", "--keep-going", "-b", "html", str(source), str(out)]))


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else "site")))
