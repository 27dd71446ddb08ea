"""Texts of strangers for Markdown: shown as they are, and never acting as markup."""

import re

# Those that mean something within a line: no text of a stranger begins one.
SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")
LONGEST = 600


def escaped(text: str) -> str:
    """The text in one line, with each character that means something to Markdown disarmed."""
    return SPECIAL.sub(r"\\\1", inert(" ".join(text.split())[:LONGEST]))


def inert(text: str) -> str:
    """The text with control characters, direction marks and surrogates shown as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def fenced(lines: list[str]) -> list[str]:
    """The lines as a block of code, whose fence is longer than any within."""
    told = [inert(line)[:LONGEST] for each in lines for line in each.split("\n")]
    ticks = max((len(run) for line in told for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, ticks + 1)
    return [f"{fence}text", *told, fence]


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"
