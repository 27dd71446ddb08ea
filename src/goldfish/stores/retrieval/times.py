"""Time in what people say and ask: days that a question names, and words that tell when."""

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from goldfish.stores.retrieval.words import words

DAY = 86_400.0

_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_NAMED = re.compile(
    rf"(?:\b{_DAY}\s+(?:of\s+)?)?\b({'|'.join(_MONTHS)})\b(?:\s+{_DAY}\b)?(?:,?\s+(\d{{4}})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_ALSO_WORDS = ("may", "march")  # in small letters and without a number they are no months
_ASKS_WHEN = re.compile(
    r"^\s*when\b|\b(?:what|which)\s+(?:day|date|month|year|time)\b|\bhow\s+long\b", re.IGNORECASE
)
_TELLING_WHEN = """
    yesterday today tonight tomorrow week weekend month year ago last next recently soon morning
    evening monday tuesday wednesday thursday friday saturday sunday january february march april
    may june july august september october november december day spring summer autumn fall winter
"""


class Span(NamedTuple):
    """A stretch of time, from its first moment to its last, in seconds since 1970."""

    first: float
    last: float


def asks_when(query: str) -> bool:
    """Whether the question wants to know a time."""
    return _ASKS_WHEN.search(query) is not None


def tells_when(said: Iterable[str]) -> bool:
    """Whether any of these words (as ``words`` makes them) tells a time."""
    return not _telling().isdisjoint(said)


def spans(query: str, years: Iterable[int]) -> list[Span]:
    """The days and months that the question names; one without a year is of any of ``years``."""
    return [span for named in _dates(query) for span in _spans(*named, list(years))]


def _dates(query: str) -> Iterator[tuple[str, int, str]]:
    """Each date as year, month and day; what is not said is empty."""
    for before, month, after, year in _NAMED.findall(query):
        if month in _ALSO_WORDS and not (before or after or year):
            continue
        yield year, _MONTHS[month.casefold()], before or after
    for year, month, day in _ISO.findall(query):
        yield year, int(month), day


def _spans(year: str, month: int, day: str, years: list[int]) -> Iterator[Span]:
    for each in [int(year)] if year else years:
        try:
            first = datetime(each, month, int(day or 1), tzinfo=UTC).timestamp()
        except ValueError:  # there is no such day
            continue
        days = 1 if day else calendar.monthrange(each, month)[1]
        yield Span(first, first + days * DAY)


_stems: frozenset[str] | None = None


def _telling() -> frozenset[str]:
    global _stems
    if _stems is None:
        _stems = frozenset(words(_TELLING_WHEN))
    return _stems


def read_time(text: str) -> datetime | None:
    """The moment that the text means, if it is ISO 8601; without a zone it is taken as UTC."""
    if not 8 <= len(text) <= 40 or "-" not in text:  # '20260102' is a number as often as a day
        return None
    return _read_time(text)


@lru_cache(maxsize=4096)
def _read_time(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
