"""A server of the user's that dies in the middle of a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

from goldfish.services import RedisServer

DYING = """
import os, signal
import goldfish

@goldfish.target(services=["redis"])
def memory(sandbox):
    with open("openings", "a") as file:
        file.write("x")
    if os.path.getsize("openings") > 4:  # the interview, and the first checks
        try:
            os.kill(int(os.environ["SERVER"]), signal.SIGKILL)
        except ProcessLookupError:
            pass
    return goldfish.RedisMemoryStore(sandbox.redis_url)
"""


def test_the_report_has_what_was_seen_before(tmp_path: Path) -> None:
    """Then one sentence says what is wrong, without a traceback, and the exit code is 2."""
    (tmp_path / "dying.py").write_text(DYING)
    with RedisServer() as server:
        assert server._process is not None
        environment = {
            **os.environ,
            "GOLDFISH_REDIS_URL": server.url,
            "SERVER": str(server._process.pid),
        }
        command = "check dying.py:memory --workers 1 --seed 1 --json report.json --only ORD"
        done = subprocess.run(
            [sys.executable, "-m", "goldfish", *command.split()],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("goldfish: Redis at redis://")
    assert last.endswith("unset GOLDFISH_REDIS_URL to let goldfish start one")
    assert "Interrupted: this is what was seen until then." in done.stdout
    (report,) = json.loads((tmp_path / "report.json").read_text())["reports"]
    assert report["counts"]["held"] + report["counts"]["broken"] > 0
    assert report["counts"]["skipped"] > 0
