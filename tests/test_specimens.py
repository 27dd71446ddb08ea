"""The gallery proves the catalogue: each check can fail, and blames nobody without cause."""

import os
import random

import pytest

from goldfish.check import Check, OtherProcess, catalogue
from goldfish.runner import Plan, run
from goldfish.specimens import gallery
from goldfish.specimens.reference import Reference
from goldfish.target import as_target
from goldfish.verdict import FINDINGS, Verdict

PLAN = Plan(workers=4, deadline=3.0)


def test_every_check_has_a_specimen_and_an_incident() -> None:
    """A check that cannot fail is a defect, and so is one without a reason."""
    caught = {specimen.caught_by for specimen in gallery().values()}
    assert set(catalogue()) == caught
    for check in catalogue().values():
        assert check.promise.endswith("."), check.code
        assert len(check.incident) > 40, check.code


@pytest.mark.parametrize("name", list(gallery()))
def test_a_specimen_is_caught_by_the_check_that_names_it(name: str) -> None:
    """With the finding that names its bug."""
    specimen = gallery()[name]
    assert specimen.finding in FINDINGS
    report = run(specimen.target, [catalogue()[specimen.caught_by]], PLAN)
    (result,) = report.results
    assert (result.verdict, result.finding) == (Verdict.BROKEN, specimen.finding), result


def sample(name: str) -> list[Check]:
    """Some checks, by lot, of the families that the specimen's bug does not explain.

    All of them, which takes half an hour, with GOLDFISH_WHOLE_GALLERY=1 (make gallery).
    """
    explained = gallery()[name].explains
    others = [check for check in catalogue().values() if check.family not in explained]
    if os.environ.get("GOLDFISH_WHOLE_GALLERY"):
        return others
    quick = [each for each in others if each.family != "TTL" and OtherProcess not in each.needs]
    return random.Random(name).sample(quick, min(5, len(quick)))


@pytest.mark.parametrize("name", list(gallery()))
def test_a_specimen_is_blamed_by_no_family_that_its_bug_does_not_explain(name: str) -> None:
    """Wrong in one way means broken in the families of that way; nothing is unknown."""
    report = run(gallery()[name].target, sample(name), PLAN)
    blamed = [result for result in report.results if result.verdict is not Verdict.HELD]
    assert blamed == []


def test_a_correct_stranger_holds_everything() -> None:
    """A plain store that is right is never blamed, and every check has something to ask it."""
    report = run(as_target(Reference, "reference"), list(catalogue().values()), PLAN)
    assert [result for result in report.results if result.verdict is not Verdict.HELD] == []
