"""Checks our LlamaIndex chat store in Redis: one test per promise."""

from llama_index.storage.chat_store.redis import RedisChatStore
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

import goldfish


@goldfish.target(services=["redis"])
def memory(sandbox):
    """Open the memory on sandbox.redis_url, a private Redis, as often as goldfish needs it."""
    client = Redis.from_url(sandbox.redis_url)
    unused = AsyncRedis.from_url(sandbox.redis_url)
    # Make the chat store as your application does.
    yield goldfish.adapt.llamaindex(RedisChatStore(redis_client=client, aredis_client=unused))
    client.close()


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check
