"""Every link within the repository leads somewhere, also to the heading that it names."""

import re
from functools import cache
from pathlib import PurePosixPath

import pytest

from docs.making.assembly import everything
from tests.docs.blocks import ROOT

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
OTHERS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


@cache
def texts() -> dict[str, str]:
    """Every page by its path from the root, generated ones too, without their code."""
    found = {f"docs/{path}": text for path, text in everything().items()}
    others = [ROOT / name for name in OTHERS] + sorted((ROOT / "examples").glob("*/README.md"))
    found |= {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in others}
    return {path: _FENCED.sub("", text) for path, text in found.items()}


def anchors(path: str) -> set[str]:
    """What the headings of a page can be linked by."""
    return {_slug(heading) for heading in _HEADING.findall(texts()[path])}


def _slug(heading: str) -> str:
    words = re.sub(r"[^\w\s-]", "", heading.lower())
    return re.sub(r"\s", "-", words.strip())


def _resolved(path: str, link: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / link).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def problem(path: str, link: str) -> str:
    """Why a link leads nowhere; empty if it leads somewhere, or out of the repository."""
    if re.match(r"\w+:", link):
        return ""
    file, _, anchor = link.partition("#")
    goal = _resolved(path, file) if file else path
    if goal in texts():
        return "" if not anchor or anchor in anchors(goal) else f"no heading #{anchor} in {goal}"
    return "" if (ROOT / goal).exists() else f"there is no {goal}"


def test_links_of_the_repository_lead_to_files_of_the_repository() -> None:
    """Who reads a page where the code is hosted finds no page that only the site has."""
    pages = [path for path in texts() if (ROOT / path).exists()]
    generated = {path for path in texts() if not (ROOT / path).exists()}
    found = [
        f"{path}: {link}"
        for path in pages
        for link in _LINK.findall(texts()[path])
        if not re.match(r"\w+:", link) and _resolved(path, link.partition("#")[0]) in generated
    ]
    assert found == []


@pytest.mark.parametrize("area", ["docs/howto", "docs/stories", "docs/catalogue", "docs", ""])
def test_links_lead_somewhere(area: str) -> None:
    """Of all pages of an area."""
    there = {
        path: text
        for path, text in texts().items()
        if path.startswith(area) and (area or not path.startswith("docs"))
    }
    found = [f"{path}: {told}" for path, text in there.items() for told in _problems(path, text)]
    assert found == []


def _problems(path: str, text: str) -> list[str]:
    return [told for link in _LINK.findall(text) if (told := problem(path, link))]
