"""RedisChatStore: a link that is cut amid an add leaves a session that never expires.

add_message pushes the message, and sets the deadline by a second command. The same is behind TTL31,
where the process is killed between the two. Exit 1 if the session outlives its ttl.

What to do: give the keys a deadline from outside too, or delete old sessions yourself.
"""

import sys
import time
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.storage.chat_store.redis import RedisChatStore
from redis import Redis
from redis.exceptions import ConnectionError as CutOff


def cut(*_: Any) -> None:
    raise CutOff("the link was cut after the push")


def main(url: str) -> int:
    client = Redis.from_url(url)
    store = RedisChatStore(redis_url=url, redis_client=client, ttl=1)
    usual, client.expire = client.expire, cut  # type: ignore[method-assign] # the cut
    try:
        store.add_message("ann", ChatMessage(content="my card number is 1234"))
    except CutOff:
        client.expire = usual  # type: ignore[method-assign] # the link is back
    time.sleep(2.5)
    left = [each.content for each in store.get_messages("ann")]
    print(f"{'broken' if left else 'held'}: with a ttl of 1 s, there is {left} after 2.5 s")
    return int(bool(left))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the URL of an empty Redis: TTL32_redis.py redis://localhost:6379/15")
    sys.exit(main(sys.argv[1]))
