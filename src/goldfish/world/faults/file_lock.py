"""A lock on a file, held by a process of its own: our own lock would not bind our own stores."""

import os
import subprocess
import sys
from pathlib import Path

from goldfish.errors import NotPossibleError, ServiceError

_SQLITE_HEADER = b"SQLite format 3\0"

# Each prints "held", and holds the lock until it reads a line, or until we die.
_HOLD_SQLITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
connection.close()
"""
_HOLD_FILE = """
import fcntl, sys, time
with open(sys.argv[1], "r+b") as file:
    deadline = time.monotonic() + 5
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    print("held", flush=True)
    sys.stdin.readline()
"""


class FileLock:
    """An exclusive lock, from now until release()."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise NotPossibleError(f"no file named {path.name}: let the store write it first")
        with open(path, "rb") as file:
            program = _HOLD_SQLITE if file.read(16) == _SQLITE_HEADER else _HOLD_FILE
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program, os.path.abspath(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline() != b"held\n":
            output = self._process.communicate()[1].decode(errors="replace").strip()
            last = output.splitlines()[-1:] or ["no reason given"]
            raise ServiceError(
                f"{path.name} could not be locked ({last[0]}): check what else holds it"
            )

    def release(self) -> None:
        """Let go of the file, and wait until it is free."""
        self._process.communicate(b"\n")
