"""InMemoryStore and SqliteStore: a filter by 1 also chooses True.

PostgresStore tells them apart. Exit 1 if a filter gives what it does not name.

What to do: keep flags and numbers in different fields.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore


def chosen(store: Any) -> list[Any]:
    for value in (1, True):
        store.put(("items",), repr(value), {"n": value})
    return [item.value["n"] for item in store.search(("items",), filter={"n": 1})]


def main(path: str) -> int:
    in_memory = chosen(InMemoryStore())
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        in_sqlite = chosen(store)
    wrong = any(each is True for each in in_memory + in_sqlite)
    print(
        f"{'broken' if wrong else 'held'}: a filter by 1 chooses {in_memory} in InMemoryStore, "
        f"{in_sqlite} in SqliteStore"
    )
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
