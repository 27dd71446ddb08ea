"""What our own stores log while a run does harm to them."""

import subprocess
import sys


def test_a_run_prints_nothing_of_what_its_stores_log() -> None:
    """Outages are made on purpose here: the report says what became of them."""
    code = "import sys; from goldfish.cli import main; sys.argv = sys.argv[1:]; main()"
    command = [sys.executable, "-c", code, "goldfish", "check", "redis", "--only", "FLT", "-q"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert run.stdout.startswith("redis: held.")
    assert len(run.stdout.splitlines()) == 1
    assert "cannot be reached" not in run.stderr
