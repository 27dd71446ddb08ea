"""Mem0 on Qdrant: a field of the metadata with a dot in its name is another field in a filter.

Qdrant reads a.b as b within a. So the memory that has a field of that name is not found, and one
that has not is.

What to do: use no dots in the names of fields. Exit 1 if the wrong memory is found.
"""

import sys
import tempfile

from offline import opened, tell, texts


def main(directory: str) -> int:
    memory = opened("qdrant", directory)
    tell(memory, "ann", "has a.b", **{"a.b": 1})
    tell(memory, "ann", "has b within a", a={"b": 1})
    there = texts(memory, "ann", **{"a.b": 1})
    print(f"{'held' if there == ['has a.b'] else 'broken'}: the filter a.b=1 gives {there}")
    return int(there != ["has a.b"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
