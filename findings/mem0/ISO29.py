"""A user id with half a character in it is taken by add, and every get_all of it raises.

The ids in a filter are hashed for the telemetry, switched off or not, and the hash needs UTF-8.
What was added can be neither listed nor searched nor deleted by its user, on any vector store.

What to do: refuse ids that are no valid UTF-8 before they reach Mem0. Exit 1 if a listing raises.
"""

import sys
import tempfile

from offline import opened, tell, texts

USER = "ann\ud83d"


def main(directory: str) -> int:
    memory = opened("faiss", directory)
    tell(memory, USER, "Ann likes tea")
    try:
        said = f"there is {texts(memory, USER)}"
        broken = False
    except UnicodeEncodeError as error:
        said, broken = f"get_all raises {type(error).__name__}", True
    print(f"{'broken' if broken else 'held'}: add for the user {USER!r} succeeded; {said}")
    return int(broken)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
