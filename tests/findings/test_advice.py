"""Advice is there for whatever can be found, and its examples are Python."""

import ast

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.findings.advice import Advice, advice
from goldfish.findings.families import FAMILIES
from goldfish.findings.kinds import KINDS
from goldfish.findings.remedies import REMEDIES


def test_every_check_has_advice_for_every_finding_and_for_none() -> None:
    """Whatever a check finds, there is a mechanism and a fix to be told."""
    for code in catalogue():
        for finding in (None, *KINDS):
            told = advice(code, finding)
            assert told.mechanism
            assert told.fix


def test_the_most_particular_text_is_taken() -> None:
    """A text for the code beats one for the family and finding, which beats the finding's own."""
    assert advice("CON13", "lost") == Advice(*REMEDIES["CON13"])
    assert advice("CON01", "lost") == Advice(*REMEDIES["CON lost"])
    assert advice("SNP12", "corrupted") == Advice(*REMEDIES["corrupted"])
    assert advice("ISO01") == Advice(*REMEDIES["ISO"])


def test_a_store_that_hangs_is_not_told_what_the_check_is_about() -> None:
    """What any check may end with has advice of its own."""
    assert advice("CON13", "wedged") == Advice(*REMEDIES["wedged"])


@pytest.mark.parametrize("key", REMEDIES)
def test_each_text_has_a_key_that_exists_and_an_example_that_parses(key: str) -> None:
    """Every key names a code, a family or a finding, and every example is valid Python."""
    first, _, finding = key.partition(" ")
    assert first in {*catalogue(), *FAMILIES, *KINDS}
    assert finding in {"", *KINDS}
    _, _, example = REMEDIES[key]
    ast.parse(f"async def example(self):\n{_indented(example)}")


def test_an_unknown_family_is_an_error_that_says_what_to_do() -> None:
    """A code that no catalogue has is refused with a way out."""
    with pytest.raises(KeyError, match="goldfish checks"):
        advice("XYZ01")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())
