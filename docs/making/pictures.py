"""Draw the README's pictures from a real run: python -m docs.making.pictures [DIRECTORY].

The terminal becomes an SVG, the HTML report a screenshot by Chromium; each once for light and once
for dark pages.
"""

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI, TerminalTheme
from rich.text import Text

DIRECTORY = Path(__file__).parents[1] / "pictures"
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
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if chromium is None:
        sys.exit("no Chromium found: apt-get install chromium")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        page_file = Path(place) / "report.html"
        run("check", TARGET, "--seed", "7", "--html", str(page_file))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 1500})
        page.goto(page_file.as_uri())
        for name in THEMES:
            page.emulate_media(color_scheme="dark" if name == "dark" else "light")
            page.screenshot(path=directory / f"report-{name}.png")
        browser.close()


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY
    place.mkdir(parents=True, exist_ok=True)
    draw_terminal(place)
    draw_report(place)
