"""A redis-py client as a store needs it: honest about failures, and without needless work."""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from goldfish.errors import MissingExtraError, mask
from goldfish.masking import find_secrets
from goldfish.stores.redis.sentinel import is_sentinel, make_sentinel_client
from goldfish.stores.redis.socket import abort

if TYPE_CHECKING:
    from redis.asyncio import Redis


def make_client_factory(url: str, *, connect_timeout: float) -> "Callable[[], Redis]":
    """Return a function that makes a client for the URL, in the event loop that will use it.

    It has no retries, because a write whose answer was lost may have happened, and the caller must
    know. It has no socket time-out either: redis-py starts a task for each of those, and the store
    watches the time of the whole call anyway.
    """
    try:
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff
    except ImportError as error:
        raise MissingExtraError.of("redis", "redis") from error

    options = {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": None,
        "socket_connect_timeout": connect_timeout,
        **_notice_closed_connections(Redis),
    }

    def make() -> "Redis":
        opened = make_sentinel_client if is_sentinel(url) else Redis.from_url
        client: Redis = opened(url, **options)
        pool: Any = client.connection_pool
        pool.connection_class = _make_connection_class(pool.connection_class)
        return client

    try:
        make()  # connects to nothing, but parses the URL
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{mask(url)} is not a Redis URL: {_explain_parse_error(url, error)}"
        ) from None
    return make


def _explain_parse_error(url: str, error: Exception) -> str:
    """Return why the URL is wrong, without what the parser quotes, maybe a secret."""
    if find_secrets(url):
        return "check its port, and percent-encode what is not a letter or digit in its password"
    return str(error)


def describe_server(url: str) -> str:
    """Return the URL for errors and logs, without credentials and options."""
    return mask(url.partition("?")[0])


@functools.cache
def _make_connection_class(base: Any) -> Any:
    """Return redis-py's connection class, with two differences.

    When it gives up it sends nothing more: redis-py sends what is left before it closes. And it
    packs commands in C if it can, which redis-py does only in its synchronous client.
    """

    class AbruptConnection(base):  # type: ignore[misc]  # one of three, as the URL wants it
        async def disconnect(self, nowait: bool = False, **details: Any) -> None:
            if nowait and self._writer is not None:
                abort(self._writer.transport)
            await super().disconnect(nowait=nowait, **details)

    try:
        from hiredis import pack_command
    except ImportError:
        return AbruptConnection

    class PackingConnection(AbruptConnection):
        def pack_command(self, *args: Any) -> list[bytes]:
            if isinstance(args[0], str) and " " in args[0]:  # two words, which are sent apart
                args = (*args[0].split(), *args[1:])
            return [pack_command(args)]

    return PackingConnection


def _notice_closed_connections(client: type) -> dict[str, Any]:
    """Return options that let the pool check that the server has not hung up on a connection.

    redis-py 8 does not look while it waits for notices of maintenance, which is its default.
    """
    if "maint_notifications_config" not in inspect.signature(client).parameters:
        return {}
    from redis.maint_notifications import MaintNotificationsConfig

    return {"maint_notifications_config": MaintNotificationsConfig(enabled=False)}


def has_connections(client: Any) -> bool:
    """Return True if a client has been used: it has connections, or had some to a cluster."""
    pool = getattr(client, "connection_pool", None)
    if pool is None:  # a cluster's, which has connected as soon as it knows the nodes
        return not getattr(client, "_initialize", True)
    return bool(pool._available_connections or pool._in_use_connections)
