"""What is said of LangChain is shown without goldfish."""

import runpy
import sys
from pathlib import Path

import pytest

from goldfish.sandbox import Sandbox

pytest.importorskip("langchain_community")
pytest.importorskip("langchain_classic")
FINDINGS = Path(__file__).parents[2] / "findings" / "langchain"
SAID = {
    "CON04_runnable": "broken: both turns succeeded; the history has [",
    "CON22_runnable": "broken: cleared during a turn, the history has ['my card number is 1234'",
    "CON61_summary": "broken: neither in the buffer nor in the summary: ['message 0'",
    "CON62_summary": "broken: after a clear the card number is told",
    "FID09_runnable": "broken: the turn returned 'noted'; stored is []",
    "FID21": "broken: Citation(page=7) came back as {'page': 7}",
    "FID21_runnable": "broken: the turn returned 'noted'; stored is []",
    "FID22_file": "broken: the batch was refused with Object of type set is not JSON serializable",
    "FID24_memory": "broken: stored ['urgent'], and the history has ['urgent', 'edited']",
    "FID25_memory": "broken: after an edit of what was read there is ['what is my name?']",
    "FLT24_runnable": "broken: the turn returned 'noted'; stored is []",
    "LIV60_token": "broken: with a limit of 4 tokens there are {'save_context': 4, 'asave_context'",
}
ON_SERVERS = {
    "FID06_postgres": "broken: a NUL was UntranslatableCharacter; 'hello' in another session",
    "FID16_postgres": "broken: 1.7976931348623157e+308 came back as int 1797693134862315700",
    "FID22_redis": "broken: the batch was refused with Object of type set is not JSON",
    "LIV03_postgres_async": "broken: beside refused ones, 30 of 30 messages were acknowledged",
}

# LangChain says of much of it that it is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


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


@pytest.mark.parametrize("code", ON_SERVERS)
def test_each_script_for_a_server_shows_its_finding(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs an empty database, and says so."""
    if "postgres" in code:
        pytest.importorskip("langchain_postgres")
    assert "of an empty" in str(exit_code(code, monkeypatch))
    sandbox = Sandbox()
    try:
        place = sandbox.postgres_dsn if "postgres" in code else sandbox.redis_url
        assert exit_code(code, monkeypatch, place) == 1
    finally:
        sandbox.close()
    assert capsys.readouterr().out.startswith(ON_SERVERS[code])


def test_no_script_needs_goldfish() -> None:
    """They are for those who do not have it."""
    scripts = list(FINDINGS.glob("*.py"))
    assert len(scripts) >= len(SAID) + len(ON_SERVERS)
    assert [each.name for each in scripts if "goldfish" in each.read_text()] == []
