"""Mem0 on FAISS: editing what get returned edits the memory.

The metadata are copied at the surface only: a list within is the one that Mem0 keeps, and the next
add writes the edited one to the file.

What to do: copy.deepcopy what Mem0 returns, and what it is given. Exit 1 if an edit reaches it.
"""

import sys
import tempfile

from offline import opened, tell


def main(directory: str) -> int:
    memory = opened("faiss", directory)
    name = tell(memory, "ann", "Ann likes tea", tags=["drinks"])
    memory.get(name)["metadata"]["tags"].append("edited by a reader")
    tags = memory.get(name)["metadata"]["tags"]
    print(f"{'held' if tags == ['drinks'] else 'broken'}: the tags were ['drinks'] and are {tags}")
    return int(tags != ["drinks"])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
