"""Answers in the shapes in which people return them: rows of a database, a list within a page."""

from collections.abc import Mapping
from typing import Any

from goldfish.harness.fields import NAMES, TEXTS, list_in

LISTS = {
    *("get_history", "search_history", "list_sessions"),
    *("list_facts", "recall", "list_snapshots"),
}
KNOWN = {*TEXTS, *NAMES, "role", "fact", "message", "snapshot_id"}


def simplify(method: str, answer: Any) -> Any:
    """Return an answer without its page, and its rows as dicts; any other one stays as it is."""
    if method == "get_fact":
        return read_row(answer) or None  # an empty dict says that there is none
    if method not in LISTS:
        return read_row(answer)
    found = list_in(answer)
    if not isinstance(found, list | tuple) or _is_row(found) or not any(map(_is_row, found)):
        return found  # the list itself: checks look whether it is the store's own
    return [read_row(each) for each in found]


def read_row(item: Any) -> Any:
    """Return a row of a database, or a tuple with names, as a dict."""
    if not _is_row(item):
        return item
    return dict(item) if hasattr(item, "keys") else item._asdict()


def _is_row(item: Any) -> bool:
    """Return True for a tuple with names that mean something here, and for what has columns."""
    if isinstance(item, tuple):
        return not KNOWN.isdisjoint(getattr(item, "_fields", ()))
    has_columns = callable(getattr(item, "keys", None)) and hasattr(item, "__getitem__")
    return has_columns and not isinstance(item, Mapping)
