"""SqliteStore: a filter by a large number chooses its neighbours.

The number is made a float first, which has 53 bits. Exit 1 if another number is chosen.

What to do: keep large ids as text.
"""

import sys
import tempfile
from pathlib import Path

from langgraph.store.sqlite import SqliteStore

ACCOUNTS = (2**53, 2**53 + 1)


def main(path: str) -> int:
    with SqliteStore.from_conn_string(path) as store:
        store.setup()
        for account in ACCOUNTS:
            store.put(("accounts",), str(account), {"account": account})
        found = store.search(("accounts",), filter={"account": ACCOUNTS[1]})
    accounts = [item.value["account"] for item in found]
    wrong = accounts != [ACCOUNTS[1]]
    print(f"{'broken' if wrong else 'held'}: a filter by {ACCOUNTS[1]} chooses {accounts}")
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
