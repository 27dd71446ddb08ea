"""A plain, correct store on Redis, written as a stranger would, with a sync redis-py client.

A session is a list of message ids and a hash of their texts. The store shares nothing with our own
but the encoding of messages.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from goldfish.encoding import decode_messages, encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens.references.keys import Rows, encoded

# KEYS: the ids, the texts. An id that is there already is left as it is: a retry is a no-op.
ADD = """
for at = 1, #ARGV, 2 do
    if redis.call('HSETNX', KEYS[2], ARGV[at], ARGV[at + 1]) == 1 then
        redis.call('RPUSH', KEYS[1], ARGV[at])
    end
end
"""
TRIM = """
local excess = math.max(0, redis.call('LLEN', KEYS[1]) - tonumber(ARGV[1]))
for _ = 1, excess do
    redis.call('HDEL', KEYS[2], redis.call('LPOP', KEYS[1]))
end
return excess
"""
DELETE = """
local removed = 0
for _, id in ipairs(ARGV) do
    removed = removed + redis.call('LREM', KEYS[1], 0, id)
    redis.call('HDEL', KEYS[2], id)
end
return removed
"""


def connect(url: str, **options: Any) -> Any:
    """Return a client that sends nothing twice of its own accord."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    patience = {"socket_timeout": 2, "socket_connect_timeout": 2}
    return Redis.from_url(url, **{"retry": Retry(NoBackoff(), 0), **patience, **options})


def ignore(name: str) -> suppress:
    """Return a block in which this error of redis-py is swallowed."""
    from redis import exceptions

    return suppress(getattr(exceptions, name))


def is_restarted(redis: Any) -> bool:
    """Return True if the server has been restarted since the last time that this was asked."""
    run = redis.info("server")["run_id"].encode()
    return redis.set("run", run, get=True) not in (None, run)


def keys_of(session_id: str) -> list[bytes]:
    """Return the keys of the ids of a session, and of their texts."""
    return [b"ids:" + encoded(session_id), b"texts:" + encoded(session_id)]


class RedisReference:
    """A correct store."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        self.url: str = sandbox.redis_url
        self.redis = self.connect()
        self.scripts = {text: self.redis.register_script(text) for text in (ADD, TRIM, DELETE)}

    def connect(self, **options: Any) -> Any:
        """Return the client that this store uses."""
        return connect(self.url, **options)

    # What specimens most like to get wrong: how a batch is written, and how a session is read.

    def keys(self, session_id: str) -> list[bytes]:
        """Return the keys of the ids of a session, and of their texts."""
        return keys_of(session_id)

    def run(self, script: str, session_id: str, *arguments: Any) -> Any:
        """Run a script on a session as one step, and return its answer."""
        return self.scripts[script](self.keys(session_id), arguments)

    def write(self, session_id: str, rows: Rows) -> None:
        """Add the rows whose ids the session lacks, all at once."""
        self.run(ADD, session_id, *(word for name, body in rows for word in (encoded(name), body)))

    def read(self, session_id: str) -> list[bytes]:
        """Return the texts of a session as it was at one moment, oldest first."""
        ids, texts = self.keys(session_id)
        with self.redis.pipeline(transaction=True) as both:
            order, bodies = both.lrange(ids, 0, -1).hgetall(texts).execute()
        return [bodies[name] for name in order]

    # The methods of a store.

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if rows := encode_batch(messages):
            self.write(session_id, rows)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        if last is not None and last < 0:
            raise ValueError("last must not be negative")
        bodies = self.read(session_id)
        return decode_messages(bodies if last is None else bodies[max(0, len(bodies) - last) :])

    def trim(self, session_id: str, *, keep_last: int) -> int:
        if keep_last < 0:
            raise ValueError("keep_last must not be negative")
        return int(self.run(TRIM, session_id, keep_last))

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        return int(self.run(DELETE, session_id, *map(encoded, ids)))

    def clear(self, session_id: str) -> None:
        self.redis.delete(*self.keys(session_id))

    def close(self) -> None:
        self.redis.close()


class AsyncRedisReference:
    """A correct store on redis-py's asyncio client, with the least that a store needs."""

    services = ("redis",)

    def __init__(self, sandbox: Any) -> None:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        self.redis: Any = Redis.from_url(
            sandbox.redis_url, retry=Retry(NoBackoff(), 0), socket_timeout=5
        )

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        rows = encode_batch(messages)
        words = [word for name, body in rows for word in (encoded(name), body)]
        await self.redis.eval(ADD, 2, *keys_of(session_id), *words)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        ids, texts = keys_of(session_id)
        async with self.redis.pipeline(transaction=True) as both:
            order, bodies = await both.lrange(ids, 0, -1).hgetall(texts).execute()
        return decode_messages([bodies[name] for name in order])

    async def aclose(self) -> None:
        await self.redis.aclose()
