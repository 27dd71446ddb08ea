"""Editions: a pinned one asks the same for ever, and new checks are in none of the old."""

import hashlib
from pathlib import Path

import pytest

from goldfish.catalogue.editions import (
    LATEST,
    UNRELEASED,
    find_since,
    list_editions,
    name_current,
    place_check,
    read_edition,
)
from goldfish.catalogue.profiles import PROFILES, list_aspects
from goldfish.catalogue.registry import Check, catalogue
from goldfish.engine.selection import select
from goldfish.errors import UsageError
from tools.edition import FOLDER, freeze

# An edition that was released has its line here for ever.
FROZEN = {"2026.11": "d293a0c8cb93d67ef8a3c74f07574fc1fc801e596b986c0a972cb670fa35b809"}


@pytest.mark.parametrize("name", FROZEN)
def test_a_released_edition_never_changes(name: str) -> None:
    """Its list, with the suite and the profiles of each code, is the one that was released."""
    text = (FOLDER / f"{name}.txt").read_bytes()
    assert hashlib.sha256(text).hexdigest() == FROZEN[name]


def test_every_edition_is_frozen() -> None:
    """None is there without its digest, and the oldest comes first."""
    assert list(list_editions()) == list(FROZEN)


@pytest.mark.parametrize("name", FROZEN)
def test_no_code_of_an_edition_ever_goes(name: str) -> None:
    """What a pinned build asks is still in the catalogue."""
    assert set(read_edition(name)) <= set(catalogue())


def test_each_check_says_since_when_it_is() -> None:
    """A check that is in no list yet is not released."""
    assert catalogue()["DUR02"].since == "2026.11"
    assert find_since("DUR99") == UNRELEASED


async def promise(memory: object) -> None:
    """Something new."""


def test_a_new_check_is_not_asked_of_a_pinned_build() -> None:
    """Also if it is of the smallest suite; by its code it is refused, and says why."""
    new = Check("DUR99", promise, (), "smoke")
    there = {**catalogue(), "DUR99": new}
    assert new in select(there)
    assert select(there, edition="2026.11") == select(catalogue(), edition="2026.11")
    assert name_current(there.values()) == "2026.11+"
    with pytest.raises(UsageError, match=r"DUR99 is in no edition yet, and 2026\.11 is asked for"):
        select(there, only=["DUR99"], edition="2026.11")


def test_a_pinned_build_keeps_the_suites_of_its_edition() -> None:
    """A check that moves to another suite later stays where it was."""
    check = catalogue()["DUR02"]
    moved = Check("DUR02", check.function, check.needs, "soak")
    assert select({"DUR02": moved}, suite="smoke", edition="2026.11") == [moved]


def test_an_unknown_edition_names_the_nearest() -> None:
    """In one sentence."""
    with pytest.raises(UsageError, match=r"no edition named '2026.1': did you mean 2026.11\?"):
        select(catalogue(), edition="2026.1")


def test_the_latest_edition_is_the_catalogue() -> None:
    """With what is in no list yet."""
    check = catalogue()["DUR16"]
    place = place_check(check, LATEST)
    assert place is not None
    assert (place.suite, place.aspects) == (check.suite, list_aspects(check))


def test_a_new_edition_is_frozen_once(tmp_path: Path) -> None:
    """A second time it is refused: somebody may have pinned it."""
    path = freeze("2031.2", tmp_path)
    assert len(path.read_text().splitlines()) == len(catalogue()) + 1
    with pytest.raises(SystemExit, match="never changes"):
        freeze("2031.2", tmp_path)
    with pytest.raises(SystemExit, match="use a year and a month"):
        freeze("next", tmp_path)


@pytest.mark.parametrize(
    ("profiles", "has", "lacks"),
    [
        (["single-process"], "ORD01 CON04 ISO01", "CON01 DUR02 FLT01 ISO06 DUR16"),
        (["shared"], "ORD01 CON01 DUR03 DUR04", "DUR02 DUR12 FLT01 ISO06 DUR16"),
        (["durable"], "ORD01 DUR02 DUR12 FLT01 DUR22", "CON01 DUR03 ISO06 DUR16"),
        (["multi-tenant"], "ORD01 ISO06", "CON01 DUR02"),
        (["shared", "durable"], "CON01 DUR02 DUR16", "ISO06"),
    ],
)
def test_a_profile_holds_a_memory_to_what_it_is_sold_as(
    profiles: list[str], has: str, lacks: str
) -> None:
    """Several add up; what takes two of them is asked only of both."""
    codes = {check.code for check in select(catalogue(), profiles=profiles)}
    assert set(has.split()) <= codes
    assert not set(lacks.split()) & codes


def test_all_profiles_together_are_the_whole_catalogue() -> None:
    """So no check can be in no profile."""
    assert select(catalogue(), profiles=list(PROFILES)) == select(catalogue())
