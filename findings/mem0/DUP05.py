"""A memory that is added five times with infer=False is there five times, as documented.

The same is behind DUP06, DUP10 and DUP11: nothing compares raw memories with those that are there.

What to do: look for the text before adding it, or let the language model infer. Exit 1 if so.
"""

import sys
import tempfile

from offline import opened, tell, texts


def main(directory: str) -> int:
    memory = opened("qdrant", directory)
    for _ in range(5):
        tell(memory, "ann", "Ann lives in Berlin")
    there = len(texts(memory, "ann"))
    print(f"{'held' if there == 1 else 'broken'}: told five times, it is there {there} times")
    return int(there != 1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
