"""An object in a message's metadata silently comes back as a dict, though alone it would not.

A message is stored as its model_dump(), which turns what is inside into plain dicts. Exit 1 if the
object comes back as something else.

What to do: keep only what JSON has in the metadata of messages.
"""

import sys
from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


@dataclass
class Citation:
    page: int


def main() -> int:
    serde = JsonPlusSerializer(allowed_msgpack_modules=[Citation])
    message = AIMessage("see there", response_metadata={"source": Citation(7)})
    try:
        back = serde.loads_typed(serde.dumps_typed(message)).response_metadata["source"]
    except TypeError as error:
        print(f"held: refused with {error}")
        return 0
    alone = serde.loads_typed(serde.dumps_typed(Citation(7)))
    changed = back != Citation(7)
    print(f"{'broken' if changed else 'held'}: Citation(7) came back as {back}, alone as {alone}")
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
