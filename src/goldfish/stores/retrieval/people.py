"""The people who speak in a conversation, and which of them a question names."""

import re
from collections.abc import Mapping
from typing import Any

from goldfish.stores.retrieval.names import Label, labels, named
from goldfish.stores.retrieval.stop_words import STOP_WORDS

Name = Label  # word by word, in small letters


def names_of(speaker: str) -> frozenset[Name]:
    """The whole name, and its first word: most people are called by that."""
    whole = labels({"name": speaker})
    first = {name[:1] for name in whole if len(name[0]) > 2 and name[0] not in STOP_WORDS}
    return frozenset(whole | first)


def named_in(query: str, speakers: Mapping[Name, Any]) -> list[Name]:
    """Those of these names that the question names, the longest first."""
    known = [name for name in named(query, speakers) if _is_meant(query, name)]
    return sorted(known, key=len, reverse=True)


def _is_meant(query: str, name: Name) -> bool:
    """Somebody called Will is meant only by "Will", and not at the beginning of a question."""
    if any(word not in STOP_WORDS for word in name):
        return True
    return any(found.start() for found in re.finditer(rf"\b{name[0].capitalize()}\b", query))
