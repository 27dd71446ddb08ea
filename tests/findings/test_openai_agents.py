"""What is said of the OpenAI Agents SDK is shown without goldfish."""

import subprocess
import sys
from pathlib import Path

import pytest

from goldfish.sandbox import Sandbox

pytest.importorskip("agents")
FINDINGS = Path(__file__).parents[2] / "findings" / "openai-agents"


def test_a_session_cannot_be_named_as_the_messages_of_another_in_redis() -> None:
    """The script needs the library and a Redis, and nothing else."""
    pytest.importorskip("redis")
    sandbox = Sandbox()
    try:
        command = [sys.executable, str(FINDINGS / "ISO07.py"), sandbox.redis_url]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        sandbox.close()
    assert said.stdout.startswith("broken: the session 'chat:messages' beside 'chat'")
    assert said.returncode == 1
