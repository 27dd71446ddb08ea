"""What is said of Mem0 is shown without goldfish."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mem0")
FINDINGS = Path(__file__).parents[2] / "findings" / "mem0"


def shown(script: str) -> tuple[int, str]:
    command = [sys.executable, str(FINDINGS / script)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.returncode, said.stdout.strip()


def test_one_value_in_one_users_metadata_empties_the_memory_of_all() -> None:
    """After the next start, on FAISS, though every add was acknowledged."""
    pytest.importorskip("faiss")
    told = "broken: Ann had 20 memories; after Ben's datetime and a restart she has 0"
    assert shown("FID60_faiss.py") == (1, told)


def test_metadata_give_way_to_fields_of_the_same_name() -> None:
    """Without a word, and the time of the memory is what they say."""
    code, said = shown("FID62.py")
    assert (code, said.partition(":")[0]) == (1, "broken")
    assert said.endswith("there is None, made 'yesterday'")


def test_no_script_needs_goldfish() -> None:
    """They are for those who do not have it."""
    scripts = list(FINDINGS.glob("*.py"))
    assert len(scripts) >= 12
    assert [each.name for each in scripts if "goldfish" in each.read_text()] == []
