"""RedisChatMessageHistory: a batch that is refused leaves its first messages behind.

add_messages pushes message by message; when one cannot be stored, the caller sees an error, and
what stood before it is there. Exit 1 if a part of the refused batch is there.

What to do: call json.dumps on every message of a batch before you add any.
"""

import sys

from langchain_community.chat_message_histories import RedisChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage


def main(url: str) -> int:
    history = RedisChatMessageHistory("chat", url)
    unstorable = AIMessage("here is why", response_metadata={"tags": {"a", "b"}})
    try:
        history.add_messages([HumanMessage("why?"), unstorable])
        refused = "nothing was refused"
    except TypeError as error:
        refused = f"refused with {error}"
    found = [each.content for each in history.messages]
    history.redis_client.close()
    torn = found == ["why?"]
    print(f"{'broken' if torn else 'held'}: the batch was {refused}; there is {found}")
    return int(torn)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the URL of an empty Redis database: FID22_redis.py redis://localhost:6379/0")
    sys.exit(main(sys.argv[1]))
