"""Looks for a name: whether it is installed, and which known names are like it."""

import difflib
import importlib.util
import re
from collections.abc import Iterable


def is_installed(module: str) -> bool:
    """Return True if a module can be imported here."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # what would hold it is missing
        return False


def suggest_name(kind: str, name: str, known: Iterable[str], *, see: str) -> str:
    """Return a sentence: there is no such thing, and the nearest names or where to look."""
    near = find_nearest(name, known)
    return f"no {kind} named {name!r}: " + (f"did you mean {' or '.join(near)}?" if near else see)


def find_nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that look like this one, whatever its case.

    Where one looks far more like it than the others do, only that one.
    """
    by_lower = {each.lower(): each for each in known}
    if same := [by_lower[each] for each in by_lower if _spell(each) == _spell(name.lower())]:
        return same[:1]
    found = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    likeness = [difflib.SequenceMatcher(None, each, name.lower()).ratio() for each in found]
    close = zip(found, likeness, strict=True)
    return [by_lower[each] for each, like in close if like > max(likeness) - 0.15]


def _spell(name: str) -> str:
    """Return a name with its numbers without zeros before them: con01 as con1."""
    return re.sub(r"\d+", lambda found: str(int(found[0])), name)
