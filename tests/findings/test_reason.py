"""Reasons: data until a reporter makes a sentence of them."""

import pytest

from goldfish.findings.reason import Reason, Why


@pytest.mark.parametrize("why", Why)
def test_every_kind_of_reason_makes_a_sentence(why: Why) -> None:
    """The sentence and the short form have a place for the same parts, and use all of them."""
    parts = [f"part{number}" for number in range(why.sentence.count("{}"))]
    reason = Reason.of(why, *parts)
    assert all(part in str(reason) and part in reason.short for part in parts)
    assert "{}" not in str(reason) + reason.short


def test_a_list_says_less_than_a_sentence() -> None:
    """Under a heading the subject is known."""
    reason = Reason.of(Why.LACKS_METHOD, "clear")
    assert (str(reason), reason.short) == ("the store has no clear", "no clear")


def test_parts_are_never_read_as_templates() -> None:
    """A store may be called anything."""
    assert str(Reason.stated("{0} {why}")) == "{0} {why}"
    assert str(Reason.of(Why.NOT_ASKED, "{}").with_parts(str.upper)) == "not asked: {}"
