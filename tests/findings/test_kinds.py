"""The one table of what can be found."""

import ast
import re
from pathlib import Path

from goldfish.findings.kinds import KINDS, describe_deeds, rank

SOURCES = Path(__file__).parents[2] / "src" / "goldfish"
MANY = 4  # words in one literal: that is a list of kinds; fewer are a choice among them


def test_every_kind_has_a_meaning_and_a_deed() -> None:
    """`explain` and the reports have something to say about each."""
    for word, kind in KINDS.items():
        assert kind.word == word
        assert re.fullmatch(r"[A-Z].*[^.]\.", kind.meaning)
        assert re.fullmatch(r"[a-z].*[^.]", kind.deed)


def test_what_reached_the_wrong_hands_is_graver_than_what_is_gone() -> None:
    """One order serves the judges and the reports; what is unknown to it comes last."""
    assert rank("leaked") < rank("lost") < rank("duplicated") < rank("refused") < rank(None)


def test_deeds_are_told_the_gravest_first_and_once() -> None:
    """A reader who stops after the first clause has read the worst."""
    told = describe_deeds(["wedged", None, "lost", "lost", "leaked", "torn"])
    assert told == (
        "it shows one session what belongs to another; "
        "it loses messages that it had acknowledged; it stores or shows parts of a batch"
    )


def test_no_other_module_lists_the_kinds() -> None:
    """Whoever needs the words asks the table; the remedies are texts by word."""
    lists = (ast.Dict, ast.Set, ast.List, ast.Tuple)
    strays = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in SOURCES.rglob("*.py")
        if path.stem not in {"kinds", "remedies", "backends"}
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, lists) and len(KINDS.keys() & _words(node)) >= MANY
    ]
    assert strays == []


def _words(node: ast.Dict | ast.Set | ast.List | ast.Tuple) -> set[object]:
    parts = node.keys if isinstance(node, ast.Dict) else node.elts
    return {each.value for each in parts if isinstance(each, ast.Constant)}
