"""goldfish finds out whether an agent's memory forgets, and ships one that does not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldfish import adapt
    from goldfish.embedding.embedder import Embedder
    from goldfish.errors import (
        EmbedderError,
        FactNotFound,
        GoldfishError,
        MemoryStoreBackendError,
        MemoryStoreClosedError,
        MemoryStoreError,
        MissingExtraError,
        ModelMismatchError,
        ModelNotFoundError,
        SchemaTooNewError,
        ServiceError,
        SnapshotNotFound,
        TargetError,
        UnknownStoreURLError,
        UnstorableError,
        UsageError,
    )
    from goldfish.findings.result import Violation
    from goldfish.messages import ChatMessage, Fact, Found, Recollection, Snapshot
    from goldfish.plugin.suite import suite
    from goldfish.protocols import (
        Editing,
        Expiring,
        Listing,
        MemoryStore,
        PolicyTrimming,
        Remembering,
        Searching,
        Snapshotting,
        Stating,
    )
    from goldfish.replay.recorder import record
    from goldfish.stores.base import BaseStore
    from goldfish.stores.blocking import BlockingMemoryStore, blocking
    from goldfish.stores.memory.store import InMemoryStore
    from goldfish.stores.open import open_store
    from goldfish.stores.postgres.store import PostgresMemoryStore
    from goldfish.stores.redis.store import RedisMemoryStore
    from goldfish.stores.sqlite.store import SQLiteMemoryStore
    from goldfish.targets.agents import agent, service
    from goldfish.targets.declaration import Target, target
    from goldfish.world.sandbox import Sandbox

    __version__: str

__all__ = [
    "BaseStore",
    "BlockingMemoryStore",
    "ChatMessage",
    "Editing",
    "Embedder",
    "EmbedderError",
    "Expiring",
    "Fact",
    "FactNotFound",
    "Found",
    "GoldfishError",
    "InMemoryStore",
    "Listing",
    "MemoryStore",
    "MemoryStoreBackendError",
    "MemoryStoreClosedError",
    "MemoryStoreError",
    "MissingExtraError",
    "ModelMismatchError",
    "ModelNotFoundError",
    "PolicyTrimming",
    "PostgresMemoryStore",
    "Recollection",
    "RedisMemoryStore",
    "Remembering",
    "SQLiteMemoryStore",
    "Sandbox",
    "SchemaTooNewError",
    "Searching",
    "ServiceError",
    "Snapshot",
    "SnapshotNotFound",
    "Snapshotting",
    "Stating",
    "Target",
    "TargetError",
    "UnknownStoreURLError",
    "UnstorableError",
    "UsageError",
    "Violation",
    "adapt",
    "agent",
    "blocking",
    "open_store",
    "record",
    "service",
    "suite",
    "target",
]

# Names are looked up when they are first used, because pydantic takes longer to import than the
# command line takes to answer.
_HOMES = (
    "targets.declaration",
    "targets.agents",
    "plugin.suite",
    "errors",
    "messages",
    "protocols",
    "findings.result",
    "embedding.embedder",
    "replay.recorder",
    "world.sandbox",
    "stores.open",  # our own stores last: whoever asks for something else does not load them
    "stores.base",
    "stores.blocking",
    "stores.memory.store",
    "stores.sqlite.store",
    "stores.redis.store",
    "stores.postgres.store",
)


def __getattr__(name: str) -> Any:
    if name == "adapt":
        return import_module("goldfish.adapt")
    if name == "__version__":
        from importlib.metadata import version  # slow, and few ask

        return version("goldfish")
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"goldfish.{home}")
            if name in vars(module):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'goldfish' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
