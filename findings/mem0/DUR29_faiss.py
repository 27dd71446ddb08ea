"""Mem0 on FAISS: a process that is killed while it adds takes all memories with it.

Both files are written over at each add, one after the other. Whoever is killed in between, or in
the middle of the second, leaves what the next start cannot read, and begins with nothing.

What to do: keep a copy of the directory, or use another vector store. Exit 1 if memories are gone.
"""

import logging
import os
import signal
import sys
import tempfile
import time

from offline import opened, tell, texts


def killed(directory: str, delay: float) -> int:
    """How many memories a process was told before it was killed."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        memory = opened("faiss", directory)
        for number in range(10_000):
            tell(memory, "ann", f"{number} " + "x" * 2_000)
            os.write(writes, b".")
    os.close(writes)
    told = 0
    while told < 20:
        told += len(os.read(reads, 1))
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while os.read(reads, 1):
        told += 1
    os.close(reads)
    return told


def main() -> int:
    for attempt in range(30):
        with tempfile.TemporaryDirectory() as directory:
            told = killed(directory, 0.003 * attempt)
            there = len(texts(opened("faiss", directory), "ann"))
        if there < told:
            print(f"broken: {told} memories were acknowledged, {there} are there after a kill")
            return 1
    print("held: nothing was lost in 30 kills")
    return 0


if __name__ == "__main__":
    logging.disable()
    sys.exit(main())
