"""What metadata add to a fact, and how a question names it: people, places, days."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from goldfish.stores.retrieval.times import read_time, spans

Label = tuple[str, ...]  # a short value of metadata, word by word

LONGEST_TIME = 40
LONGEST_LABEL = 4  # words
# Under these keys metadata tell whose words a fact is in: there "I" is the one who is named.
SPEAKING = {"speaker", "author", "name", "user", "person", "sender", "from", "by", "who", "actor"}
_TOKEN = re.compile(r"\w+")


def labels(metadata: Mapping[str, Any]) -> set[Label]:
    """The texts in the metadata that are short enough to be named in a question."""
    found = {_label(value) for value in metadata.values() if isinstance(value, str)}
    return {label for label in found if label}


def people(metadata: Mapping[str, Any]) -> set[Label]:
    """Those of the labels that tell who is speaking."""
    return labels({key: metadata[key] for key in metadata if key.casefold() in SPEAKING})


def moment(metadata: Mapping[str, Any]) -> float:
    """The first time that the metadata tell, in seconds since 1970; NaN if they tell none."""
    texts = (value for value in metadata.values() if isinstance(value, str))
    short = (text for text in texts if len(text) <= LONGEST_TIME)  # or the cache would keep it
    return next(filter(math.isfinite, map(_moment, short)), math.nan)


@lru_cache(maxsize=4096)
def _moment(text: str) -> float:
    if not any(map(str.isdigit, text)):
        return math.nan
    found = read_time(text)
    if found is not None:
        return found.timestamp()
    days = spans(text, [])  # "1:56 pm on 8 May, 2023"
    return days[0].first if days else math.nan


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
