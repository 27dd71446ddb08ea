"""goldfish finds out whether an agent's memory forgets, and ships one that does not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from goldfish import adapt
from goldfish.suite import suite
from goldfish.target import Target, target

if TYPE_CHECKING:
    from goldfish.bridge import BlockingMemoryStore, blocking
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
    from goldfish.messages import ChatMessage, Fact, Found, Recollection, Snapshot
    from goldfish.recording import record
    from goldfish.store import (
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
    from goldfish.stores.base import BaseStore
    from goldfish.stores.memory import InMemoryStore
    from goldfish.stores.open import open_store
    from goldfish.stores.postgres import PostgresMemoryStore
    from goldfish.stores.redis import RedisMemoryStore
    from goldfish.stores.sqlite import SQLiteMemoryStore
    from goldfish.verdict import Violation

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
    "blocking",
    "open_store",
    "record",
    "suite",
    "target",
]

# Names are looked up when they are first used, because pydantic takes longer to import than the
# command line takes to answer. (`suite` and `target` are light, and share their modules' names.)
_HOMES = (
    "bridge",
    "embedding.embedder",
    "errors",
    "messages",
    "recording",
    "store",
    "stores.base",
    "stores.memory",
    "stores.open",
    "stores.postgres",
    "stores.redis",
    "stores.sqlite",
    "verdict",
)


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"goldfish.{home}")
            if name in vars(module):
                globals()[name] = getattr(module, name)
                return globals()[name]
    raise AttributeError(f"module 'goldfish' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
