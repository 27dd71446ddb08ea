"""Names in metadata, of speakers and of what else a question may name."""

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

from goldfish.stores.retrieval.stop_words import STOP_WORDS

Label = tuple[str, ...]  # a short value of metadata, or a name: word by word, in small letters

LONGEST_LABEL = 4  # words
# Under these keys metadata tell whose words a fact is in: there "I" is the one who is named.
SPEAKING = {"speaker", "author", "name", "user", "person", "sender", "from", "by", "who", "actor"}
_TOKEN = re.compile(r"\w+")


def find_labels(metadata: Mapping[str, Any]) -> set[Label]:
    """Return the texts in the metadata that are short enough to be named in a question."""
    found = {_label(value) for value in metadata.values() if isinstance(value, str)}
    return {label for label in found if label}


def find_speakers(metadata: Mapping[str, Any]) -> set[Label]:
    """Return those of the labels that tell who is speaking."""
    return find_labels({key: metadata[key] for key in metadata if key.casefold() in SPEAKING})


def names_of(speaker: str) -> frozenset[Label]:
    """Return the whole name, and its first word: most people are called by that."""
    whole = find_labels({"name": speaker})
    first = {name[:1] for name in whole if len(name[0]) > 2 and name[0] not in STOP_WORDS}
    return frozenset(whole | first)


def find_named(query: str, known: Container[Label]) -> list[Label]:
    """Return those of the known labels that the question names, the longest first."""
    tokens = [token.casefold() for token in _TOKEN.findall(query)]
    runs = (
        tuple(tokens[first : first + length])
        for length in range(LONGEST_LABEL, 0, -1)
        for first in range(len(tokens) - length + 1)
    )
    named = dict.fromkeys(run for run in runs if run in known)
    return [label for label in named if _is_meant(query, label)]


def put_in_first_person(query: str, names: Iterable[Label]) -> str:
    """Return the question as the person it names would put it: people say "I" of themselves.

    An embedding takes a name for somebody who is spoken to or about, and so finds what others say.
    """
    for name in names:
        person = r"\W+".join(map(re.escape, name))
        query = re.sub(rf"(?i)\b{person}\b(?:['\u2019]s\b)", "my", query)
        query = re.sub(rf"(?i)\b{person}\b", "I", query)
    return query


def _label(value: str) -> Label:
    if len(value) > 80:
        return ()
    tokens = tuple(token.casefold() for token in _TOKEN.findall(value))
    return tokens if len(tokens) <= LONGEST_LABEL else ()


def _is_meant(query: str, name: Label) -> bool:
    """Return whether a name is meant: Will only by "Will", and not at the beginning."""
    if any(word not in STOP_WORDS for word in name):
        return True
    return any(found.start() for found in re.finditer(rf"\b{name[0].capitalize()}\b", query))
