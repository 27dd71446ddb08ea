"""SqliteStore and InMemoryStore: to update an item makes it as new as the update.

Of an Item the documentation says that created_at is the "timestamp of item creation"; PostgresStore
keeps it. Exit 1 if it changes.

What to do: keep a created_at of your own in the value.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore


def changes(store: Any) -> bool:
    store.put(("users", "ann"), "town", {"in": "Rome"})
    before = store.get(("users", "ann"), "town").created_at
    time.sleep(1.1)  # the clock of SQLite counts seconds
    store.put(("users", "ann"), "town", {"in": "Oslo"})
    return bool(store.get(("users", "ann"), "town").created_at != before)


def main(path: str) -> int:
    wrong = ["InMemoryStore"] if changes(InMemoryStore()) else []
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        wrong += ["SqliteStore"] if changes(store) else []
    if wrong:
        print(f"broken: an update changes when the item was created in {' and '.join(wrong)}")
    else:
        print("held: an update leaves when the item was created")
    return int(bool(wrong))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
