"""The Redis and the PostgreSQL that most tests of a process share."""

import atexit
import contextlib
import os
import threading

from goldfish.errors import ServiceError
from goldfish.services.external_postgres import ExternalPostgres
from goldfish.services.external_redis import ExternalRedis
from goldfish.services.postgres import PostgresServer
from goldfish.services.redis import RedisServer
from goldfish.services.remote import RemoteShared, get_provider

# Checks share it: fifty callers of one must not take the last slot from another.
MANY_CLIENTS = {"max_connections": "400"}


class _Shared:
    """The shared servers of this process, each started when it is first used."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the servers without closing them: in a forked child they are the parent's."""
        self._mutex = threading.Lock()
        self._redis: RedisServer | ExternalRedis | None = None
        self._postgres: PostgresServer | ExternalPostgres | None = None

    def redis(self) -> RedisServer | ExternalRedis:
        with self._mutex:
            url = os.environ.get("GOLDFISH_REDIS_URL")
            self._redis = self._redis or (ExternalRedis(url) if url else RedisServer())
            return self._redis.start()

    def postgres(self) -> PostgresServer | ExternalPostgres:
        with self._mutex:
            dsn = os.environ.get("GOLDFISH_POSTGRES_DSN")
            if self._postgres is None:
                own = PostgresServer(settings=MANY_CLIENTS, in_memory=True)
                self._postgres = ExternalPostgres(dsn) if dsn else own
            return self._postgres.start()

    def close(self) -> None:
        for server in (self._redis, self._postgres):
            if server is not None:
                # At exit nobody is left to tell: one that has died was told of when it was used.
                with contextlib.suppress(ServiceError):
                    server.close()
        self.reset()


_shared = _Shared()
os.register_at_fork(after_in_child=_shared.reset)
atexit.register(_shared.close)


def shared_redis() -> RedisServer | ExternalRedis:
    """Return the Redis of this process: at GOLDFISH_REDIS_URL, or our own, which ends at exit."""
    return _shared.redis()


def find_shared(
    service: str,
) -> RedisServer | ExternalRedis | PostgresServer | RemoteShared | ExternalPostgres:
    """Return the shared server of this service, which another process may run for this one."""
    if provider := get_provider():
        return RemoteShared(service, provider)
    return shared_redis() if service == "redis" else shared_postgres()


def shared_postgres() -> PostgresServer | ExternalPostgres:
    """Return the PostgreSQL of this process: at GOLDFISH_POSTGRES_DSN, or our own."""
    return _shared.postgres()
