"""A run that is asked to stop: it leaves nothing behind but a report of what it saw."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks in /proc")

MARK = "GOLDFISH_TEST_MARK"
# The shape of the store is looked at in the first sandbox, DUR02 has the second.
BLOCKS_IN_ITS_THIRD_SANDBOX = """
import pathlib, time
from goldfish.specimens.references.sqlite import Reference
class Store(Reference):
    def __init__(self, sandbox):
        super().__init__(sandbox)
        seen = pathlib.Path("seen")
        places = seen.read_text().splitlines() if seen.exists() else []
        if str(sandbox.path) not in places:
            places.append(str(sandbox.path))
            seen.write_text("\\n".join(places))
        self._blocks = len(places) > 2
    def add_messages(self, session_id, messages):
        if self._blocks:
            pathlib.Path("begun").touch()
            time.sleep(600)
        super().add_messages(session_id, messages)
"""
BLOCKS_IN_OTHER_PROCESSES = """
import asyncio, pathlib
import goldfish
from goldfish.world.sandbox import Sandbox
class Store(goldfish.RedisMemoryStore):
    blocks = False
    async def add_messages(self, session_id, messages):
        if self.blocks:
            pathlib.Path("begun").touch()
            await asyncio.sleep(600)
        await super().add_messages(session_id, messages)
@goldfish.target(services=["redis"])
def memory(sandbox):
    store = Store(sandbox.redis_url)
    store.blocks = not isinstance(sandbox, Sandbox)
    return store
"""
SPINS_WHEN_OPENED = """
import pathlib, time
def memory(sandbox):
    pathlib.Path("begun").touch()
    time.sleep(600)
"""


class Run:
    """A real process in a directory of its own, which knows whatever else belongs to it."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.directory = directory
        self.temporary = directory / "tmp"
        self.temporary.mkdir()
        self._mark = secrets.token_hex(16)
        # The children of a background job begin by ignoring Ctrl-C, and those of nohup by ignoring
        # that a terminal hangs up: this one must not.
        begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        begin += "signal.signal(signal.SIGHUP, signal.SIG_DFL)"
        code = f"{begin}; from goldfish.cli import main; main()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, "check", *arguments],
            cwd=directory,
            env={**os.environ, "TMPDIR": str(self.temporary), MARK: self._mark, "COLUMNS": "80"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def stopped(self, number: signal.Signals) -> tuple[int, str, str]:
        """The exit code and what was said, after a signal as soon as the store blocks."""
        self._wait(lambda: (self.directory / "begun").exists())
        self._process.send_signal(number)
        out, err = self._process.communicate(timeout=60)
        return self._process.returncode, out, err

    def leaves_nothing(self) -> bool:
        """Whether no process with our mark and no temporary file is left in the end."""
        self._wait(lambda: not self._family() and not list(self.temporary.iterdir()))
        return True

    def _wait(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            if time.monotonic() > deadline:
                pytest.fail(f"left: {self._family()} {list(self.temporary.iterdir())}")
            time.sleep(0.02)

    def _family(self) -> list[str]:
        return [each.name for each in Path("/proc").glob("[0-9]*") if self._is_ours(each)]

    def _is_ours(self, process: Path) -> bool:
        try:
            return f"{MARK}={self._mark}".encode() in (process / "environ").read_bytes()
        except OSError:  # it ended meanwhile, or is somebody else's
            return False


def verdicts(path: Path) -> dict[str, tuple[str, str]]:
    (report,) = json.loads(path.read_text())["reports"]
    return {each["code"]: (each["verdict"], each["summary"]) for each in report["checks"]}


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_what_was_seen_is_told_and_written(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    """What had ended counts, what was in hand is unknown, what was not asked is skipped."""
    (tmp_path / "own.py").write_text(BLOCKS_IN_ITS_THIRD_SANDBOX)
    chosen = ["--only", "DUR02,DUR04,DUR05", "--workers", "1"]
    run = Run(tmp_path, "own.py:Store", *chosen, "--json", "r.json", "--junit", "r.xml")
    returned, out, err = run.stopped(number)
    assert returned == code, err
    assert verdicts(tmp_path / "r.json") == {
        "DUR02": ("held", ""),
        "DUR04": ("unknown", "interrupted before it finished"),
        "DUR05": ("skipped", "interrupted before it started"),
    }
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()[0]
    assert (suite.get("errors"), suite.get("skipped")) == ("1", "1")
    assert out.startswith("Interrupted: this is what was seen until then.\nown.py:Store: unknown. ")
    assert "interrupted before it started: DUR05" in out
    assert "\nNext:  goldfish check own.py:Store --only DUR04 --seed " in out
    assert "Traceback" not in err
    assert run.leaves_nothing()


def test_servers_and_other_processes_end_with_the_run(tmp_path: Path) -> None:
    """Pods in the middle of a call, and the Redis that they talk to; the next target too."""
    (tmp_path / "own.py").write_text(BLOCKS_IN_OTHER_PROCESSES)
    run = Run(tmp_path, "own.py:memory", "sqlite", "--only", "CON01", "--json", "r.json")
    code, out, err = run.stopped(signal.SIGINT)
    assert code == 130, err
    first, second = json.loads((tmp_path / "r.json").read_text())["reports"]
    assert [each["verdict"] for each in first["checks"] + second["checks"]] == [
        "unknown",
        "skipped",
    ]
    assert "sqlite: unknown. 1 promise not asked." in out
    assert run.leaves_nothing()


def test_a_run_that_is_stopped_before_its_first_check_says_that_nothing_was_asked(
    tmp_path: Path,
) -> None:
    """Also while the target is opened for the first time."""
    (tmp_path / "own.py").write_text(SPINS_WHEN_OPENED)
    run = Run(tmp_path, "own.py:memory", "--only", "DUR02", "-q", "--json", "r.json")
    code, out, err = run.stopped(signal.SIGTERM)
    assert code == 143, err
    assert verdicts(tmp_path / "r.json")["DUR02"][0] == "skipped"
    assert out.startswith("own.py:memory: unknown. 1 promise not asked.")
    assert run.leaves_nothing()
