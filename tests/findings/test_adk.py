"""What is said of Google's ADK is shown without goldfish."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("google.adk")
pytest.importorskip("sqlalchemy")
FINDINGS = Path(__file__).parents[2] / "findings" / "google-adk"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("ORD03.py", "broken: events of one moment came back as ["),
        ("ISO04.py", "broken: ['InMemorySessionService', 'SqliteSessionService'] show 'chat'"),
    ],
)
def test_a_finding_is_shown_by_its_script(script: str, told: str) -> None:
    """By the library alone, in one line, with the exit code 1."""
    command = [sys.executable, "-W", "ignore", str(FINDINGS / script)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout[: len(told)]) == (1, told)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("FID44.py", "broken: the state {'note': 'before\\x00after', 'na\\x00me': 'value'} was"),
        ("FID46.py", "broken: set to ['tea'], the cart has ['tea', 'never told']"),
    ],
)
def test_a_finding_about_state_is_shown_by_its_script(
    script: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Likewise; it runs here, where the library is imported already."""
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(FINDINGS / script), run_name="__main__")
    assert (ended.value.code, capsys.readouterr().out[: len(told)]) == (1, told)
