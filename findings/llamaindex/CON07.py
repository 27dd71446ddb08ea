"""SQLiteChatStore: processes that open a new file at the same moment do not all succeed.

Each looks whether the table is there, and then makes it. Exit 1 if an opening raises in one of
twenty new files.

What to do: open the store once, alone, before several processes do.
"""

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from llama_index.storage.chat_store.sqlite import SQLiteChatStore

PROCESSES = 4
_barrier = None


def opened_at_once(path: str) -> str:
    _barrier.wait()  # type: ignore[attr-defined]
    try:
        SQLiteChatStore.from_params(database=path)
    except Exception as error:
        return str(error).partition("\n")[0]
    return ""


def share(barrier: object) -> None:
    global _barrier
    _barrier = barrier


def main(directory: str) -> int:
    context = get_context("fork")
    barrier = context.Barrier(PROCESSES)
    with ProcessPoolExecutor(PROCESSES, context, initializer=share, initargs=(barrier,)) as pool:
        for number in range(20):
            path = f"{directory}/{number}.db"
            errors = list(filter(None, pool.map(opened_at_once, [path] * PROCESSES)))
            if errors:
                print(f"broken: {len(errors)} of {PROCESSES} that open a file at once: {errors[0]}")
                return 1
    print("held: twenty new files were opened by four processes at once")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
