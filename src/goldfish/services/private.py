"""Servers that one sandbox has for itself: lent out, given back, and used again if in order."""

import atexit
import contextlib
import os
import threading

from goldfish.errors import ServiceError
from goldfish.services.external_postgres import ExternalPostgres
from goldfish.services.external_redis import ExternalRedis
from goldfish.services.postgres import PostgresServer
from goldfish.services.redis import Persistence, RedisServer
from goldfish.services.shared import shared_postgres, shared_redis

OwnServer = RedisServer | PostgresServer
AnyServer = OwnServer | ExternalRedis | ExternalPostgres
SERVICES = ("redis", "postgres")

_IDLE_AT_MOST = 2  # of each kind; a third is ended

# What a fault, or a store, may have changed; the rest of a server's settings nobody touches.
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
    """The private servers of this process: those lent out, and those that wait."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the servers without a touch: in a forked child they are the parent's."""
        self._mutex = threading.Lock()
        self._lent: list[OwnServer] = []
        self._idle: list[OwnServer] = []

    def lend(self, service: str) -> OwnServer:
        fresh = _new(service)
        with self._mutex:
            alike = [each for each in self._idle if _alike(each, fresh)]
            server = alike[-1] if alike else fresh
            self._idle = [each for each in self._idle if each is not server]
            self._lent.append(server)
        try:
            return server.start()
        except BaseException:
            self._take_back(server)
            raise

    def give_back(self, server: OwnServer, *, doubtful: bool) -> None:
        if not self._take_back(server):
            raise ServiceError("this server was not lent, or came back already: give back once")
        if doubtful or not _restored(server):
            server.close()
            return
        with self._mutex:
            self._idle.append(server)
            alike = [each for each in self._idle if type(each) is type(server)]
            # The oldest goes: it may be of a persistence that nobody asks for any more.
            surplus = alike[:-_IDLE_AT_MOST]
            self._idle = [each for each in self._idle if each not in surplus]
        for each in surplus:
            each.close()

    def close(self) -> None:
        for server in (*self._lent, *self._idle):
            server.close()
        self.reset()

    def _take_back(self, server: OwnServer) -> bool:
        with self._mutex:
            was_lent = any(each is server for each in self._lent)
            self._lent = [each for each in self._lent if each is not server]
        return was_lent


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.reset)
atexit.register(_pool.close)


def lend(service: str) -> AnyServer:
    """A running, empty server that nobody else uses, or the one that the user gave us."""
    if service not in SERVICES:
        raise ServiceError(f"there is no service {service!r}: use {' or '.join(SERVICES)}")
    if service == "redis" and os.environ.get("GOLDFISH_REDIS_URL"):
        return shared_redis()
    if service == "postgres" and os.environ.get("GOLDFISH_POSTGRES_DSN"):
        return shared_postgres()
    return _pool.lend(service)


def give_back(server: AnyServer, *, doubtful: bool = False) -> None:
    """Return what lend() gave: it is emptied and kept for the next, or ended if in doubt."""
    if isinstance(server, RedisServer | PostgresServer):
        _pool.give_back(server, doubtful=doubtful)


def _new(service: str) -> OwnServer:
    if service == "redis":
        return RedisServer(persistence=_persistence())
    return PostgresServer(in_memory=True)


def _persistence() -> Persistence:
    wanted = os.environ.get("GOLDFISH_REDIS_PERSISTENCE", "always")
    if wanted == "always":
        return "always"
    if wanted == "none":
        return "none"
    raise ServiceError(f"GOLDFISH_REDIS_PERSISTENCE is {wanted!r}: set it to 'always' or 'none'")


def _alike(one: OwnServer, other: OwnServer) -> bool:
    if isinstance(one, RedisServer) and isinstance(other, RedisServer):
        return one.persistence == other.persistence
    return type(one) is type(other)


def _restored(server: OwnServer) -> bool:
    """Whether the server is as it was at its start, after we did what that takes."""
    if not server.is_running:
        return False
    with contextlib.suppress(OSError, ServiceError):
        if isinstance(server, RedisServer):
            return _restored_redis(server)
        return _restored_postgres(server)
    return False


def _restored_redis(server: RedisServer) -> bool:
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


def _restored_postgres(server: PostgresServer) -> bool:
    # In a database that no fault has made read-only or slow.
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
