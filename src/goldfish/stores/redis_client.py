"""A redis-py client as a store needs it: honest about failures, and without needless work."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from goldfish.errors import MissingExtraError, masked
from goldfish.masking import secrets_in

if TYPE_CHECKING:
    from redis.asyncio import Redis


def client_maker(url: str, *, connect_timeout: float) -> "Callable[[], Redis]":
    """How to make a client for the URL, in the event loop that will use it.

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
        "connection_class": _connection_class(),
        **_noticing_closed_connections(Redis),
    }

    def make() -> "Redis":
        return Redis.from_url(url, **options)

    try:
        make()  # connects to nothing, but parses the URL
    except (ValueError, TypeError) as error:
        raise ValueError(f"{masked(url)} is not a Redis URL: {_reason(url, error)}") from None
    return make


def _reason(url: str, error: Exception) -> str:
    """Why the URL makes no sense; what a URL's parser quotes may be a piece of the password."""
    if secrets_in(url):
        return "check its port, and percent-encode what is not a letter or digit in its password"
    return str(error)


def _connection_class() -> Any:
    """redis-py's connection, which packs commands in C if it can: redis-py does that only in sync.

    The URL has the last word: TLS and sockets bring classes of their own.
    """
    from redis.asyncio.connection import Connection

    try:
        from hiredis import pack_command
    except ImportError:
        return Connection

    class PackingConnection(Connection):
        def pack_command(self, *args: Any) -> list[bytes]:
            if isinstance(args[0], str) and " " in args[0]:  # two words, which are sent apart
                args = (*args[0].split(), *args[1:])
            return [pack_command(args)]

    return PackingConnection


def _noticing_closed_connections(client: type) -> dict[str, Any]:
    """What makes the pool look whether the server hung up before it reuses a connection.

    redis-py 8 does not look while it waits for notices of maintenance, which is its default.
    """
    if "maint_notifications_config" not in inspect.signature(client).parameters:
        return {}
    from redis.maint_notifications import MaintNotificationsConfig

    return {"maint_notifications_config": MaintNotificationsConfig(enabled=False)}
