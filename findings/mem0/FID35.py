"""Mem0 on Qdrant: metadata that cannot be kept are not refused, but changed.

A complex number and bytes come back as texts, a set as a list, a time as a text.

What to do: hand in only what JSON has. Exit 1 if a value comes back as another.
"""

import sys
import tempfile

from offline import opened, tell

GIVEN = {"number": 1 + 2j, "image": b"raw", "tags": {1, 2}}


def main(directory: str) -> int:
    memory = opened("qdrant", directory)
    back = memory.get(tell(memory, "ann", "Ann likes tea", **GIVEN))["metadata"]
    print(f"{'held' if back == GIVEN else 'broken'}: {GIVEN} came back as {back}")
    return int(back != GIVEN)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
