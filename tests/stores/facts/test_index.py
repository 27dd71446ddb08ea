"""What a process knows of a user, as news come late, or out of order."""

from goldfish.stores.facts.backend import Changes, Known
from goldfish.stores.facts.filters import parse
from goldfish.stores.facts.index import UserFacts
from goldfish.stores.facts.ranking import Question, Search
from goldfish.stores.retrieval.blocks import NO_MARKS, Marked, Marks
from goldfish.stores.retrieval.marks import Traits, encode_marks

EVERYTHING = parse(None)


def fact(seq: int, word: str = "fact", *, said_at: int = 0) -> Marked:
    return Marked(seq, said_at or seq, encode_marks(Traits([word], b""), 0))


def news(
    version: int, *facts: Marked, epoch: int = 1, removals: int = 0, **more: object
) -> Changes:
    known = Known(epoch, version, removals)
    changes = Changes(known, "m", 100.0, Marks.of(list(facts)), {})
    return changes._replace(**more)  # type: ignore[arg-type]


def known_to(facts: UserFacts, word: str = "fact") -> list[int]:
    """The facts that have the word."""
    found = facts.search(Search(Question([word], None), 0, 100), EVERYTHING)
    assert found is not None
    assert not found[0]
    return [hit.seq for hit in found[1] if hit.why["words"] > 0]


def test_what_is_new_is_added() -> None:
    """And what is known already stays as it is, though it is told again."""
    facts = UserFacts("u")
    facts.apply(Known(), news(2, fact(1), fact(2), anew=True))
    facts.apply(facts.known, news(4, fact(1), fact(3), fact(2, "other", said_at=4)))
    assert known_to(facts) == [1, 3]
    assert known_to(facts, "other") == [2]
    assert len(facts) == 3


def test_old_news_bring_nothing_back() -> None:
    """An answer that took longer than a newer one does not undo it."""
    facts = UserFacts("u")
    facts.apply(Known(), news(2, fact(1), fact(2), anew=True))
    before = facts.known
    late = news(3, fact(3))
    facts.apply(before, news(4, removals=1, alive=[1, 2]))
    facts.apply(before, late)
    facts.apply(before, news(3, fact(1), fact(2), fact(3), anew=True))
    assert known_to(facts) == [1, 2]


def test_news_of_an_earlier_life_are_refused() -> None:
    """Once the facts have begun anew, an answer from before does not count."""
    facts = UserFacts("u")
    facts.apply(Known(), news(1, fact(1), anew=True))
    before = facts.known
    assert facts.apply(before, news(1, fact(1, "new"), epoch=2, anew=True))
    assert not facts.apply(before, news(2, fact(2)))
    assert known_to(facts, "new") == [1]
    assert len(facts) == 1


def test_a_user_without_facts_is_empty_again() -> None:
    """When the backend has nothing, nothing is known."""
    facts = UserFacts("u")
    facts.apply(Known(), news(1, fact(1), anew=True))
    assert facts.apply(facts.known, Changes(Known(), "", 0.0, NO_MARKS, {}, anew=True))
    assert len(facts) == 0
    assert not facts.exists


def test_the_first_fact_of_a_user_who_has_none_left_is_found_by_its_number() -> None:
    """Though the user was known, and somebody has looked for a fact in vain."""
    facts = UserFacts("u")
    facts.apply(Known(), news(1, anew=True))
    facts.apply(facts.known, news(2, fact(2)))
    wanted = parse({"n": 1})
    facts.read_metadata([(2, '{"metadata":{"n":1}}')])
    assert facts.list_matching(wanted) == [2]


def test_deadlines_are_kept_by_the_time_that_the_backend_tells() -> None:
    """A fact is gone at its deadline, and not before; a later deadline counts."""
    facts = UserFacts("u")
    ends = {1: 150.0, 2: 150.0, 3: 150.0}
    facts.apply(Known(), news(3, fact(1), fact(2), fact(3), anew=True, deadlines=ends))
    facts.apply(facts.known, news(5, fact(2), fact(3), deadlines={2: 300.0}, now=149.0))
    assert known_to(facts) == [1, 2, 3]
    assert not facts.has(news(5, now=150.0))
    facts.apply(facts.known, news(5, now=150.0))
    assert known_to(facts) == [2, 3]
    facts.apply(facts.known, news(5, now=300.0))
    assert known_to(facts) == [3]


def test_what_a_filter_lets_through_is_kept_and_goes_on() -> None:
    """Metadata are read once for each fact, and again only for those that came later."""
    facts, wanted = UserFacts("u"), parse({"n": 1})
    facts.apply(Known(), news(2, fact(1), fact(2), anew=True))
    assert facts.find_unread(EVERYTHING) is None
    assert facts.find_unread(wanted) == 0
    facts.read_metadata([(1, '{"metadata":{"n":1}}'), (2, '{"metadata":{"n":2}}')])

    def through() -> list[int] | None:
        found = facts.search(Search(Question([], None), 0, 9), wanted)
        return None if found is None else [hit.seq for hit in found[1]]

    assert through() == [1]
    facts.apply(facts.known, news(3, fact(3)))
    assert facts.find_unread(wanted) == 2
    assert through() is None
    facts.read_metadata([(3, '{"metadata":{"n":1}}')])
    assert facts.find_unread(wanted) is None
    assert through() == [1, 3]
    facts.apply(facts.known, news(4, removals=1, alive=[2, 3]))
    assert through() == [3]
