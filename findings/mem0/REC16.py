"""A filter by a number: Qdrant refuses 2.5 and misses 1.0, and FAISS takes True for 1.

On Qdrant a fraction can be stored and never be asked for by its value. Python holds 1 and True for
equal, and Mem0's filter over FAISS does too.

What to do: keep numbers that are filtered by as whole numbers, and flags as texts. Exit 1 if so.
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
    answers: dict[str, Any] = {}
    for provider in ("qdrant", "faiss"):
        memory = opened(provider, directory)
        for said, value in {"one": 1, "one as a fraction": 1.0, "a half": 2.5, "yes": True}.items():
            tell(memory, "ann", said, n=value)
        answers[provider] = [found(memory, 1), found(memory, 2.5)]
    right = [["one", "one as a fraction"], ["a half"]]
    broken = any(each != right for each in answers.values())
    print(f"{'broken' if broken else 'held'}: n=1 and n=2.5 give {answers}")
    return int(broken)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
