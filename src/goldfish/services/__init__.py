"""Redis and PostgreSQL servers for tests: our own child processes, or ones that the user runs.

Programs come from wheels, the system or the user. Imports only ``goldfish.errors``.
"""

from goldfish.services.external_postgres import ExternalPostgres
from goldfish.services.external_redis import ExternalRedis
from goldfish.services.postgres import PostgresServer
from goldfish.services.process import ServerProcess
from goldfish.services.redis import RedisServer
from goldfish.services.shared import shared_postgres, shared_redis

__all__ = [
    "ExternalPostgres",
    "ExternalRedis",
    "PostgresServer",
    "RedisServer",
    "ServerProcess",
    "shared_postgres",
    "shared_redis",
]
