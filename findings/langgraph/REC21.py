"""SqliteStore: a filter by a field with a full stop in its name looks into another field.

The full stop is allowed in a name, and then taken for a path in the value. Exit 1 if the item that
has the field is not the one that is chosen.

What to do: use no full stops in the names of fields.
"""

import sys
import tempfile
from pathlib import Path

from langgraph.store.sqlite import SqliteStore


def main(path: str) -> int:
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        store.put(("items",), "flat", {"price.eur": 5})
        store.put(("items",), "deep", {"price": {"eur": 5}})
        found = [item.key for item in store.search(("items",), filter={"price.eur": 5})]
    wrong = found != ["flat"]
    print(f"{'broken' if wrong else 'held'}: a filter by the field 'price.eur' chooses {found}")
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
