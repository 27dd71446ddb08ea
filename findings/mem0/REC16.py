"""Mem0 on Qdrant: a filter by 2.5 is refused, and one by 1 misses 1.0.

A fraction can be stored, and never be asked for by its value.

What to do: keep numbers that are filtered by as whole numbers. Exit 1 if so.
"""

import sys
import tempfile
from typing import Any

from offline import opened, tell, texts


def found(memory: Any, value: float) -> list[str] | str:
    try:
        return texts(memory, "ann", n=value)
    except Exception as error:
        return type(error).__name__


def main(directory: str) -> int:
    memory = opened("qdrant", directory)
    for said, value in {"one": 1, "one as a fraction": 1.0, "a half": 2.5}.items():
        tell(memory, "ann", said, n=value)
    answers = [found(memory, 1), found(memory, 2.5)]
    broken = answers != [["one", "one as a fraction"], ["a half"]]
    print(f"{'broken' if broken else 'held'}: n=1 gives {answers[0]}, n=2.5 gives {answers[1]}")
    return int(broken)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
