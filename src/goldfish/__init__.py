"""goldfish finds out whether an agent's memory forgets, and ships one that does not."""

from goldfish.bridge import BlockingMemoryStore, blocking
from goldfish.errors import (
    GoldfishError,
    MemoryStoreBackendError,
    MemoryStoreClosedError,
    MemoryStoreError,
    MissingExtraError,
    SchemaTooNewError,
    ServiceError,
    TargetError,
    UnknownStoreURLError,
    UnstorableError,
)
from goldfish.messages import ChatMessage, Fact, Found, Recollection, Snapshot
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
from goldfish.stores.memory import InMemoryStore
from goldfish.stores.open import open_store
from goldfish.stores.postgres import PostgresMemoryStore
from goldfish.stores.redis import RedisMemoryStore
from goldfish.stores.sqlite import SQLiteMemoryStore
from goldfish.target import Target, target
from goldfish.verdict import Violation

__all__ = [
    "BlockingMemoryStore",
    "ChatMessage",
    "Editing",
    "Expiring",
    "Fact",
    "Found",
    "GoldfishError",
    "InMemoryStore",
    "Listing",
    "MemoryStore",
    "MemoryStoreBackendError",
    "MemoryStoreClosedError",
    "MemoryStoreError",
    "MissingExtraError",
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
    "Snapshotting",
    "Stating",
    "Target",
    "TargetError",
    "UnknownStoreURLError",
    "UnstorableError",
    "Violation",
    "blocking",
    "open_store",
    "target",
]
