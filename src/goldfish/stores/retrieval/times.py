"""Times in texts: the days that a question names, words that tell when, and ISO 8601."""

import calendar
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple

from goldfish.stores.retrieval.words import split_words

DAY = 86_400.0
LONGEST_TIME = 40  # characters; what is longer would fill the cache

_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_NAMED = re.compile(
    rf"(?:\b{_DAY}\s+(?:of\s+)?)?\b({'|'.join(_MONTHS)})\b(?:\s+{_DAY}\b)?(?:,?\s+(\d{{4}})\b)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_ALSO_WORDS = ("may", "march")  # in small letters and without a number they are not months
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
    """Return whether the question asks for a time."""
    return _ASKS_WHEN.search(query) is not None


def tells_when(said: Iterable[str]) -> bool:
    """Return whether any of these words (as ``split_words`` returns them) tells a time."""
    return not _words_telling_when().isdisjoint(said)


def find_spans(query: str, years: Iterable[int]) -> list[Span]:
    """Return the days and months that are named; one without a year is of any of ``years``."""
    return [span for date in _find_dates(query) for span in _spans_of(*date, list(years))]


def _find_dates(query: str) -> Iterator[tuple[str, int, str]]:
    """Yield each date as year, month and day; a part that is not said is empty."""
    for before, month, after, year in _NAMED.findall(query):
        if month in _ALSO_WORDS and not (before or after or year):
            continue
        yield year, _MONTHS[month.casefold()], before or after
    for year, month, day in _ISO.findall(query):
        yield year, int(month), day


def _spans_of(year: str, month: int, day: str, years: list[int]) -> Iterator[Span]:
    for each in [int(year)] if year else years:
        try:
            first = datetime(each, month, int(day or 1), tzinfo=UTC).timestamp()
        except ValueError:  # there is no such day
            continue
        days = 1 if day else calendar.monthrange(each, month)[1]
        yield Span(first, first + days * DAY)


@cache
def _words_telling_when() -> frozenset[str]:
    return frozenset(split_words(_TELLING_WHEN))


def find_moment(metadata: Mapping[str, Any]) -> float:
    """Return the first time that the metadata tell, in seconds since 1970; NaN without any."""
    texts = (value for value in metadata.values() if isinstance(value, str))
    short = (text for text in texts if len(text) <= LONGEST_TIME)
    return next(filter(math.isfinite, map(_parse_moment, short)), math.nan)


@lru_cache(maxsize=4096)
def _parse_moment(text: str) -> float:
    if not any(map(str.isdigit, text)):
        return math.nan
    time = parse_time(text)
    if time is not None:
        return time.timestamp()
    days = find_spans(text, [])  # "1:56 pm on 8 May, 2023"
    return days[0].first if days else math.nan


def parse_time(text: str) -> datetime | None:
    """Return the moment that the text means, if it is ISO 8601; without a zone, as UTC."""
    # '20260102' is a number as often as a day.
    if not 8 <= len(text) <= LONGEST_TIME or "-" not in text:
        return None
    return _parse_iso(text)


@lru_cache(maxsize=4096)
def _parse_iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
