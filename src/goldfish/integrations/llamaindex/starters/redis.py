"""Holds our LlamaIndex chat store in Redis to its promises: one test for each of them."""

from llama_index.storage.chat_store.redis import RedisChatStore
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

import goldfish


@goldfish.target(services=["redis"])
def memory(sandbox):
    """Open the memory on the private Redis at sandbox.redis_url, as often as it is asked for."""
    client = Redis.from_url(sandbox.redis_url)
    unused = AsyncRedis.from_url(sandbox.redis_url)
    # Make the chat store as your application does.
    yield goldfish.adapt.llamaindex(RedisChatStore(redis_client=client, aredis_client=unused))
    client.close()


test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything
