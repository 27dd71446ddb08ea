"""What is said of LangGraph is shown without goldfish."""

import runpy
import sys
from pathlib import Path

import pytest

from goldfish.sandbox import Sandbox

pytest.importorskip("langgraph.pregel")
pytest.importorskip("langgraph.checkpoint.sqlite")
FINDINGS = Path(__file__).parents[2] / "findings" / "langgraph"
SAID = {
    "CLR02": "broken: adelete_thread on a new file raised OperationalError: no such table",
    "CON04": "broken: 5 turns at once succeeded; InMemorySaver remembers",
    "CON14": "broken: 'old' was removed and 'new' said; there is",
    "CON22": "broken: deleted during a turn, the thread has ['my card number is 1234'",
    "FID06": "broken: 'half an emoji: \\ud83d' came back as 'half an emoji: ?'",
    "FID21": "broken: Citation(7) came back as {'page': 7}, alone as Citation(page=7)",
    "CON20": "broken: bob's valid write, beside one of alice's, raised TypeError",
    "FID32": "broken: a value with a line that comes twice is refused",
    "FID34": "broken: ['tea'] was put, and is now ['tea', 'edited after it was put'",
    "REC16": "broken: a filter by 1 chooses [1, True] in InMemoryStore, [1, True] in SqliteStore",
    "REC18": "broken: a filter by 9007199254740993 chooses [9007199254740992]",
    "REC19": "broken: of 5, '7', 'many' and None more than 3 are ValueError in InMemoryStore",
    "REC21": "broken: a filter by the field 'price.eur' chooses ['deep']",
    "REV50": "broken: ['goes swimming'] scores 1.00 for 'and the violin', which it said before",
    "SNP07": "broken: a fork at an unknown checkpoint was accepted; the thread now has []",
    "SNP08": "broken: a fork of ann's thread at bob's checkpoint was accepted; it now has []",
}


def exit_code(code: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """How the script ends; it runs here, where the library is imported already."""
    script = str(FINDINGS / f"{code}.py")
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(script, run_name="__main__")
    return ended.value.code


@pytest.mark.parametrize("code", SAID)
def test_each_script_shows_its_finding(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with the library alone."""
    assert exit_code(code, monkeypatch) == 1
    assert capsys.readouterr().out.startswith(SAID[code])


def test_first_setups_at_once_fail_on_postgres(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script needs an empty database, and says so."""
    pytest.importorskip("langgraph.checkpoint.postgres")
    assert "give the DSN" in str(exit_code("CON07", monkeypatch))
    sandbox = Sandbox()
    try:
        assert exit_code("CON07", monkeypatch, sandbox.postgres_dsn) == 1
    finally:
        sandbox.close()
    assert "of 8 first setups at once failed" in capsys.readouterr().out


def test_no_script_needs_goldfish() -> None:
    """They are for those who do not have it."""
    scripts = list(FINDINGS.glob("*.py"))
    assert len(scripts) >= len(SAID)
    assert [each.name for each in scripts if "goldfish" in each.read_text()] == []


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("REC17", "broken: of (2, 9, 10, 100) those of at least 10 are [2, 9, 10, 100]"),
        ("REC50", "broken: of 5 items, page by page,"),
    ],
)
def test_a_search_in_postgres_goes_astray(
    code: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scripts need an empty database, and say so."""
    pytest.importorskip("langgraph.store.postgres")
    assert "give the DSN" in str(exit_code(code, monkeypatch))
    sandbox = Sandbox()
    try:
        assert exit_code(code, monkeypatch, sandbox.postgres_dsn) == 1
    finally:
        sandbox.close()
    assert capsys.readouterr().out.startswith(told)
