"""What is said about facts that came back: the right word for each difference, in any shape."""

from types import SimpleNamespace
from typing import Any

import pytest

from goldfish.catalogue.support.facts import ExpectedFacts, expect_first, read_text, unpack_facts
from goldfish.findings.result import Violation
from goldfish.history import History
from goldfish.messages import Fact, Recollection

TEA, JAZZ, CELLO = "Ann likes tea", "Ann likes jazz", "Ben plays the cello"
FACT = Fact(id="1", user_id="ann", text=TEA)


def knowledge() -> ExpectedFacts:
    """Two facts about Ann and one that is gone, and one about Ben."""
    told = SimpleNamespace(record=SimpleNamespace(history=History()))  # nothing was asked
    known = ExpectedFacts(memory=told)  # type: ignore[arg-type]  # nor is it here
    for user, text in (("ann", TEA), ("ann", JAZZ), ("ann", "Ann is ill"), ("ben", CELLO)):
        known.note(user, text)
    known.drop("ann", "Ann is ill")
    return known


@pytest.mark.parametrize(
    ("found", "finding"),
    [
        ([TEA], "lost"),
        ([TEA, JAZZ, JAZZ], "duplicated"),
        ([TEA, JAZZ, CELLO], "leaked"),
        ([TEA, JAZZ, "Ann is ill"], "resurrected"),
        ([TEA, JAZZ, "Ann is rich"], "phantom"),
        ([TEA, "Ann likes ja"], "corrupted"),
        ([], "lost"),
    ],
)
def test_each_difference_has_its_word(found: list[str], finding: str) -> None:
    """Whatever the order; what belongs to another user comes before all else."""
    with pytest.raises(Violation) as violation:
        knowledge().compare("ann", found)
    assert violation.value.finding == finding


def test_the_right_facts_in_any_order_are_no_violation() -> None:
    """Order is a matter of lists, not of knowledge."""
    knowledge().compare("ann", [JAZZ, TEA])
    knowledge().compare("nobody", [])


def test_what_was_told_again_is_no_longer_gone() -> None:
    """A fact may be forgotten, told, and be there."""
    known = knowledge()
    known.note("ann", "Ann is ill")
    known.compare("ann", [TEA, JAZZ, "Ann is ill"])


def test_a_fact_in_doubt_may_be_there_or_not_but_has_to_stay() -> None:
    """Telling it failed, which may have been before or after it was stored."""
    known = knowledge()
    known.doubtful["ann"] = {"Ann is away"}
    known.compare("ann", [TEA, JAZZ])
    known.compare("ann", [TEA, JAZZ, "Ann is away"])
    with pytest.raises(Violation, match="'Ann is away' was acknowledged") as violation:
        known.compare("ann", [TEA, JAZZ])
    assert violation.value.finding == "lost"


@pytest.mark.parametrize(
    "item",
    [
        TEA,
        FACT,
        Recollection(fact=FACT),
        {"text": TEA, "id": 1},
        {"fact": {"text": TEA}},
        SimpleNamespace(text=TEA),
        (SimpleNamespace(text=TEA), 0.5),
        [{"text": TEA}, 0.5],
    ],
)
def test_a_fact_is_read_in_any_shape(item: Any) -> None:
    """Ours, a mapping, a library's own, bare text, with or without a score."""
    assert read_text(item) == TEA


@pytest.mark.parametrize("found", [None, TEA, {"results": []}, FACT, 7])
def test_what_is_no_list_of_facts_is_wrong(found: Any) -> None:
    """A single fact, an envelope, nothing at all."""
    with pytest.raises(Violation, match="not facts"):
        unpack_facts(found, "recall")


def test_the_place_of_a_fact_is_told() -> None:
    """As wrong if it is elsewhere, as lost if it is nowhere."""
    expect_first([JAZZ, TEA], TEA, "tea", among=2)
    with pytest.raises(Violation, match="in place 2, not first") as violation:
        expect_first([JAZZ, TEA], TEA, "tea")
    assert violation.value.finding == "wrong"
    with pytest.raises(Violation, match="does not recall") as violation:
        expect_first([JAZZ], TEA, "tea")
    assert violation.value.finding == "lost"
