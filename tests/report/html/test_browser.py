"""The page in a real browser: it looks as it should, and nothing in it acts."""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from goldfish.engine.baseline import Account
from goldfish.report.html import render_html
from tests.report.html.stories import BROKEN_REPORT, HELD_REPORT, hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
LACKING = [
    "playwright: pip install 'goldfish[dev]'" if not importlib.util.find_spec("playwright") else "",
    "a Chromium: apt-get install chromium" if CHROMIUM is None else "",
]
pytestmark = pytest.mark.skipif(any(LACKING), reason=f"needs {' and '.join(filter(None, LACKING))}")


PATIENCE = 120_000  # milliseconds: other tests may have all the processors


@pytest.fixture
def browser() -> "Iterator[Browser]":
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root, which containers often are, Chromium has no sandbox of its own.
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield running
        running.close()


@pytest.fixture
def address(tmp_path: Path) -> str:
    """A page with the worst texts, a broken target and one that held."""
    accounts = [Account(report) for report in (hostile(), BROKEN_REPORT, HELD_REPORT)]
    path = tmp_path / "report.html"
    path.write_text(render_html(accounts), encoding="utf-8")
    return path.as_uri()


def test_the_page_fits_and_the_console_stays_empty(browser: "Browser", address: str) -> None:
    """Wide or narrow, by day or by night: no sideways scrolling, no complaint, no dialogue."""
    page = browser.new_page()
    said = _heard(page)
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    by_day = page.evaluate(paper)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) != by_day
    assert said == [address]


def _heard(page: "Page") -> list[str]:
    """What the page asks for, complains of, or asks the reader."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: said.append(request.url))
    return said


def test_one_drawing_is_shown_and_what_is_hostile_stays_text(
    browser: "Browser", address: str
) -> None:
    """The drawing that suits the width is there, and no text has become an element."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    finding = page.locator("#t2-CON01")
    assert finding.locator("svg.wide").is_visible()
    assert not finding.locator("svg.narrow").is_visible()
    assert finding.locator("path.follow").first.is_visible()
    assert page.locator("script, img").count() == 0
    assert "你好 🐟" in page.locator("#t1 h3").first.inner_text()


def test_commands_are_seen_to_their_end(browser: "Browser", address: str) -> None:
    """On a narrow page they go on in the next line, and are copied as one."""
    page = browser.new_page(viewport={"width": 400, "height": 800})
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    hidden = "all => all.filter(each => each.scrollWidth > each.clientWidth).length"
    commands = page.locator("pre.command")
    assert commands.count() > 0
    assert commands.evaluate_all(hidden) == 0
