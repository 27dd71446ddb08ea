"""SqliteStore before 3.1.1: a search for one user gives the items of others whose id looks alike.

The namespace is a pattern of LIKE: 'al' is the beginning of 'alice', and the underscore of
'john_doe' stands for any character. Exit 1 if a search gives another user's item.

What to do: upgrade to 3.1.1 or later.
"""

import sys
import tempfile
from pathlib import Path

from langgraph.store.sqlite import SqliteStore


def main(path: str) -> int:
    leaked = []
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        for user in ("alice", "john-doe"):
            store.put(("users", user), "secret", {"of": user})
        for user in ("al", "john_doe"):
            leaked += [(user, item.value["of"]) for item in store.search(("users", user))]
    for user, other in leaked:
        print(f"broken: a search for {user!r} gives the item of {other!r}")
    if not leaked:
        print("held: nobody is given the items of others")
    return int(bool(leaked))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
