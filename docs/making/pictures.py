"""Draw the pictures of the pages from real runs: python -m docs.making.pictures [DIRECTORY].

The terminal becomes an SVG, the HTML report a screenshot by Chromium; each once for light and once
for dark pages.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI, TerminalTheme
from rich.text import Text

DIRECTORY = Path(__file__).parents[1] / "pictures"
STORY = Path(__file__).parents[1] / "stories" / "killed-tool.md"
TARGET = "goldfish.cli.demo.forgetful:memory"
COLUMNS = 80
LIGHT = TerminalTheme(
    (255, 255, 255),
    (36, 41, 47),
    [
        *[(36, 41, 47), (180, 35, 24), (17, 99, 41), (140, 90, 0)],
        *[(9, 105, 218), (130, 80, 223), (27, 124, 131), (110, 119, 129)],
    ],
)
THEMES = {"light": LIGHT, "dark": MONOKAI}


def run(*arguments: str) -> str:
    """Return what goldfish prints on a terminal of 80 columns, colours included."""
    command = [sys.executable, "-m", "goldfish", *arguments]
    surroundings = {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings)
    if done.returncode not in {0, 1}:
        sys.exit(f"{' '.join(command)} failed: {done.stderr}")
    return done.stdout


def draw_terminal(directory: Path) -> None:
    """Save what a check of one promise prints, with its command."""
    arguments = "check", TARGET, "--only", "CON01", "--seed", "7"
    shown = Text.assemble(("$ ", "bold"), f"goldfish {' '.join(arguments)}\n")
    shown.append_text(Text.from_ansi(run(*arguments)))
    for name, theme in THEMES.items():
        console = Console(record=True, width=COLUMNS, file=io.StringIO())
        console.print(shown)
        drawing = console.export_svg(title="goldfish", theme=theme)
        # Fonts from elsewhere: no page loads them in a picture, and none should.
        drawing = re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)
        (directory / f"terminal-{name}.svg").write_text(drawing, encoding="utf-8")


def draw_report(directory: Path) -> None:
    """Save the first screen of the HTML report of the same memory."""
    with tempfile.TemporaryDirectory() as place:
        page_file = Path(place) / "report.html"
        run("check", TARGET, "--seed", "7", "--html", str(page_file))
        photograph(page_file, directory / "report", (0, 0, 1100, 1500))


def draw_prompts(directory: Path) -> None:
    """Save the prompts that the HTML report shows of the agent of the story."""
    (agent, *_) = re.findall(r"```python\n(.*?)```", STORY.read_text("utf-8"), re.DOTALL)
    with tempfile.TemporaryDirectory() as place:
        page_file, bot = Path(place) / "report.html", Path(place) / "bot.py"
        bot.write_text(agent, encoding="utf-8")
        run("check", f"{bot}:bot", "--only", "CTX33", "--seed", "1", "--html", str(page_file))
        photograph(page_file, directory / "prompts", (66, 566, 968, 960), ["light"])


def photograph(
    page_file: Path,
    picture: Path,
    area: tuple[int, int, int, int],
    themes: Iterable[str] = THEMES,
) -> None:
    """Save an area of a page (left, top, width, height), once for each theme."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None:
        sys.exit("no Chromium found: apt-get install chromium")
    x, y, width, height = area
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": y + height})
        page.goto(page_file.as_uri())
        for name in themes:
            page.emulate_media(color_scheme="dark" if name == "dark" else "light")
            page.screenshot(
                path=f"{picture}-{name}.png",
                clip={"x": x, "y": y, "width": width, "height": height},
            )
        browser.close()


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY
    place.mkdir(parents=True, exist_ok=True)
    draw_terminal(place)
    draw_report(place)
    draw_prompts(place)
