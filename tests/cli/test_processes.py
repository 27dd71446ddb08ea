"""The processes of a run on the command line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TARGET = """
import os
from pathlib import Path

def memory(sandbox):
    parents = [os.getpid()]
    while parents[-1] != 1:
        stat = Path(f"/proc/{parents[-1]}/stat").read_text()
        parents.append(int(stat.rpartition(")")[2].split()[1]))
    names = [Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\\0")[2:4] for pid in parents]
    Path("names").write_text(repr([name for name in names if name == [b"goldfish", b"check"]]))
    raise RuntimeError("that was all")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_what_opens_a_memory_is_forked_from_the_command_line_itself(tmp_path: Path) -> None:
    """The imports of goldfish are paid for once; nothing starts another interpreter for them."""
    (tmp_path / "mine.py").write_text(TARGET)
    command = [sys.executable, "-m", "goldfish", "check", "mine.py:memory", "--only", "DUR01"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    chain = (tmp_path / "names").read_text()
    assert chain.count("goldfish") == 4, chain  # the pod, the target's server, the base, the run
