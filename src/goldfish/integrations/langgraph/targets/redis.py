"""The checkpointers of langgraph-checkpoint-redis, as targets: their Redis must have RediSearch.

Its indexes cover database 0 alone, so each sandbox has keys of its own there, by their prefix.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from langgraph.checkpoint.redis import RedisSaver
from langgraph.checkpoint.redis.aio import AsyncRedisSaver
from redis import Redis, ResponseError

from goldfish.errors import ServiceError
from goldfish.integrations.langgraph import LANGGRAPH, NEEDS_SEARCH
from goldfish.integrations.langgraph.adapter import AsyncLangGraphMemory, LangGraphMemory


@LANGGRAPH.target("langgraph-redis", services=["redis"])
def redis(sandbox: Any) -> Iterator[LangGraphMemory]:
    """Redis through a client, which replaces broken connections."""
    with RedisSaver.from_conn_string(_find_search(sandbox), **_name_keys(sandbox)) as saver:
        saver.setup()
        yield LangGraphMemory(saver)


@LANGGRAPH.target("langgraph-redis-async", services=["redis"])
async def redis_async(sandbox: Any) -> AsyncIterator[AsyncLangGraphMemory]:
    """Redis through a client, which replaces broken connections."""
    opened = AsyncRedisSaver.from_conn_string(_find_search(sandbox), **_name_keys(sandbox))
    async with opened as saver:
        await saver.setup()
        yield AsyncLangGraphMemory(saver)


def _find_search(sandbox: Any) -> str:
    """Return the URL of database 0; raise a ServiceError if the server has no RediSearch."""
    url: str = urlsplit(sandbox.redis_url)._replace(path="/0").geturl()
    with Redis.from_url(url) as client:
        try:
            client.execute_command("FT._LIST")
        except ResponseError:
            raise ServiceError(NEEDS_SEARCH) from None
    return url


def _name_keys(sandbox: Any) -> dict[str, Any]:
    name = sandbox.path.name
    return {"checkpoint_prefix": f"{name}-cp", "checkpoint_write_prefix": f"{name}-write"}
