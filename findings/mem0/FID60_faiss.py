"""Mem0 on FAISS: one time in one user's metadata empties everybody's memory at the next start.

add succeeds, but the one JSON file of all users is written over its old self until json.dump meets
the value; the error is only logged. The next start cannot read the file, logs that too, and begins
with nothing. Whatever JSON does not have will do: a datetime, a set, bytes, a UUID.

What to do: hand in only what JSON has, and keep a copy of the directory. Exit 1 if it is empty.
"""

import logging
import sys
import tempfile
from datetime import datetime

from offline import opened, tell, texts


def main(directory: str) -> int:
    memory = opened("faiss", directory)
    for number in range(20):
        tell(memory, "ann", f"Ann met guest {number}")
    tell(memory, "ben", "Ben saw the dentist", when=datetime(2026, 11, 16))
    before = len(texts(memory, "ann"))
    after = len(texts(opened("faiss", directory), "ann"))
    word = "held" if after == before else "broken"
    print(f"{word}: Ann had {before} memories; after Ben's datetime and a restart she has {after}")
    return int(after != before)


if __name__ == "__main__":
    logging.disable()
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
