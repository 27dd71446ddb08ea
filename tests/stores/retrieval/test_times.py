"""Time in what people say and ask."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldfish.stores.retrieval.times import asks_when, find_moment, find_spans, tells_when
from goldfish.stores.retrieval.words import split_words


def days(query: str, *years: int) -> list[tuple[str, str]]:
    """The first day of each span, and the day after its last."""
    return [(_day(first), _day(end)) for first, end in find_spans(query, years)]


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"


@pytest.mark.parametrize(
    ("query", "first", "end"),
    [
        ("What happened on 13 October, 2023?", "2023-10-13", "2023-10-14"),
        ("What happened on October 13th 2023?", "2023-10-13", "2023-10-14"),
        ("the 1st of May 2024", "2024-05-01", "2024-05-02"),
        ("on 2024-02-29", "2024-02-29", "2024-03-01"),
        ("in february 2023", "2023-02-01", "2023-03-01"),
        ("in 2023-12", "2023-12-01", "2024-01-01"),
    ],
)
def test_a_date_in_a_question_is_a_stretch_of_time(query: str, first: str, end: str) -> None:
    """A day is a day, and a month is all of it."""
    assert days(query) == [(first, end)]


def test_a_month_without_a_year_is_that_of_any_year_in_question() -> None:
    """Whoever asks about July means one that was talked in."""
    assert days("camping in July", 2022, 2023) == [
        ("2022-07-01", "2022-08-01"),
        ("2023-07-01", "2023-08-01"),
    ]
    assert days("camping in July") == []


@pytest.mark.parametrize("query", ["may I march?", "31 February 2023", "room 13", "2023", ""])
def test_what_is_no_date_is_none(query: str) -> None:
    """Words that only look like a month, and days that never were, are left alone."""
    assert days(query, 2023) == []


@settings(deadline=None)
@given(st.text())
def test_any_question_can_be_asked(query: str) -> None:
    """Nothing in a question breaks the reading of dates."""
    assert all(first < last for first, last in find_spans(query, [2023]))


def test_questions_for_a_time_and_words_that_tell_one_are_known() -> None:
    """ "When" asks for it, "yesterday" tells it."""
    assert asks_when("When did she leave?")
    assert asks_when("In which year was that?")
    assert not asks_when("Tell me when it suits you")
    assert tells_when(split_words("We left last Tuesday"))
    assert not tells_when(split_words("We left the house"))


@pytest.mark.parametrize(
    "value", ["1970-01-02T00:00:00+00:00", "1970-01-02", "1:56 pm on 2 January, 1970"]
)
def test_a_time_in_metadata_is_the_time_of_the_fact(value: str) -> None:
    """As ISO 8601, or as people write a day."""
    assert find_moment({"topic": "tea", "n": 3, "time": value}) == 86_400


@pytest.mark.parametrize("value", ["", "May", "12 monkeys", "x" * 500 + " 2 May 2020", "8892"])
def test_other_texts_are_no_times(value: str) -> None:
    """A number, or a month without a year, tells no moment."""
    assert math.isnan(find_moment({"note": value}))
