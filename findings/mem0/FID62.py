"""Metadata called data, hash, id or role are dropped; created_at becomes the time of the memory.

Mem0 keeps them beside its own fields, by the same names, and says nothing. (Of user_id, agent_id
and run_id it says in its log that they are ignored.)

What to do: give your own fields a prefix. Exit 1 if metadata do not come back.
"""

import sys
import tempfile

from offline import opened, tell

GIVEN = {"data": "a chart", "hash": "a1b2", "id": 7, "role": "admin", "created_at": "yesterday"}


def main(directory: str) -> int:
    memory = opened("qdrant", directory)
    item = memory.get(tell(memory, "ann", "Ann likes tea", **GIVEN))
    back = item["metadata"]
    word = "held" if back == GIVEN else "broken"
    print(f"{word}: of {GIVEN} there is {back}, made {item['created_at']!r}")
    return int(back != GIVEN)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
