"""PostgresStore: the later pages of a search by meaning are empty.

A search chooses a few times its limit of vectors, drops those of one item but the best, and skips
to the page among what is left: page four of one is empty, and one long item can be all that a page
of many holds (REC51). SqliteStore chooses likewise. Give the DSN of an empty database with
pgvector. Exit 1 if not all items are on the pages.

What to do: ask for one large page instead of several small ones.
"""

import sys

from langgraph.store.postgres import PostgresStore

PLANTS = ["rose", "birch", "fern", "vine", "hedge"]


def embed(texts: list[str]) -> list[list[float]]:
    return [[1.0, 0.1 * float(len(text))] for text in texts]


def main(dsn: str) -> int:
    index = {"dims": 2, "embed": embed, "fields": ["plant"]}
    with PostgresStore.from_conn_string(dsn, index=index) as store:  # type: ignore[arg-type] # a plain dict
        store.setup()
        for plant in PLANTS:
            store.put(("garden",), plant, {"plant": plant})
        paged = [
            item.key
            for offset in range(len(PLANTS))
            for item in store.search(("garden",), query="rose", limit=1, offset=offset)
        ]
    lost = sorted(paged) != sorted(PLANTS)
    print(
        f"{'broken' if lost else 'held'}: of {len(PLANTS)} items, page by page, {len(paged)} came"
    )
    return int(lost)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the DSN of an empty PostgreSQL database")
    sys.exit(main(sys.argv[1]))
