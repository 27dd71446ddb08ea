"""InMemoryStore: a value that was replaced is still found by what it said before.

Each text of a value has a vector of its own. Those of the old value that the new one has no text
for stay, here and in PostgresStore. Exit 1 if the new value scores for the old
text.

What to do: delete the item before you put the new value.
"""

import sys

from langgraph.store.memory import InMemoryStore

WORDS = ["cello", "violin", "gym", "swimming"]


def embed(texts: list[str]) -> list[list[float]]:
    return [[float(word in text) + 0.001 for word in WORDS] for text in texts]


def main() -> int:
    store = InMemoryStore(index={"dims": len(WORDS), "embed": embed, "fields": ["notes[*]"]})
    store.put(("users", "ann"), "hobbies", {"notes": ["plays the cello", "and the violin"]})
    store.put(("users", "ann"), "hobbies", {"notes": ["goes swimming"]})
    (found,) = store.search(("users", "ann"), query="and the violin")
    stale = found.score is not None and found.score > 0.9
    print(
        f"{'broken' if stale else 'held'}: {found.value['notes']} scores {found.score:.2f} "
        "for 'and the violin', which it said before"
    )
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
