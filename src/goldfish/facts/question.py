"""A question as it is put to facts: its words, and the names in it that metadata know."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

Label = tuple[str, ...]  # a short value of metadata, word by word

LONGEST_LABEL = 4  # words
_TOKEN = re.compile(r"\w+")


def labels(metadata: Mapping[str, Any]) -> set[Label]:
    """The texts in the metadata that are short enough to be named in a question."""
    found = {_label(value) for value in metadata.values() if isinstance(value, str)}
    return {label for label in found if label}


def _label(value: str) -> Label:
    if len(value) > 80:
        return ()
    tokens = tuple(token.casefold() for token in _TOKEN.findall(value))
    return tokens if len(tokens) <= LONGEST_LABEL else ()


def named(query: str, known: Mapping[Label, Any]) -> list[Label]:
    """The labels that occur in the question, word by word."""
    tokens = [token.casefold() for token in _TOKEN.findall(query)]
    runs = (
        tuple(tokens[first : first + length])
        for length in range(1, LONGEST_LABEL + 1)
        for first in range(len(tokens) - length + 1)
    )
    return list(dict.fromkeys(run for run in runs if run in known))


def in_first_person(query: str, names: Iterable[Label]) -> str:
    """The question as the person it names would put it, for people say "I" of themselves.

    An embedding takes a name for somebody who is spoken to or about, and so finds what others say.
    """
    for name in names:
        person = r"\W+".join(map(re.escape, name))
        query = re.sub(rf"(?i)\b{person}\b(?:['\u2019]s\b)", "my", query)
        query = re.sub(rf"(?i)\b{person}\b", "I", query)
    return query
