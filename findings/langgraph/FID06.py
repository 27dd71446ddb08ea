"""The serialiser of checkpoints silently replaces a lone surrogate by a question mark.

So does every checkpointer that uses it, and nobody is told; FID22 finds the same in a batch.
Exit 1 if the text comes back changed.

What to do: mend texts before a turn: text.encode("utf-8", "replace").decode().
"""

import sys

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

TEXT = "half an emoji: \ud83d"


def main() -> int:
    serde = JsonPlusSerializer()
    try:
        back = serde.loads_typed(serde.dumps_typed(HumanMessage(TEXT))).content
    except UnicodeError as error:
        print(f"held: refused with {type(error).__name__}")
        return 0
    changed = back != TEXT
    print(f"{'broken' if changed else 'held'}: {TEXT!a} came back as {back!a}")
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
