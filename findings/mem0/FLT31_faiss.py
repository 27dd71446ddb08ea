"""Mem0 on FAISS: an add while the disk is full empties everybody's memory at the next start.

Both files are written over in place. The next start cannot read what is left of them, logs that,
and begins with nothing.

What to do: keep a copy of the directory, or use another vector store. Exit 1 if memories are gone.
"""

import resource
import signal
import sys
import tempfile

from offline import opened, tell, texts


def main(directory: str) -> int:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    memory = opened("faiss", directory)
    for number in range(20):
        tell(memory, "ann", f"Ann met guest {number}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, usual[1]))  # as if the disk were full
    try:
        tell(memory, "ben", "Ben lives in Rome")
        outcome = "succeeded"
    except Exception as error:
        outcome = f"raised {type(error).__name__}"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    left = len(texts(opened("faiss", directory), "ann"))
    word = "held" if left == 20 else "broken"
    print(f"{word}: on a full disk Ben's add {outcome}; of Ann's 20 memories {left} are left")
    return int(left != 20)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
