"""The options of the stores' constructors, as types: what ``open_store`` passes on."""

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder


class StoreOptions(TypedDict, total=False):
    """The options that every durable store has; ``memory://`` knows ``ttl`` and ``embedder``."""

    ttl: float | None
    timeout: float
    embedder: "Embedder | Literal['default'] | None"
    search: bool
    keep_trimmed: bool


class RedisOptions(StoreOptions, total=False):
    """The options of ``RedisMemoryStore``, but for its address."""

    read_url: str | None
    prefix: str
    wait_replicas: int
    wait_aof: bool


class PostgresOptions(StoreOptions, total=False):
    """The options of ``PostgresMemoryStore``, but for its address."""

    schema: str
    pool_size: int
    pooler: bool | None
