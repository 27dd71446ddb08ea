"""``goldfish mirror`` as a user runs it."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

from goldfish.cli import run_command


def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    """It says where it is, records to a file, and ends with 0."""
    record = tmp_path / "record.jsonl"
    # The children of a background job begin by ignoring Ctrl-C: this one must not.
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{begin}; from goldfish.cli import main; main()"
    command = [sys.executable, "-c", code, "mirror", "--record", str(record)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", said)
            assert found, said
            assert "goldfish mirror" in httpx.get(f"{found[0]}/").text
            body = {"messages": [{"role": "user", "content": "hello"}]}
            httpx.post(f"{found[0]}/v1/chat/completions", json=body)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert json.loads(record.read_text())["ended"] == "answered"


def test_wrong_use_is_told() -> None:
    """A port that is none, a file that cannot be written: exit 2."""
    assert run_command(["mirror", "--port", "99999"]) == 2
    assert run_command(["mirror", "--record", "/nowhere/at/all"]) == 2
