"""Opening the store that a URL names."""

from typing import Any, Unpack, overload

from goldfish.errors import UnknownStoreURLError
from goldfish.stores.arguments import require_text
from goldfish.stores.base import BaseStore
from goldfish.stores.memory.store import InMemoryStore
from goldfish.stores.options import PostgresOptions, RedisOptions, StoreOptions
from goldfish.stores.postgres.store import PostgresMemoryStore
from goldfish.stores.redis import sentinel as redis_sentinel
from goldfish.stores.redis.store import RedisMemoryStore
from goldfish.stores.sqlite.store import SQLiteMemoryStore

SCHEMES = (
    "memory://, sqlite:///path, redis://host, rediss://host, unix://path, "
    "redis+sentinel://host/name, rediss+sentinel://host/name, postgresql://host"
)


@overload
def open_store(url: str, **options: Unpack[StoreOptions]) -> BaseStore: ...
@overload
def open_store(url: str, **options: Unpack[RedisOptions]) -> RedisMemoryStore: ...
@overload
def open_store(url: str, **options: Unpack[PostgresOptions]) -> PostgresMemoryStore: ...
def open_store(url: str, **options: Any) -> BaseStore:
    """Return the store that belongs to the URL, made with the options of its constructor.

    A type checker knows a store by an option that only one kind has, such as ``prefix`` or
    ``schema``; otherwise it is a ``BaseStore``, which has every power.

    ``memory://``, ``sqlite:///relative.db``, ``sqlite:////absolute.db``, ``redis://…``,
    ``rediss://…`` (TLS), ``unix://…`` (Redis on a socket), ``redis+sentinel://…``,
    ``rediss+sentinel://…``, ``postgresql://…``.
    """
    scheme, separator, rest = require_text(url, "url").partition("://")
    if not separator:
        # Not even masked: in what is not a URL the password may be anywhere.
        raise UnknownStoreURLError(f"a store URL needs '://': use one of {SCHEMES}")
    if scheme == "memory":
        return InMemoryStore(**options)
    if scheme == "sqlite":
        return SQLiteMemoryStore(_parse_path(rest), **options)
    if scheme in {"redis", "rediss", "unix", *redis_sentinel.SCHEMES}:
        return RedisMemoryStore(url, **options)
    if scheme in {"postgresql", "postgres"}:
        return PostgresMemoryStore(url, **options)
    raise UnknownStoreURLError(f"no store has the scheme {scheme}://: use one of {SCHEMES}")


def _parse_path(rest: str) -> str:
    """Return the path after the empty host, as SQLAlchemy has it: three slashes, then the path."""
    if not rest.startswith("/") or len(rest) < 2:
        raise UnknownStoreURLError(
            "a SQLite URL is sqlite:///relative.db or sqlite:////absolute.db"
        )
    return rest[1:]
