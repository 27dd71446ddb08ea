"""Which checks a run is about."""

from typing import Any

import pytest

from goldfish.catalogue.registry import Check, catalogue
from goldfish.engine.selection import is_dear, order_checks, select
from goldfish.errors import UsageError


async def promise(memory: Any) -> None:
    """Something holds."""


SUITES = {"DUR01": "smoke", "DUR02": "standard", "ISO01": "standard", "ISO02": "soak"}
CATALOGUE = {code: Check(code, promise, (), suite) for code, suite in SUITES.items()}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({}, "DUR01 DUR02 ISO01"),
        ({"suite": "smoke"}, "DUR01"),
        ({"suite": "soak"}, "DUR01 DUR02 ISO01 ISO02"),
        ({"only": ["DUR02"]}, "DUR02"),
        ({"only": ["dur"]}, "DUR01 DUR02"),
        ({"only": ["DUR01,ISO"]}, "DUR01 ISO01"),
        ({"only": ["DUR01", "ISO01"]}, "DUR01 ISO01"),
        ({"only": ["ISO02"]}, "ISO02"),  # so that a reproduction never comes out empty
        ({"skip": ["DUR", "ISO01"], "suite": "soak"}, "ISO02"),
        ({"only": ["DUR"], "skip": ["DUR01"]}, "DUR02"),
    ],
)
def test_checks_are_chosen_by_code_family_and_suite(options: dict[str, Any], codes: str) -> None:
    """In the order of the catalogue."""
    assert [check.code for check in select(CATALOGUE, **options)] == codes.split()


def test_a_run_that_is_cut_short_has_seen_every_family() -> None:
    """The smaller suites come first, and each family in its turn; nothing is left out."""
    chosen = select(catalogue(), suite="soak")
    turns = order_checks(chosen)
    assert sorted(each.code for each in turns) == sorted(each.code for each in chosen)
    suites = [each.suite for each in turns]
    assert suites == sorted(suites, key=["smoke", "standard", "soak"].index)
    families = {each.family for each in chosen}
    begun = {each.family for each in turns[: suites.count("smoke") + len(families)]}
    assert begun == families


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"only": ["DUR09"]}, "no check named 'DUR09': did you mean DUR"),
        ({"skip": ["QQQ"]}, "no check named 'QQQ': `goldfish checks` lists them"),
        ({"suite": "smok"}, "no suite named 'smok': did you mean smoke"),
        ({"only": ["DUR"], "skip": ["DUR"]}, "no check is left to run"),
    ],
)
def test_what_is_not_there_is_told_with_the_nearest(options: dict[str, Any], sentence: str) -> None:
    """A choice of nothing is one too."""
    with pytest.raises(UsageError) as caught:
        select(CATALOGUE, **options)
    assert str(caught.value).startswith(sentence)


def test_in_haste_what_is_dear_comes_last() -> None:
    """A run that is cut short has asked as many promises as it could."""
    chosen = select(catalogue(), suite="standard")
    turns = order_checks(chosen, in_haste=True)
    assert sorted(each.code for each in turns) == sorted(each.code for each in chosen)
    standard = [is_dear(each) for each in turns if each.suite == "standard"]
    assert standard == sorted(standard)
