"""RedisChatMessageHistory: a link that is cut amid an add leaves a session that never expires.

add_message pushes the message, and sets the deadline by a second command. The same is behind TTL31,
where the process is killed between the two. Exit 1 if the session outlives its ttl.

What to do: give the keys a deadline from outside too, or delete old sessions yourself.
"""

import sys
import time
from typing import Any

from langchain_community.chat_message_histories import RedisChatMessageHistory
from langchain_core.messages import HumanMessage
from redis.exceptions import ConnectionError as CutOff


def cut(*_: Any) -> None:
    raise CutOff("the link was cut after the push")


def main(url: str) -> int:
    history = RedisChatMessageHistory("ann", url=url, ttl=1)
    usual, history.redis_client.expire = history.redis_client.expire, cut
    try:
        history.add_messages([HumanMessage("my card number is 1234")])
    except CutOff:
        history.redis_client.expire = usual
    time.sleep(2.5)
    left = [each.content for each in history.messages]
    print(f"{'broken' if left else 'held'}: with a ttl of 1 s, there is {left} after 2.5 s")
    return int(bool(left))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the URL of an empty Redis: TTL32_redis.py redis://localhost:6379/15")
    sys.exit(main(sys.argv[1]))
