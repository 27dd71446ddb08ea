"""The fenced blocks of a page, each with what it is for.

A Python block whose first line is ``# from PATH`` quotes a file of the repository. It is a file of
its own if its first line is ``# NAME.py`` (or has any other ending), or if the prose before it ends
with that name and a colon; with a ``def test_`` it is a test; otherwise it is run, in order, with
the names of the blocks before it. A text block right after it is what it prints. In a console block
the lines that begin with ``$`` are commands, the others what they say; an ellipsis stands for
anything. A comment right before a block says otherwise: ``<!-- varies: why -->`` compares promises
and findings only, ``<!-- not run: why -->`` nothing.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
Kind = Literal["quote", "file", "test", "run", "printed", "console", "prose"]

_FENCE = re.compile(
    r"(?:`(?P<prose>[\w./-]+\.py)`:\n\n)?"  # "In `memory.py`:" right before the block
    r"(?:^<!-- (?P<note>varies|not run): (?P<why>[^\n]+?) -->\n+)?"
    r"^```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FILE = re.compile(r"# ([\w./-]+\.(?:py|toml|ini|yml|yaml|cfg))\n")
_QUOTE = re.compile(r"# from ([\w./-]+)\n")
_COMMAND = re.compile(r"^(\$ (?:[^\n]*\\\n)*[^\n]*\n)((?:(?!\$ )[^\n]*\n)*)", re.MULTILINE)
_IN = re.compile(r"^<!-- in ([\w./-]+) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block; ``start`` and ``end`` are where its text is in the page."""

    kind: Kind
    language: str
    text: str
    start: int
    end: int
    note: str = ""
    name: str = ""  # of the file that it is, or quotes


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    found: list[Block] = []
    for match in _FENCE.finditer(page):
        after_code = bool(found) and not page[found[-1].end : match.start()].strip("`\n ")
        found.append(_block(match, after_code and found[-1].kind == "run"))
    return found


def directory_of(page: str, path: Path) -> Path | None:
    """The directory whose copy a page works in: the one that it names, or its own example."""
    match = _IN.search(page)
    if match:
        return ROOT / match[1]
    return path.parent if path.parent.parent == ROOT / "examples" else None


def _block(match: re.Match[str], after_code: bool) -> Block:
    text, language = match["text"], match["language"]
    quote, file = _QUOTE.match(text), _FILE.match(text)
    kind: Kind = "prose"
    if quote:
        kind = "quote"
    elif file or match["prose"]:
        kind = "file"
    elif language == "python":
        kind = "test" if re.search(r"^(async )?def test_", text, re.MULTILINE) else "run"
    elif language == "console":
        kind = "console"
    elif language == "text" and after_code:
        kind = "printed"
    named = quote or file
    name = named[1] if named else match["prose"] or ""
    return Block(kind, language, text, *match.span("text"), match["note"] or "", name)


@dataclass(frozen=True)
class Command:
    """A command of a console block, as the page writes it, and the lines that it shows under it."""

    written: str
    shown: str

    @property
    def line(self) -> str:
        """The command in one line, without the comment behind it."""
        joined = re.sub(r"\\\n\s*", "", self.written)
        return joined.removeprefix("$ ").partition("  # ")[0].strip()


def commands(block: Block) -> list[Command]:
    """The commands of a console block; a backslash at the end goes on in the next line."""
    return [Command(match[1], match[2]) for match in _COMMAND.finditer(block.text)]
