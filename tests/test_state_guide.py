"""The guide to state says what is so."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[1] / "docs" / "howto" / "state.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_code_in_the_guide_prints_what_it_says(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each print is followed by what it prints."""
    if "google.adk" in code:
        pytest.importorskip("google.adk")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(GUIDE), "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"print\(.*\) +# (.*)", code)
