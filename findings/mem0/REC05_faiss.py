"""Mem0 on FAISS: a search finds nothing of a user where others have much that is like it.

It looks at twice as many neighbours as asked for, whosever they are, and keeps those of the user.

What to do: give each user a collection, or use a vector store that filters. Exit 1 if not found.
"""

import sys
import tempfile

from offline import opened, tell


def main(directory: str) -> int:
    memory = opened("faiss", directory)
    tell(memory, "ann", "The espresso machine in the kitchen leaks since Tuesday")
    for number in range(200):
        tell(memory, f"user-{number}", "espresso machine")
    answer = memory.search("espresso machine", filters={"user_id": "ann"}, top_k=5)
    there = [each["memory"] for each in answer["results"]]
    print(f"{'held' if there else 'broken'}: of Ann's espresso machine a search finds {there}")
    return int(not there)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
