"""What a target never promised is not asked of it, and is told apart from what it broke."""

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.specimens.references.facts import FactsReference
from goldfish.targets.declaration import Target


class HeldAlone(FactsReference):
    """A storage that only one opening at a time may have."""


def results(target: Target, *codes: str) -> dict[str, Result]:
    """What these checks find."""
    report = run(target, [catalogue()[code] for code in codes], Plan(seed=1))
    return {result.code: result for result in report.results}


def test_a_storage_for_one_at_a_time_is_opened_again_and_never_twice() -> None:
    """Closing and opening again is asked, also in other processes; two at once are not."""
    alone = goldfish.target(claims="one at a time")(HeldAlone)
    found = results(alone, "DUR23", "DUR24", "DUR29", "CON18", "CON19")
    assert [found[code].verdict for code in ("DUR23", "DUR29", "CON19")] == [Verdict.HELD] * 3
    for code in ("DUR24", "CON18"):
        assert found[code].verdict is Verdict.UNSUPPORTED
        assert found[code].summary == "not claimed: one at a time only"


def test_ids_that_serve_whoever_has_them_are_not_asked_whose_they_are() -> None:
    """Neither by a declaration of the target, nor by one of the store."""
    declared = goldfish.target(scoped_ids=False)(HeldAlone)
    for result in results(declared, "ISO25", "ISO26", "ISO27").values():
        assert result.verdict is Verdict.UNSUPPORTED
        assert result.summary == "the id of a fact is not scoped to its user"
    assert results(declared, "ISO24")["ISO24"].verdict is Verdict.HELD
