"""The guide to state says what is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[1] / "docs" / "howto" / "state.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_code_in_the_guide_prints_what_it_says(code: str, tmp_path: Path) -> None:
    """Each print is followed by what it prints."""
    if "google.adk" in code:
        pytest.importorskip("google.adk")
    command = [sys.executable, "-W", "ignore", "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    expected = re.findall(r"print\(.*\) +# (.*)", code)
    assert said.stdout.splitlines() == expected, said.stderr
