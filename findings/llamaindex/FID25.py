"""SimpleChatStore: it hands out its own list, so editing what was read edits the history.

Also the reason for FID24 and FID26 there: the messages are the caller's own objects too. Exit 1 if
a message that was dropped from what was read is gone.

What to do: copy the list before changing it.
"""

import sys

from llama_index.core.llms import ChatMessage
from llama_index.core.storage.chat_store import SimpleChatStore


def main() -> int:
    store = SimpleChatStore()
    for text in ("a", "b"):
        store.add_message("chat", ChatMessage(role="user", content=text))
    store.get_messages("chat").pop(0)
    left = [each.content for each in store.get_messages("chat")]
    right = left == ["a", "b"]
    print(f"{'held' if right else 'broken'}: after an edit of what was read, {left} are there")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
