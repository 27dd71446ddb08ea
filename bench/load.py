"""Make a machine busy for as long as a command runs, as shared continuous integration is.

python bench/load.py [--load 12] -- goldfish check sqlite

So anyone can repeat that a store holds on a machine with that load. The exit code is the command's.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# It ends by itself when whoever started it is gone, however that happened.
BUSY = """
import os, sys
parent = int(sys.argv[1])
while os.getppid() == parent:
    for _ in range(100_000):
        pass
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command under the load, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--load", type=int, default=12, help="how many processes want to run")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="after --")
    options = parser.parse_args(arguments)
    command = [word for at, word in enumerate(options.command) if at or word != "--"]
    if not command or options.load < 0:
        parser.error("name a command: python bench/load.py --load 12 -- goldfish check sqlite")
    with keep_busy(options.load):
        return run(command)


@contextmanager
def keep_busy(count: int) -> Iterator[None]:
    """Let so many processes want a processor while the block runs."""
    busy = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", BUSY, str(os.getpid())])
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


def run(command: Sequence[str]) -> int:
    """Run a command, and return its exit code; Ctrl-C is for the command to answer."""
    process = subprocess.Popen(command)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, before)


if __name__ == "__main__":
    sys.exit(main())
