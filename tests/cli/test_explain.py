"""``goldfish explain``: the incident, the mechanism and the fix of every promise and finding."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.cli import run_command
from goldfish.findings.families import FAMILIES
from goldfish.findings.kinds import KINDS
from goldfish.findings.remedies import find_remedy


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of the usual width."""
    monkeypatch.setenv("COLUMNS", "80")


def test_a_code_is_told_with_incident_mechanism_and_fix(capsys: pytest.CaptureFixture[str]) -> None:
    """And the fix comes with code, on lines that can be copied."""
    assert run_command(["explain", "con01"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("CON01  Messages that several processes add")
    assert "\nincident   langchain-community" in out
    told, words = find_remedy("CON01", "lost"), " ".join(out.split())
    assert f" mechanism {told.mechanism} fix {told.fix} " in words
    assert all(f"\n           {line}\n" in out for line in told.example.splitlines())
    assert "goldfish check specimen:saves-its-own-copy --only CON01\n" in out


@pytest.mark.parametrize("family", FAMILIES)
def test_a_promise_of_every_family_can_be_explained(
    family: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """None lacks a mechanism or a fix."""
    assert run_command(["explain", next(code for code in catalogue() if code[:3] == family)]) == 0
    out = capsys.readouterr().out
    assert "\nmechanism  " in out
    assert "\nfix        " in out


def test_a_family_is_explained_by_its_promises(capsys: pytest.CaptureFixture[str]) -> None:
    """All of them, and where to read on."""
    assert run_command(["explain", "dup"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("DUP  duplication\n")
    assert all(f"\n{code}  " in out for code in catalogue() if code.startswith("DUP"))
    assert "`goldfish explain DUP01`" in out


@pytest.mark.parametrize("word", KINDS)
def test_every_word_for_findings_can_be_explained(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what it means, and the checks that find it."""
    assert run_command(["explain", word.title()]) == 0
    out = capsys.readouterr().out
    assert " ".join(out.split()).startswith(f"{word} {KINDS[word].meaning}")
    assert "\nfound by   " in out
    assert "goldfish check specimen:" in out


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [("los", "did you mean lost?"), ("con001", "did you mean CON01"), ("?", "`goldfish checks`")],
)
def test_what_is_unknown_brings_the_nearest(
    asked: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words and codes alike."""
    assert run_command(["explain", asked]) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("not-asked", "not asked  The check did not run."),
        ("unsupported", "not asked  The check did not run."),
        ("not claimed", "not claimed  The check did not run, because the memory never promised"),
        ("unknown", "unknown  The check ran, and could not tell"),
        ("durable", "durable  also restarts, kills"),
    ],
)
def test_the_words_of_a_report_are_explained(
    word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verdicts, also as JSON has them, and profiles."""
    assert run_command(["explain", word]) == 0
    assert capsys.readouterr().out.startswith(told)


def test_a_check_says_since_when_it_is_and_for_whom(capsys: pytest.CaptureFixture[str]) -> None:
    """Its edition, and the profiles that it takes."""
    assert run_command(["explain", "DUR16"]) == 0
    assert "\nsince      2026.11; profile: durable and shared\n" in capsys.readouterr().out


def test_what_is_new_since_an_edition_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A profile and an edition choose too."""
    assert run_command(["checks", "--new-since", "2026.11"]) == 0
    assert run_command(["checks", "DUR", "--edition", "2026.11", "--profile", "durable"]) == 0
    out = capsys.readouterr().out
    assert "DUR02" in out
    assert "DUR03" not in out
