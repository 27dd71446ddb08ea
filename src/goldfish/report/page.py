"""The page that reports are written to, on a terminal or a pipe: wrapped, indented, inert."""

import os
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from goldfish.report.sanitize import escape_controls

WIDEST, NARROWEST = 80, 40


class Page:
    """Where paragraphs are written, at most 80 columns wide; ``lines`` counts them."""

    def __init__(self, file: IO[str] | None = None) -> None:
        self._console = _Patient(file=file, markup=False, highlight=False, emoji=False)
        if self._console.width < 1:  # COLUMNS=0 stands for a width that nobody knows
            self._console.width = WIDEST
        self.width = max(NARROWEST, min(WIDEST, self._console.width))
        self.lines = 0

    @property
    def file(self) -> IO[str]:
        """The file that the lines go to."""
        return self._console.file

    def write(self, text: str = "", *, indent: int = 0, label: str = "", style: str = "") -> None:
        """Write a paragraph; the label stands before its first line and indents the others."""
        margin = " " * indent + escape_controls(label)
        words = Text(escape_controls(text), style=style)
        for line in words.wrap(self._console, self.width - cell_len(margin)):
            line.rstrip()
            self._console.print(Text(margin).append_text(line), soft_wrap=True)
            margin = " " * cell_len(margin)
            self.lines += 1

    def write_code(self, line: str, *, indent: int = 0) -> None:
        """Write a line of code, which stays one line on any page, so that it can be copied."""
        self._console.print(
            Text(" " * indent + escape_controls(line), style="cyan"), soft_wrap=True
        )
        self.lines += 1


class _Patient(Console):
    """A console whose reader may leave, as `head` does: the rest is dropped without an error."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())  # or the interpreter complains when it ends
        os.close(nowhere)
