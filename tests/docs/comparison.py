"""Whether a command says what a page shows: words count, numbers and names of a run do not."""

import re

# Session names, ids, addresses and times of a run; then all other numbers.
_VOLATILE = (
    (re.compile(r"\b([a-z]+)-[0-9a-f]{6}-\d+"), r"\1-#"),
    (re.compile(r"\b[0-9a-f]{6,}\b"), "#"),
    (re.compile(r"/\S*/(?=[\w.-]+)"), ""),  # directories
    (re.compile(r"\d([\d,.]*\d)?"), "#"),  # but not the comma behind one
)
_CHECK = re.compile(r"^ *([A-Z]{3}\d\d) (.+?[.:])\s+(\w+): ", re.DOTALL | re.MULTILINE)
_VERDICT = re.compile(r"^(\S+: (?:held|broken|unknown)[^.]*)\.", re.MULTILINE)


def plain(text: str) -> str:
    """The words of a text, without what differs from run to run or with the width of a line."""
    for volatile, stand_in in _VOLATILE:
        text = volatile.sub(stand_in, text)
    return _words(text)


def shows(shown: str, said: str, *, exactly: bool = False) -> str:
    """The first part of what is shown that is not said, or nothing; an ellipsis skips any.

    Code that prints the same each time is taken at its word, numbers too.
    """
    worded = _words if exactly else plain
    rest = worded(said)
    for words in filter(None, map(worded, shown.split("…"))):
        _, found, rest = rest.partition(words)
        if not found:
            return words
    return ""


def _words(text: str) -> str:
    return " ".join(text.split())


def tells(shown: str, said: str) -> str:
    """As shows(), for runs that differ: the verdict, and each promise with its finding."""
    for verdict in _VERDICT.findall(shown):
        if verdict not in _VERDICT.findall(said):
            return str(verdict)
    told = {_words(" ".join(found)) for found in _CHECK.findall(said)}
    wanted = [_words(" ".join(found)) for found in _CHECK.findall(shown)]
    return next((each for each in wanted if each not in told), "")
