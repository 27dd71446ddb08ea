"""AsyncSqliteStore: one user's value that cannot be kept makes another user's write fail.

What is asked in one tick of the event loop is carried out as one batch, and whatever goes wrong in
it is the answer to all of it. The same is in AsyncPostgresStore. Exit 1 if a valid write fails.

What to do: look at values with json.dumps before you put them.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from langgraph.store.sqlite import AsyncSqliteStore


async def main(path: str) -> int:
    async with AsyncSqliteStore.from_conn_string(path) as store:
        await store.setup()
        _, bob = await asyncio.gather(
            store.aput(("users", "alice"), "odd", {"value": object()}),
            store.aput(("users", "bob"), "fine", {"value": "tea"}),
            return_exceptions=True,
        )
        kept = await store.aget(("users", "bob"), "fine")
    if isinstance(bob, Exception) or kept is None:
        print(f"broken: bob's valid write, beside one of alice's, raised {type(bob).__name__}")
        return 1
    print("held: bob's valid write was acknowledged and is there")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(str(Path(place) / "store.sqlite"))))
