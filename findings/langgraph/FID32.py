"""InMemoryStore: a value that has one text twice in its indexed fields is refused.

The texts are embedded once each, and then there are fewer vectors than places for them. Exit 1 if
an ordinary value is refused.

What to do: name the fields to index one by one, and see that no two of them hold the same text.
"""

import sys

from langgraph.store.memory import InMemoryStore


def embed(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


def main() -> int:
    store = InMemoryStore(index={"dims": 2, "embed": embed, "fields": ["lines[*]"]})
    try:
        store.put(("songs",), "1", {"lines": ["la la la", "oh yes", "la la la"]})
    except ValueError as error:
        print(f"broken: a value with a line that comes twice is refused: {error}")
        return 1
    print("held: a value with a line that comes twice is kept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
