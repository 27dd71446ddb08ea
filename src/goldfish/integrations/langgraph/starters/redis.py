"""Checks our LangGraph threads in Redis: one test per promise."""

from urllib.parse import urlsplit

from langgraph.checkpoint.redis import RedisSaver

import goldfish


# It needs RediSearch: set GOLDFISH_REDIS_URL to a Redis 8, or a Redis Stack, that is for tests.
@goldfish.target(services=["redis"])
def memory(sandbox):
    """Open the memory in database 0, which RediSearch indexes, as often as it is needed."""
    # Make the checkpointer as your application does; the prefixes keep one sandbox from another.
    url, name = urlsplit(sandbox.redis_url)._replace(path="/0").geturl(), sandbox.path.name
    prefixes = {"checkpoint_prefix": f"{name}-cp", "checkpoint_write_prefix": f"{name}-write"}
    with RedisSaver.from_conn_string(url, **prefixes) as saver:
        saver.setup()
        yield goldfish.adapt.langgraph(saver)


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check
