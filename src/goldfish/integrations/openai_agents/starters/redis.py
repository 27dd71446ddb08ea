"""Checks our OpenAI Agents sessions in Redis: one test per promise."""

from agents.extensions.memory import RedisSession
from redis.asyncio import Redis

import goldfish


@goldfish.target(services=["redis"])
async def memory(sandbox):
    """Open the memory on sandbox.redis_url, a private Redis, as often as goldfish needs it."""
    client = Redis.from_url(sandbox.redis_url)

    # Make a session as your application does.
    def session_of(session_id):
        return RedisSession(session_id, redis_client=client)

    yield goldfish.adapt.openai_agents(session_of)
    await client.aclose()


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check
