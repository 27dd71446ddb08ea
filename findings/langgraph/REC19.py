"""InMemoryStore: one item whose field holds no number makes a comparison an error for all.

SqliteStore takes the text '7' for the number 7, and PostgresStore every text that comes after.
Exit 1 if a comparison raises, or gives what holds no number.

What to do: keep one kind of value in a field that is compared.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore


def chosen(store: Any) -> Any:
    for value in (5, "7", "many", None):
        store.put(("items",), repr(value), {"n": value})
    try:
        found = store.search(("items",), filter={"n": {"$gt": 3}})
    except Exception as error:
        return f"{type(error).__name__}"
    return sorted((item.value["n"] for item in found), key=str)


def main(path: str) -> int:
    in_memory = chosen(InMemoryStore())
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        in_sqlite = chosen(store)
    wrong = in_memory != [5] or in_sqlite != [5]
    print(
        f"{'broken' if wrong else 'held'}: of 5, '7', 'many' and None more than 3 are {in_memory} "
        f"in InMemoryStore, {in_sqlite} in SqliteStore"
    )
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
