"""All pages in one directory: the written ones, the generated ones, and the way through them."""

import re
import shutil
from functools import cache
from pathlib import Path

from docs.making import pages
from docs.making.navigation import contents

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FILES = "files"  # where the site keeps what pages link to and is no page
_LINK = re.compile(r"(?<=\]\()(?!\w+:)([^)\s#]+)")


def written() -> dict[str, str]:
    """The pages that people wrote, by their paths from docs/."""
    found = sorted(DOCS.rglob("*.md"))
    return {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in found}


@cache
def everything() -> dict[str, str]:
    """Every page of the site; what somebody wrote goes before what would be generated."""
    return {**dict(pages.generated()), **written()}


def assemble(out: Path) -> None:
    """Write all pages, and what they link to, into a new directory for Sphinx."""
    texts = everything()
    for path, text in texts.items():
        page = out / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_with_files(text, path, out), encoding="utf-8")
    with (out / "index.md").open("a", encoding="utf-8") as index:
        index.write(contents(texts))
    shutil.copy(DOCS / "conf.py", out)


def _with_files(text: str, path: str, out: Path) -> str:
    """The page with links to files that are no pages turned to copies that go with the site."""

    def copied(match: re.Match[str]) -> str:
        file = (DOCS / path).parent.joinpath(match[1]).resolve()
        is_page = file.is_relative_to(DOCS) and file.suffix == ".md"
        if is_page or not file.is_file():
            return match[1]
        inside = Path(FILES) / file.relative_to(ROOT)
        (out / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, out / inside)
        return f"/{inside.as_posix()}"

    return _LINK.sub(copied, text)
