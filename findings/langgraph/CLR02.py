"""AsyncSqliteSaver: to delete a thread on a file that has no tables yet raises.

All other methods make the tables first, and so does SqliteSaver.delete_thread. Exit 1 if it raises.

What to do: await the setup of the saver before anything else.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver


async def main(path: str) -> int:
    async with AsyncSqliteSaver.from_conn_string(path) as saver:
        try:
            await saver.adelete_thread("a-thread-that-never-was")
        except Exception as error:
            print(f"broken: adelete_thread on a new file raised {type(error).__name__}: {error}")
            return 1
    print("held: adelete_thread on a new file is no error")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(str(Path(place) / "checkpoints.sqlite"))))
