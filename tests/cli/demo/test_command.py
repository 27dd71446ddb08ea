"""``goldfish demo``: the story that it tells is true, and needs nothing but the core."""

import os
import subprocess
import sys

# In a process of its own, which says in the end what was imported.
RUN = """
import sys
from goldfish.cli import run_command
code = run_command(["demo"])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def test_the_demo_shows_a_loss_and_its_fix_on_one_screen_width() -> None:
    """With the code of both, the evidence, and what to do next; without any extra."""
    run = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "80"},
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    out = run.stdout
    steps = [
        "1. A memory that forgets",
        'self.db.execute("REPLACE INTO chats VALUES (?, ?)", (session_id, text))',
        "forgetful: broken. 1 promise broken, 2 held.",
        "lost: ",
        "goldfish check goldfish.cli.demo.forgetful:memory --only CON01 --seed 7\n",
        "2. The same with the fix",
        "INSERT OR IGNORE",
        "mended: held. 3 promises held.",
        "goldfish init",
    ]
    places = [out.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)
    assert max(map(len, out.splitlines())) <= 80
    assert {"redis", "psycopg", "numpy", "pytest"}.isdisjoint(run.stderr.split())
