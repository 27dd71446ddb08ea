"""Servers that one sandbox has for itself: acquired, released, and used again if in order."""

import atexit
import contextlib
import os
import threading
from typing import cast, get_args

from goldfish.errors import ServiceError
from goldfish.services.external_postgres import ExternalPostgres
from goldfish.services.external_redis import ExternalRedis
from goldfish.services.postgres import PostgresServer
from goldfish.services.redis import Persistence, RedisServer
from goldfish.services.remote import adopt_server, describe_server, get_provider
from goldfish.services.shared import shared_postgres, shared_redis

OwnServer = RedisServer | PostgresServer
AnyServer = OwnServer | ExternalRedis | ExternalPostgres
SERVICES = ("redis", "postgres")

_MOST_IDLE = 2  # of each kind; a third is ended

# Settings that a fault, or a store, may have changed.
_REDIS_SETTINGS = {
    "maxmemory": "0",
    "maxmemory-policy": "noeviction",
    "maxclients": "10000",
    "replica-read-only": "yes",
    "replica-serve-stale-data": "yes",
    "min-replicas-to-write": "0",
    "notify-keyspace-events": "",
    "timeout": "0",
    "appendfsync": "always",
}
_NOTHING_FOREIGN = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1'))
        OR EXISTS (SELECT FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> current_user)
    THEN RAISE 'other databases or roles were left'; END IF;
END $$
"""


class _Pool:
    """The private servers of this process: those in use, and those that are idle."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the servers without closing them: in a forked child they are the parent's."""
        self._mutex = threading.Lock()
        self._in_use: list[OwnServer] = []
        self._idle: list[OwnServer] = []

    def acquire(self, service: str) -> OwnServer:
        fresh = _make_server(service)
        with self._mutex:
            alike = [each for each in self._idle if _is_alike(each, fresh)]
            server = alike[-1] if alike else fresh
            self._idle = [each for each in self._idle if each is not server]
            self._in_use.append(server)
        try:
            return server.start()
        except BaseException:
            self._remove(server)
            raise

    def release(self, server: OwnServer, *, doubtful: bool) -> None:
        if not self._remove(server):
            raise ServiceError("this server is not in use: release a server once")
        if doubtful or not _reset(server):
            server.close()
            return
        with self._mutex:
            self._idle.append(server)
            alike = [each for each in self._idle if type(each) is type(server)]
            # The oldest goes: nobody may ask for its persistence any more.
            surplus = alike[:-_MOST_IDLE]
            self._idle = [each for each in self._idle if each not in surplus]
        for each in surplus:
            each.close()

    def close(self) -> None:
        for server in (*self._in_use, *self._idle):
            server.close()
        self.reset()

    def _remove(self, server: OwnServer) -> bool:
        with self._mutex:
            was_in_use = any(each is server for each in self._in_use)
            self._in_use = [each for each in self._in_use if each is not server]
        return was_in_use


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.reset)
atexit.register(_pool.close)


def acquire(service: str) -> AnyServer:
    """Return a running, empty server that nobody else uses, or the one that the user runs."""
    if service not in SERVICES:
        raise ServiceError(f"no service named {service!r}: use {' or '.join(SERVICES)}")
    if service == "redis" and os.environ.get("GOLDFISH_REDIS_URL"):
        return shared_redis()
    if service == "postgres" and os.environ.get("GOLDFISH_POSTGRES_DSN"):
        return shared_postgres()
    if provider := get_provider():
        server = _make_server(service)
        adopt_server(server, provider.ask("acquire server", service))
        return server
    return _pool.acquire(service)


def release(server: AnyServer, *, doubtful: bool = False) -> None:
    """Take back a server: reset it and keep it for the next caller, or end it if it is doubtful."""
    if not isinstance(server, RedisServer | PostgresServer):
        return
    if provider := get_provider():
        provider.ask("release server", describe_server(server), doubtful)
    else:
        _pool.release(server, doubtful=doubtful)


def _make_server(service: str) -> OwnServer:
    if service == "redis":
        return RedisServer(persistence=_read_persistence())
    return PostgresServer(in_memory=True)


def _read_persistence() -> Persistence:
    wanted = os.environ.get("GOLDFISH_REDIS_PERSISTENCE", "always")
    if wanted in get_args(Persistence):
        return cast(Persistence, wanted)
    raise ServiceError(f"GOLDFISH_REDIS_PERSISTENCE must be 'always' or 'none' (got {wanted!r})")


def _is_alike(one: OwnServer, other: OwnServer) -> bool:
    if isinstance(one, RedisServer) and isinstance(other, RedisServer):
        return one.persistence == other.persistence
    return type(one) is type(other)


def _reset(server: OwnServer) -> bool:
    """Make the server what it was at its start; return True if that worked."""
    if not server.is_running:
        return False
    with contextlib.suppress(OSError, ServiceError):
        if isinstance(server, RedisServer):
            return _reset_redis(server)
        return _reset_postgres(server)
    return False


def _reset_redis(server: RedisServer) -> bool:
    settings = [word for pair in _REDIS_SETTINGS.items() for word in pair]
    replies = server.ask(
        ["REPLICAOF", "NO", "ONE"],
        ["CONFIG", "SET", *settings],
        ["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"],
        ["CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "yes"],
        ["FLUSHALL"],
        ["SCRIPT", "FLUSH"],
        ["FUNCTION", "FLUSH"],
        timeout=5.0,
    )
    return not any(reply.startswith("-") for reply in replies)


def _reset_postgres(server: PostgresServer) -> bool:
    # In template1, which no fault has made read-only or slow.
    for sql in (
        "ALTER DATABASE postgres RESET ALL",
        "ALTER DATABASE postgres CONNECTION LIMIT -1",
        "ALTER ROLE CURRENT_USER RESET ALL",
        "ALTER SYSTEM RESET ALL",
        "SELECT pg_reload_conf()",
        _NOTHING_FOREIGN,
    ):
        server.run(sql, database="template1", timeout=10.0)
    server.release(server.dsn)
    return True
