"""Renders texts of strangers in Markdown: shown as they are, and never acting as markup."""

import re

# The characters that mean something within a line: no text of a stranger begins one.
SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")
CODE = re.compile(r"``(.+?)``")
LONGEST = 600


def escape(text: str) -> str:
    """Return the text in one line, with every character that means something escaped."""
    return _escape_marks(" ".join(text.split())[:LONGEST])


def render_prose(text: str) -> str:
    """Return a paragraph of a docstring of ours, in which double backticks mean code."""
    parts = CODE.split(" ".join(text.split()))
    return "".join(f"`{part}`" if n % 2 else _escape_marks(part) for n, part in enumerate(parts))


def _escape_marks(text: str) -> str:
    return SPECIAL.sub(r"\\\1", show_controls(text))


def show_controls(text: str) -> str:
    """Return the text with control characters, direction marks and surrogates as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def fence(lines: list[str]) -> list[str]:
    """Return the lines as a block of code, whose fence is longer than any within."""
    shown = [show_controls(line)[:LONGEST] for each in lines for line in each.split("\n")]
    ticks = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    mark = "`" * max(3, ticks + 1)
    return [f"{mark}text", *shown, mark]


def render_table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table."""
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)]
