"""Right memories for facts are held without a declaration; each bug is found by its symptom."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict
from goldfish.targets.declaration import as_target, make_target
from tests.catalogue import fact_stores as stores

# What a plain store was once blamed for, and what was added about facts since.
CODES = [
    *("DUP06", "DUP10", "DUP11", "DUP13", "DUP14", "REC01", "REC02", "REC03", "REC06", "REC09"),
    *("REC10", "REC13", "REC16", "REC51", "REV04", "REV07", "REV08", "REV52", "FID35", "FID36"),
    *("ISO25", "ISO26", "ISO27", "ISO28", "ISO33", "ISO34", "CON23"),
]
WRONG: dict[type, tuple[str, str]] = {
    stores.ForgetsEverybody: ("ISO28", "lost"),
    stores.ForgetsAPage: ("REV09", "resurrected"),
    stores.PastesKeys: ("ISO33", "leaked"),
    stores.DropsMetadata: ("REV03", "corrupted"),
    stores.FiltersTheBest: ("REC22", "wrong"),
    stores.ReadsAscii: ("REC03", "wrong"),
    stores.KnowsByLetters: ("DUP13", "lost"),
}


RIGHT = [
    *(stores.LikeFacts, stores.OwnNumbers, stores.CosineFacts, stores.JsonFacts),
    stores.StrictFacts,
]


@pytest.mark.parametrize("store", RIGHT)
def test_a_right_store_is_not_blamed(store: type) -> None:
    """By LIKE, with numbers of each user's own, by vectors, in a file; none declares anything."""
    report = run(as_target(store), [catalogue()[code] for code in CODES], Plan(deadline=30))
    blamed = [each for each in report.results if each.verdict in {Verdict.BROKEN, Verdict.UNKNOWN}]
    assert [(each.code, each.summary) for each in blamed] == []


def test_a_declared_limit_of_a_fact_is_not_exceeded() -> None:
    """A rule about the length says nothing about the characters of a fact."""
    (result,) = run(
        make_target(stores.ShortFacts, lacks={"large_contents"}), [catalogue()["FID32"]], Plan()
    ).results
    assert result.verdict is Verdict.HELD, result.summary


@pytest.mark.parametrize("store", WRONG, ids=lambda store: store.__name__)
def test_a_bug_of_a_public_issue_is_found(store: type) -> None:
    """With the word that the issue would use for it."""
    code, finding = WRONG[store]
    (result,) = run(as_target(store), [catalogue()[code]], Plan(deadline=30)).results
    assert (result.verdict, result.finding) == (Verdict.BROKEN, finding), result.summary
