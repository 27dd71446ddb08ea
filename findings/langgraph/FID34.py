"""InMemoryStore: whoever edits a value that was put, or that came back, rewrites the memory.

See also langchain-ai/langgraph issue 8835. Exit 1 if an edit reaches what is stored.

What to do: put copies, and copy what came back before you change it.
"""

import sys
from typing import Any

from langgraph.store.memory import InMemoryStore


def main() -> int:
    store = InMemoryStore()
    given: dict[str, Any] = {"likes": ["tea"]}
    store.put(("users", "ann"), "drinks", given)
    given["likes"].append("edited after it was put")
    item = store.get(("users", "ann"), "drinks")
    assert item is not None
    item.value["likes"].append("edited after it was got")
    again = store.get(("users", "ann"), "drinks")
    found = None if again is None else again.value["likes"]
    print(f"{'held' if found == ['tea'] else 'broken'}: ['tea'] was put, and is now {found}")
    return int(found != ["tea"])


if __name__ == "__main__":
    sys.exit(main())
