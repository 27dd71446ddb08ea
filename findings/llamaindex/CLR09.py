"""SQLiteChatStore: delete_message takes the index of a message for the number of a row.

BaseChatStore deletes by index, and SimpleChatStore and RedisChatStore do. Also the reason for
CLR10 to CLR14, CLR20, CON14 and CON15 there. Exit 1 if the second of three messages is still there.

What to do: delete by rewriting the history with set_messages, under a lock.
"""

import sys
import tempfile

from llama_index.core.llms import ChatMessage
from llama_index.storage.chat_store.sqlite import SQLiteChatStore


def main(directory: str) -> int:
    store = SQLiteChatStore.from_params(database=f"{directory}/memory.db")
    for key in ("ann", "bob"):
        for text in ("a", "b", "c"):
            store.add_message(key, ChatMessage(role="user", content=f"{key} {text}"))
    store.delete_message("bob", 1)
    left = [each.content for each in store.get_messages("bob")]
    if left == ["bob a", "bob c"]:
        print("held: delete_message('bob', 1) removed the message with the index 1")
        return 0
    print(f"broken: after delete_message('bob', 1) there are {left}")
    return 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))
