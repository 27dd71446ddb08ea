"""SqliteStore: an item is given out after its time to live, until a sweep comes by.

The documentation schedules what has expired for deletion "on a best-effort basis"; sweeps come
every five minutes by default, whole minutes apart at the least, and reads do not look at the time.
PostgresStore 3.2 can leave out what has expired (omit_expired). The same is behind TTL23 to
TTL25 and TTL33. Exit 1 if an item is given out two seconds after its second.

What to do: look at the age of what came back yourself, or sweep (sweep_ttl) before you read.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from langgraph.store.sqlite import SqliteStore

TTL: Any = {"refresh_on_read": False, "omit_expired": True}


def main(path: str) -> int:
    with SqliteStore.from_conn_string(path, ttl=TTL) as store:
        store.setup()
        store.start_ttl_sweeper()
        store.put(("users", "ann"), "tonight", {"in": "the cinema"}, ttl=1 / 60)
        time.sleep(3)
        served = store.get(("users", "ann"), "tonight") is not None
        store.stop_ttl_sweeper()
    what = "broken: an item with a second to live is" if served else "held: the item is not"
    print(f"{what} given out after three")
    return int(served)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))
