"""RedisSession: one session's list of messages has the key of another session's metadata.

The keys of the session 'chat' are agents:session:chat and agents:session:chat:messages; the latter
is also the first key of the session 'chat:messages'. It is also behind ISO12, ISO22 and ISO39.
Exit 1 if the two cannot live side by side.

What to do: use no colons in the ids of sessions.
"""

import asyncio
import sys

from agents.extensions.memory import RedisSession
from redis.asyncio import Redis


async def main(url: str) -> int:
    client = Redis.from_url(url)
    try:
        await RedisSession("chat", redis_client=client).add_items([_said("hello")])
        await RedisSession("chat:messages", redis_client=client).add_items([_said("hi")])
    except Exception as error:
        print(f"broken: the session 'chat:messages' beside 'chat': {error}")
        return 1
    finally:
        await client.aclose()
    print("held: the sessions 'chat' and 'chat:messages' are both there")
    return 0


def _said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the URL of an empty Redis database: ISO07.py redis://localhost:6379/0")
    sys.exit(asyncio.run(main(sys.argv[1])))
