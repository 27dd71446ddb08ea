"""The reader of the pages notices what is not as shown."""

from pathlib import Path

import pytest

from tests.docs.blocks import ROOT, blocks, commands
from tests.docs.comparison import shows, tells
from tests.docs.reading import NotAsShown, Reader, new_edition

PAGE = Path("a-page.md")


def fenced(language: str, *lines: str) -> str:
    """A block of a page."""
    return "\n".join([f"```{language}", *lines, "```", ""])


def test_each_block_is_known_for_what_it_is() -> None:
    """By its language, its first line, and what stands before it."""
    page = "\n".join(
        [
            fenced("python", "# from README.md", "x"),
            fenced("python", "# memory.py", "x = 1"),
            "In `other.py`:\n",
            fenced("python", "x = 1"),
            fenced("python", "def test_it(): pass"),
            fenced("python", "print(1)"),
            fenced("text", "1"),
            fenced("text", "prose"),
            "<!-- not run: it takes an hour -->",
            fenced("console", "$ goldfish check"),
        ]
    )
    found = blocks(page)
    kinds = ["quote", "file", "file", "test", "run", "printed", "prose", "console"]
    assert [block.kind for block in found] == kinds
    assert [block.name for block in found[:3]] == ["README.md", "memory.py", "other.py"]
    assert found[-1].note == "not run"


def test_commands_have_what_is_shown_under_them() -> None:
    """A comment behind a command is no part of it, and a backslash goes on in the next line."""
    (block,) = blocks(fenced("console", "$ ls  # all", "a", "$ cat \\", "  b"))
    assert [(each.line, each.shown) for each in commands(block)] == [("ls", "a\n"), ("cat b", "")]


def test_words_are_compared_and_numbers_are_not() -> None:
    """Nor names of a run, nor where lines break."""
    shown = "sqlite: held. 3 promises\nheld. (1.0 s, seed 7)"
    assert shows(shown, "sqlite: held. 12 promises held. (0.3 s, seed 9)\n") == ""
    assert shows(shown, "sqlite: broken. 1 promise broken.") != ""
    assert shows("'session-0af5c6-1' is gone", "'session-93cc01-2' is gone") == ""
    assert shows("begins\n…\nends", "begins, goes on, ends") == ""
    assert shows("ends\n…\nbegins", "begins, goes on, ends") != ""
    assert shows("1 lost", "2 lost", exactly=True) != ""
    assert shows("(seed 418230, edition 1)", "(seed 98426, edition 1)") == ""


def test_of_runs_that_differ_promises_and_findings_are_compared() -> None:
    """The evidence may be another one."""
    shown = (
        "m: broken. 1 promise broken.\n  CON01 All are\n        there.\n        lost: 'a' is gone\n"
    )
    assert tells(shown, shown.replace("'a' is", "'b' is")) == ""
    assert tells(shown, shown.replace("lost:", "torn:")) != ""
    assert tells(shown, shown.replace("m: broken", "m: held")) != ""


@pytest.mark.parametrize(
    "page",
    [
        fenced("python", "# from README.md", "these lines are not in it"),
        fenced("python", "print(1)") + "\n" + fenced("text", "2"),
        fenced("console", "$ python -c 'raise SystemExit(2)'"),
        fenced("python", "# a.py", "x = 1")
        + fenced("console", "$ cat a.py", "# a.py", "x = other"),
    ],
)
def test_what_is_not_as_shown_is_noticed(page: str, tmp_path: Path) -> None:
    """A quotation, an output, a command that fails, what a command says."""
    with pytest.raises(NotAsShown):
        Reader(tmp_path).read(page, PAGE)


def test_a_page_works_with_the_files_that_it_shows(tmp_path: Path) -> None:
    """Code imports them, and no other page sees them."""
    for value in ("1", "2"):
        page = fenced("python", "# shown.py", f"value = {value}")
        page += fenced("python", "from shown import value", "print(value)")
        place = tmp_path / value
        place.mkdir()
        Reader(place).read(page + fenced("text", value), PAGE)


def test_a_new_edition_shows_what_is_said() -> None:
    """In the same place, and nothing else changes."""
    page = "before\n" + fenced("text", "old") + "after\n"
    (block,) = blocks(page)
    assert new_edition(page, [(block, "new\n")]) == page.replace("old", "new")


def test_a_new_edition_keeps_commands_as_they_are_written(tmp_path: Path) -> None:
    """With their comments and line breaks, and blocks that only name commands."""
    written = fenced("console", "$ ls a.py  # the file", "a.py", "$ cat \\", "  a.py", "# a.py")
    page = fenced("python", "# a.py") + written + fenced("console", "goldfish check --html a.html")
    reader = Reader(tmp_path)
    reader.read(page, PAGE)
    assert new_edition(page, reader.said) == page


def test_an_example_is_followed_in_a_copy_of_its_directory(tmp_path: Path) -> None:
    """So that nothing is left behind in the repository."""
    page = fenced("console", "$ ls pytest.ini", "pytest.ini")
    Reader(tmp_path).read(page, ROOT / "examples" / "goldfish-bot" / "README.md")
    assert (tmp_path / "memory_broken.py").exists()
