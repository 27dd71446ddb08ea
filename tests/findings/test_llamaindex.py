"""What is said of LlamaIndex is shown without goldfish."""

import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.sandbox import Sandbox

pytest.importorskip("llama_index.core")
FINDINGS = Path(__file__).parents[2] / "findings" / "llama-index"


def shown(script: str, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, str(FINDINGS / script), *arguments]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    return said.returncode, said.stdout.strip()


def test_ten_first_puts_at_once_break_the_memory() -> None:
    """All of them fail, and so does what comes later."""
    told = "broken: 10 of 10 first puts at once failed"
    code, said = shown("CON08.py")
    assert (code, said[: len(told)]) == (1, told)
    assert said.endswith("the 11th raises OperationalError")


def test_the_index_of_a_message_is_taken_for_a_row_in_sqlite() -> None:
    """Nothing is deleted, or what belongs to somebody else."""
    pytest.importorskip("llama_index.storage.chat_store.sqlite")
    told = "broken: after delete_message('bob', 1) there are ['bob a', 'bob b', 'bob c']"
    assert shown("CLR09.py") == (1, told)


def test_a_deletion_turns_the_history_around_in_redis() -> None:
    """And the last message cannot be deleted without an error."""
    pytest.importorskip("llama_index.storage.chat_store.redis")
    sandbox = Sandbox()
    try:
        code, said = shown("CLR12_redis.py", sandbox.redis_url)
    finally:
        sandbox.close()
    assert code == 1
    assert said == (
        "broken: without 'a' there are ['d', 'c', 'b'], and "
        "deleting the last one raises ResponseError"
    )
