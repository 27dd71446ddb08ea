"""Every finding has a remedy, and the examples of remedies are Python."""

import ast
import textwrap

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.findings.backends import BACKENDS, choose_remedy, fit_remedy
from goldfish.findings.families import FAMILIES
from goldfish.findings.kinds import KINDS
from goldfish.findings.remainder import Remainder
from goldfish.findings.remedies import CAUSES, LIMIT, REMEDIES, find_remedy
from goldfish.findings.result import Result, Verdict
from goldfish.history.conditions import AT_ONCE, REOPENED


def test_every_check_has_a_remedy_for_every_finding_and_for_none() -> None:
    """Whatever a check finds, there is a mechanism and a fix."""
    for code in catalogue():
        for finding in (None, *KINDS):
            remedy = find_remedy(code, finding)
            assert remedy.mechanism
            assert remedy.fix


def test_the_most_specific_remedy_is_found() -> None:
    """The code's remedy beats that of family and finding, which beats the finding's own."""
    assert find_remedy("CON13", "lost") is REMEDIES["CON13"]
    assert find_remedy("CON01", "lost") is REMEDIES["CON lost"]
    assert find_remedy("SNP12", "corrupted") is REMEDIES["corrupted"]
    assert find_remedy("ISO01") is REMEDIES["ISO"]


def test_an_id_that_serves_a_stranger_is_about_whose_it_is() -> None:
    """Whatever came of it: nobody is told about encodings where another user's fact was changed."""
    assert find_remedy("ISO26", "corrupted") is REMEDIES["ISO"]
    assert "upsert" in find_remedy("REV04", "phantom").mechanism


def test_a_batch_in_a_transaction_may_be_torn_by_its_numbers() -> None:
    """On PostgreSQL a transaction alone does not keep the messages of a batch together."""
    assert "lock its session" in fit_remedy(find_remedy("CON02", "torn"), "postgres").fix


@pytest.mark.parametrize(
    ("code", "finding", "word"),
    [
        ("ISO19", "lost", "whole table"),
        ("DUR30", "lost", "remembers"),
        ("DUR30", "resurrected", "copy of their own"),
        ("ORD08", "duplicated", "overlap"),
        ("FID05", "corrupted", "cut"),
        ("FID41", "corrupted", "merge"),
        ("FID42", "lost", "copy"),
        ("FID43", "lost", "null"),
        ("CLR16", "lost", "marked"),
        ("CLR17", "lost", "page"),
        ("CLR19", "leaked", "pattern"),
        ("SNP32", "lost", "how many"),
        ("FID02", "lost", "splitlines"),
        ("FID09", "corrupted", "Roles"),
        ("FID11", "corrupted", "zone"),
    ],
)
def test_a_bug_that_shows_in_one_promise_is_told_as_it_works(
    code: str, finding: str, word: str
) -> None:
    """A list of sessions is no removal, and a merged dict no encoding."""
    assert word in find_remedy(code, finding).mechanism


def test_a_finding_of_any_call_has_a_remedy_of_its_own() -> None:
    """A store that hangs is not told what the check is about."""
    assert find_remedy("CON13", "wedged") is REMEDIES["wedged"]


def test_each_name_has_one_remedy() -> None:
    """No cause hides behind another."""
    assert len(REMEDIES) == sum(len(cause.answers) for cause in CAUSES)


@pytest.mark.parametrize("name", REMEDIES)
def test_each_remedy_answers_what_exists_with_an_example_that_parses(name: str) -> None:
    """Every name is a code, a family or a finding, and every example is valid Python."""
    first, _, finding = name.partition(" ")
    assert first in {*catalogue(), *FAMILIES, *KINDS}
    assert finding in {"", *KINDS}
    ast.parse(f"async def example(self):\n{textwrap.indent(REMEDIES[name].example, '    ')}")


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_fix_fits_the_backend_and_names_no_other(backend: str) -> None:
    """A Redis store is not told to lock a file, a file not to WATCH a key."""
    foreign = {
        "redis": "flock PRAGMA SELECT connection.execute os.replace",
        "postgres": "flock PRAGMA redis RPUSH WATCH os.replace",
        "sqlite": "flock redis RPUSH WATCH os.replace",
        "files": "redis RPUSH WATCH PRAGMA SELECT connection.execute",
    }
    for code in catalogue():
        for finding in (None, *KINDS):
            fitted = fit_remedy(find_remedy(code, finding), backend)
            text = f"{fitted.fix}\n{fitted.example}"
            assert fitted.fix
            assert [word for word in foreign[backend].split() if word in text] == []


def test_without_a_backend_the_remedy_is_as_it_is() -> None:
    """Nothing is left out where nothing is known."""
    remedy = find_remedy("CON01", "lost")
    assert fit_remedy(remedy, "") is remedy


def test_an_unknown_family_is_an_error_that_says_what_to_do() -> None:
    """A code that no catalogue has is refused with a way out."""
    with pytest.raises(KeyError, match="goldfish checks"):
        find_remedy("XYZ01")


@pytest.mark.parametrize(
    ("left", "conditions", "is_limit"),
    [
        (Remainder("newest", 1000, 1105), {REOPENED}, True),
        (Remainder("oldest", 10, 11), set(), True),
        (Remainder("newest", 9, 11), set(), False),  # one of a few may be missing for any reason
        (Remainder("newest", 1000, 1105), {AT_ONCE}, False),
        (Remainder("newest", 1000, 1105), {"trim"}, False),
        (None, set(), False),
    ],
)
def test_a_limit_is_blamed_where_it_alone_explains_what_is_left(
    left: Remainder | None, conditions: set[str], is_limit: bool
) -> None:
    """Neither a race nor a removal leaves just one end of a long history."""
    asked = frozenset(conditions)
    result = Result(
        "ORD08", "", "", Verdict.BROKEN, finding="lost", remainder=left, conditions=asked
    )
    assert (choose_remedy(result) is LIMIT) == is_limit
