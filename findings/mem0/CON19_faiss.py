"""Mem0 on FAISS: threads that share a Memory, as the requests of a web server do, lose memories.

Positions in the index are counted and files written without a lock: two adds take one position,
and a dict changes while it is written. The same is behind CON20, and, since an update takes the
memory away and adds it again, behind CON21.

What to do: put a lock around every call. Exit 1 if something is missing in ten rounds of ten adds.
"""

import logging
import sys
import tempfile
import threading

from offline import opened, tell, texts


def main(directory: str) -> int:
    memory = opened("faiss", directory)
    told = 0
    for number in range(10):
        begin = threading.Barrier(10)

        def add(each: int, number: int = number, begin: threading.Barrier = begin) -> None:
            begin.wait()
            tell(memory, "ann", f"guest {number}.{each}")

        threads = [threading.Thread(target=add, args=(each,)) for each in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        told += 10
    found = {
        each["memory"]
        for number in range(10)
        for each in memory.search(f"guest {number}.0", filters={"user_id": "ann"}, top_k=100)[
            "results"
        ]
    }
    after = len(texts(opened("faiss", directory), "ann"))
    broken = len(found) < told or after < told
    print(
        f"{'broken' if broken else 'held'}: of {told} told by ten threads, {len(found)} are found "
        f"by a search, and {after} are there after a restart"
    )
    return int(broken)


if __name__ == "__main__":
    logging.disable()
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
