"""What a process knows of a user, as news come in pages, late, or out of order."""

import json

from goldfish.stores.facts.backend import Changes, Known, Row
from goldfish.stores.facts.filters import parse
from goldfish.stores.facts.index import UserFacts

EVERYTHING = parse(None)
STAMP = "2026-03-01T12:00:00+00:00"


def row(seq: int, text: str = "", *, changed: int = 0, **values: object) -> Row:
    said = json.dumps({"text": text or f"fact {seq}", "updated_at": STAMP})
    base = json.dumps({"metadata": {}, "created_at": STAMP})
    plain = Row(seq, changed or seq, seq, f"id{seq}", base, said, 1, "[]", None, b"")
    return plain._replace(**values)  # type: ignore[arg-type]


def news(version: int, *rows: Row, epoch: int = 1, removals: int = 0, **more: object) -> Changes:
    known = Known(epoch, version, removals)
    return Changes(known, "m", 100.0, list(rows))._replace(**more)  # type: ignore[arg-type]


def texts(facts: UserFacts) -> list[str]:
    return [fact.text for fact in facts.page(EVERYTHING, 0, None)]


def test_pages_add_up() -> None:
    """Each page is taken in; only the last one completes what is known."""
    facts = UserFacts("u")
    assert not facts.apply(Known(), news(2, row(1), row(2), more=True))
    assert facts.apply(facts.known, news(3, row(3)))
    assert texts(facts) == ["fact 1", "fact 2", "fact 3"]


def test_old_news_bring_nothing_back() -> None:
    """An answer that took longer than a newer one does not undo it."""
    facts = UserFacts("u")
    facts.apply(Known(), news(2, row(1), row(2)))
    before = facts.known
    late = news(3, row(3))
    facts.apply(before, news(4, removals=1, alive=[1, 2]))
    facts.apply(before, late)
    assert texts(facts) == ["fact 1", "fact 2"]


def test_news_of_an_earlier_life_are_refused() -> None:
    """Once the facts have begun anew, an answer from before does not count."""
    facts = UserFacts("u")
    facts.apply(Known(), news(1, row(1)))
    before = facts.known
    assert facts.apply(before, news(1, row(1, "new"), epoch=2))
    assert not facts.apply(before, news(2, row(2)))
    assert texts(facts) == ["new"]


def test_a_user_without_facts_is_empty_again() -> None:
    """When the backend has nothing, nothing is known."""
    facts = UserFacts("u")
    facts.apply(Known(), news(1, row(1)))
    assert facts.apply(facts.known, Changes(Known(), "", 0.0, []))
    assert texts(facts) == []


def test_deadlines_are_kept_by_the_time_that_the_backend_tells() -> None:
    """A fact is gone at its deadline, and not before; a later deadline counts."""
    facts = UserFacts("u")
    facts.apply(Known(), news(2, row(1, expires_at=150.0), row(2, expires_at=150.0)))
    facts.apply(facts.known, news(3, row(2, changed=3, expires_at=300.0), now=149.0))
    assert texts(facts) == ["fact 1", "fact 2"]
    facts.apply(facts.known, news(3, now=150.0))
    assert texts(facts) == ["fact 2"]


def test_links_show_on_both_sides_as_long_as_both_say_the_same() -> None:
    """A link to a fact that was worded anew, or is gone, is not shown."""
    facts = UserFacts("u")
    facts.apply(Known(), news(2, row(1), row(2, near='[["id1",1],["id9",9]]')))
    assert [fact.near for fact in facts.page(EVERYTHING, 0, None)] == [["id2"], ["id1"]]
    facts.apply(facts.known, news(3, row(1, "other", changed=3, said_at=3)))
    assert [fact.near for fact in facts.page(EVERYTHING, 0, None)] == [[], []]
