"""Two databases of 100 MB that differ in ten rows: `goldfish diff` beside SQLite's `sqldiff`.

python bench/diff.py [--megabytes 100] [--rounds 7] [--shape rowid]
"""

import argparse
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

SHAPES = {
    "rowid": "id INTEGER PRIMARY KEY, session TEXT, role TEXT, body TEXT, created_at REAL",
    "text-key": "id TEXT PRIMARY KEY, session TEXT, role TEXT, body TEXT, created_at REAL",
    "no-key": "id INTEGER, session TEXT, role TEXT, body TEXT, created_at REAL",
}
BODY = 500  # characters of a message
DIFFERENT = 10
GOLDFISH = [sys.executable, "-c", "from goldfish.cli import main; main()", "diff"]
HASH = "from goldfish.snapshots.digest import logical_hash; import sys; logical_hash(sys.argv[1])"
READ = (
    "import sqlite3, sys; from goldfish.snapshots import digest\n"
    "for row in sqlite3.connect(sys.argv[1]).execute('SELECT * FROM messages'): pass"
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--shape", choices=SHAPES, help="only this kind of table")
    options = parser.parse_args(arguments)
    for shape in [options.shape] if options.shape else SHAPES:
        with tempfile.TemporaryDirectory() as directory:
            pair = databases(Path(directory), shape, options.megabytes)
            size = pair[0].stat().st_size / 1e6
            print(f"{shape}: two databases of {size:.0f} MB, {DIFFERENT} rows differ")
            for line in figures(pair, options.rounds):
                print(f"  {line}")


def databases(directory: Path, shape: str, megabytes: int) -> tuple[Path, Path]:
    """Two files that are the same but for ten rows."""
    one, other = directory / "a.db", directory / "b.db"
    with closing(sqlite3.connect(one)) as connection:
        connection.execute(f"CREATE TABLE messages ({SHAPES[shape]})")
        rows = _rows(shape, megabytes * 1_000_000 // (BODY + 60))
        connection.executemany("INSERT INTO messages VALUES (?, ?, ?, ?, ?)", rows)
        connection.commit()
    shutil.copyfile(one, other)
    with closing(sqlite3.connect(other)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM messages").fetchone()
        step = max(count // DIFFERENT, 1)
        change = "UPDATE messages SET body = body || '!' WHERE rowid % ? = 1"
        connection.execute(change, (step,))
        connection.commit()
    return one, other


def _rows(shape: str, count: int) -> Iterator[tuple[object, ...]]:
    choice = random.Random(5)
    text = "".join(choice.choices("abcdefghijklmnopqrstuvwxyz äö", k=100_000))
    for number in range(1, count // DIFFERENT * DIFFERENT + 1):
        key = f"{choice.getrandbits(128):032x}" if shape == "text-key" else number
        begin = choice.randrange(len(text) - BODY)
        yield key, f"s{number % 1000}", "user", text[begin : begin + BODY], 1.7e9 + number


def figures(pair: tuple[Path, Path], rounds: int) -> Iterator[str]:
    """One line for each thing that was measured; the contenders take turns."""
    files = [str(path) for path in pair]
    ours: list[tuple[float, float]] = []
    theirs: list[tuple[float, float]] = []
    hashed, read = [], []
    for _ in range(rounds):
        ours.append(spent([*GOLDFISH, *files], expected=1))
        if shutil.which("sqldiff"):
            theirs.append(spent(["sqldiff", *files]))
        hashed.append(spent([sys.executable, "-c", HASH, files[0]]))
        read.append(spent([sys.executable, "-c", READ, files[0]]))
    best = _best(ours)
    yield f"goldfish diff  {best:.2f} s, {max(peak for _, peak in ours):.0f} MB at most"
    if theirs:
        yield f"sqldiff        {_best(theirs):.2f} s, so ours takes {best / _best(theirs):.2f} x"
    else:
        yield "sqldiff is missing: apt-get install sqlite3-tools"
    ratio = _best(hashed) / _best(read)
    yield f"logical hash   {_best(hashed):.2f} s, {ratio:.2f} x reading every row"


def spent(command: list[str], expected: int = 0) -> tuple[float, float]:
    """The processor time of a command, in seconds, and its peak memory, in MB.

    On a busy machine the time on the wall says more about the neighbours.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == expected, f"{command} ended with {process.returncode}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _best(runs: list[tuple[float, float]]) -> float:
    """The run that was disturbed least: everything but the work itself only adds to it."""
    return min(seconds for seconds, _ in runs)


if __name__ == "__main__":
    main()
