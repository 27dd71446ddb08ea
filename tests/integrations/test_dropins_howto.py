"""The page about drop-ins shows code that runs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.integrations.libraries import BUILT_INS

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "dropins.md"


def test_the_code_of_the_page_runs_from_top_to_bottom(tmp_path: Path) -> None:
    """In one go, in an empty directory, as somebody would who follows it."""
    needed = ("langchain-file", "langgraph-sqlite", "openai-agents-sqlite")
    if missing := [each for name in needed for each in BUILT_INS[name].missing]:
        pytest.skip(f"{missing[0]} is not installed")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(blocks) == 10
