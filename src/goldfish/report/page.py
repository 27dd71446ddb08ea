"""Lines for a terminal or a pipe: wrapped, indented, and inert whatever they contain."""

from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from goldfish.report.discretion import inert

WIDEST, NARROWEST = 80, 40


class Page:
    """Where paragraphs are written, at most 80 columns wide."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self._console = Console(file=file, markup=False, highlight=False, emoji=False)
        self.width = max(NARROWEST, min(WIDEST, self._console.width))

    def write(self, text: str = "", *, indent: int = 0, label: str = "", style: str = "") -> None:
        """A paragraph; the label stands before its first line, the others keep clear of it."""
        margin = " " * indent + inert(label)
        words = Text(inert(text), style=style)
        for line in words.wrap(self._console, self.width - cell_len(margin)):
            line.rstrip()
            self._console.print(Text(margin).append_text(line), soft_wrap=True)
            margin = " " * cell_len(margin)
