"""RedisChatStore: delete_message turns the rest around, and raises when nothing is left.

It deletes the list and pushes the rest to its head, one by one, so that the last comes first; LPUSH
without values is an error. In between the list is gone: what others add meanwhile ends up among the
rest, or the rest is lost with the process. The reason for CLR09 to CLR14, CON14 and CON15 there.
Exit 1 if the order is another one, or the last message cannot be deleted.

What to do: delete by rewriting the history with set_messages, under a lock.
"""

import sys

from llama_index.core.llms import ChatMessage
from llama_index.storage.chat_store.redis import RedisChatStore


def main(url: str) -> int:
    store = RedisChatStore(redis_url=url)
    for text in ("a", "b", "c", "d"):
        store.add_message("chat", ChatMessage(role="user", content=text))
    store.delete_message("chat", 0)
    left = [each.content for each in store.get_messages("chat")]
    try:
        for _ in left:
            store.delete_message("chat", 0)
        last = "the last one can be deleted"
    except Exception as error:
        last = f"deleting the last one raises {type(error).__name__}"
    right = left == ["b", "c", "d"] and last == "the last one can be deleted"
    print(f"{'held' if right else 'broken'}: without 'a' there are {left}, and {last}")
    return 0 if right else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the URL of an empty Redis database: CLR12_redis.py redis://localhost:6379/0")
    sys.exit(main(sys.argv[1]))
