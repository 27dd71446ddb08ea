"""Mem0 on FAISS: of two workers that share a directory, the one that writes last wins.

Each reads the files when it opens, and writes all that it has at each add: what the other one added
is gone. The same is, within one process, behind CON19, CON20 and CON23; that nobody reads again is
behind DUR24, DUR25 and CON21.

What to do: one process for one directory, or a vector store with a server. Exit 1 if some are gone.
"""

import sys
import tempfile

from offline import opened, tell, texts


def main(directory: str) -> int:
    first, second = opened("faiss", directory), opened("faiss", directory)
    for number in range(10):
        tell(first, "ann", f"to the first: {number}")
    seen = len(texts(second, "ann"))
    tell(second, "ann", "to the second")
    left = len(texts(opened("faiss", directory), "ann"))
    word = "held" if (seen, left) == (10, 11) else "broken"
    print(f"{word}: of 10 told to the first the second sees {seen}; of 11 in all {left} are left")
    return int((seen, left) != (10, 11))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
