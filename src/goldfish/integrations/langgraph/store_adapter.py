"""A store of LangGraph as a store of facts, driven sync or async: one namespace for each user.

| ours                    | LangGraph's                                                          |
|-------------------------|----------------------------------------------------------------------|
| ``remember``            | ``put`` under a new key; ``ttl`` in its minutes, if it supports one  |
| ``recall``              | ``search`` with a query, if the store has an index                   |
| ``list_facts``          | ``search`` without a query, in the order that it gives               |
| ``get_fact``            | ``get``                                                              |
| ``revise``              | ``put`` under the same key, if ``get`` finds something there         |
| ``forget``              | ``delete``                                                           |

A value is the metadata, which filters look at, and the text of the fact in one more field
(metadata of that name gets an underscore). The adapter copies nothing that LangGraph itself does
not copy. LangGraph has no call that empties a namespace, and keeps no earlier values: there is no
``forget_all`` and no ``fact_history``.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, overload
from uuid import uuid4

from langgraph.store.base import BaseStore, Item, SearchItem

from goldfish.integrations.times import as_utc
from goldfish.integrations.two_ways import TwoWays, in_sync
from goldfish.messages import Fact, Recollection

EVERYTHING = 1_000_000  # what to ask for in place of the library's own limit, which is 10
ROOT = "memories"
KEYED = "a store puts values under keys, and does not compare what they say"
NO_INDEX = "the store has no index: semantic search is disabled by default"
Filter = Mapping[str, Any]
Parts = Callable[[str], list[str]]


class _Namespaces(TwoWays):
    """What a store keeps of a fact and what it does not promise, whatever is below it."""

    recalls: Literal["words", "meaning"] = "words"
    filters: Literal["comparison"] = "comparison"
    declines: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("DUP05", "DUP06", "DUP07", "DUP10", "DUP11"), KEYED),
        "FID35": "values are JSON with string keys, as documented: others may be made such",
        "REC14": "a search without a query has no promised order",
        "REC20": "its operators are $eq, $ne, $gt, $gte, $lt and $lte, as documented",
        "REC23": "its documentation compares numbers, and says nothing of times",
        "TTL34": "a put replaces the item and its time to live: one without a ttl has the default",
    }

    def __init__(self, store: BaseStore, field: str = "text", parts: Parts | None = None) -> None:
        self._store = store
        self._field = field
        self._parts = parts
        indexed = getattr(store, "index_config", None)
        self.lacking = {} if indexed else {"recall": NO_INDEX}

    def _value(self, text: str, metadata: Filter | None) -> dict[str, Any]:
        noted = {self._aside(key): value for key, value in (metadata or {}).items()}
        return {**noted, self._field: self._parts(text) if self._parts else text}

    def _aside(self, key: Any) -> Any:
        """Return the field for metadata of this name, which may be that of the text itself."""
        return f"{key}_" if self._is_ours(key) else key

    def _is_ours(self, key: Any) -> bool:
        return isinstance(key, str) and key.rstrip("_") == self._field

    def _metadata(self, value: Filter) -> dict[str, Any]:
        """Return what a value holds beside the text."""
        beside = ((key, each) for key, each in value.items() if key != self._field)
        return {key[:-1] if self._is_ours(key) else key: each for key, each in beside}

    async def _search(
        self, user_id: str, limit: int | None, offset: int, chosen: Filter | None, **more: Any
    ) -> list[SearchItem]:
        """Return one page of a search in the user's namespace."""
        more["limit"] = EVERYTHING if limit is None else limit
        more["filter"] = {self._aside(key): value for key, value in (chosen or {}).items()} or None
        search = self._store.search, self._store.asearch
        return await self._call(*search, namespace(user_id), offset=offset, **more)

    async def _get(self, user_id: str, key: str) -> Item | None:
        return await self._call(self._store.get, self._store.aget, namespace(user_id), key)

    async def _put_under(
        self, key: str, user_id: str, text: str, metadata: Filter | None, **options: Any
    ) -> Fact:
        value, put = self._value(text, metadata), (self._store.put, self._store.aput)
        await self._call(*put, namespace(user_id), key, value, **options)
        # As it was given: ``put`` returns nothing.
        return Fact.model_construct(
            id=key, user_id=user_id, text=text, metadata=dict(metadata or {})
        )

    def _fact(self, user_id: str, item: Item) -> Fact:
        """Return the item as a fact, unvalidated, so that checks see what the library changed."""
        said = item.value.get(self._field)
        return Fact.model_construct(
            id=item.key,
            user_id=user_id,
            text="".join(said) if isinstance(said, list) else said,
            metadata=self._metadata(item.value),
            created_at=as_utc(item.created_at),
            updated_at=as_utc(item.updated_at),
        )

    def _recollection(self, user_id: str, item: SearchItem) -> Recollection:
        fact = self._fact(user_id, item)
        return Recollection.model_construct(fact=fact, score=item.score or 0.0)


class AsyncLangGraphStoreMemory(_Namespaces):
    """The store of facts that awaits the async methods of a ``BaseStore``."""

    asynchronous = True

    def __init__(self, store: BaseStore, field: str = "text", parts: Parts | None = None) -> None:
        super().__init__(store, field, parts)
        self.remember = self._put_for if _expires(store) else self._put

    async def _put(self, user_id: str, text: str, *, metadata: Filter | None = None) -> Fact:
        """Put the fact under a new key."""
        return await self._put_under(uuid4().hex, user_id, text, metadata)

    async def _put_for(
        self, user_id: str, text: str, *, metadata: Filter | None = None, ttl: float | None = None
    ) -> Fact:
        """Put the fact under a new key, for a time."""
        return await self._put_under(uuid4().hex, user_id, text, metadata, **in_minutes(ttl))

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Filter | None = None,
    ) -> list[Recollection]:
        """Return what a search finds, in its order."""
        found = await self._search(user_id, limit, offset, filter, query=query)
        return [self._recollection(user_id, item) for item in found]

    async def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Filter | None = None,
    ) -> list[Fact]:
        """Return what a search without a query finds, in its order."""
        found = await self._search(user_id, limit, offset, filter)
        return [self._fact(user_id, item) for item in found]

    async def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """Return the item with this key in the user's namespace."""
        item = await self._get(user_id, fact_id)
        return None if item is None else self._fact(user_id, item)

    async def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        """Replace the text under the key, and keep the metadata."""
        item = await self._get(user_id, fact_id)
        if item is None:
            raise LookupError(f"there is no item {fact_id!r} in the namespace: remember it first")
        return await self._put_under(fact_id, user_id, text, self._metadata(item.value))

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Delete the item."""
        store = self._store
        await self._call(store.delete, store.adelete, namespace(user_id), fact_id)


class LangGraphStoreMemory(_Namespaces):
    """The store of facts that calls the sync methods of a ``BaseStore``."""

    threads = True  # a store is shared by the threads of a server

    def __init__(self, store: BaseStore, field: str = "text", parts: Parts | None = None) -> None:
        super().__init__(store, field, parts)
        self.remember = self._put_for if _expires(store) else self._put

    _put = in_sync(AsyncLangGraphStoreMemory._put)
    _put_for = in_sync(AsyncLangGraphStoreMemory._put_for)
    recall = in_sync(AsyncLangGraphStoreMemory.recall)
    list_facts = in_sync(AsyncLangGraphStoreMemory.list_facts)
    get_fact = in_sync(AsyncLangGraphStoreMemory.get_fact)
    revise = in_sync(AsyncLangGraphStoreMemory.revise)
    forget = in_sync(AsyncLangGraphStoreMemory.forget)


@overload
def langgraph_store(
    store: BaseStore, *, field: str = "text", asynchronous: Literal[False] = False
) -> LangGraphStoreMemory: ...


@overload
def langgraph_store(
    store: BaseStore, *, field: str = "text", asynchronous: Literal[True]
) -> AsyncLangGraphStoreMemory: ...


def langgraph_store(
    store: BaseStore, *, field: str = "text", asynchronous: bool = False
) -> LangGraphStoreMemory | AsyncLangGraphStoreMemory:
    """Return a store of facts over a store of LangGraph, with one namespace for each user.

    ``field`` is the field of a value that holds the text, one of those that its index embeds.
    ``asynchronous=True`` awaits the async methods of the store instead.
    """
    return (AsyncLangGraphStoreMemory if asynchronous else LangGraphStoreMemory)(store, field)


def namespace(user_id: str) -> tuple[str, str]:
    """Return the namespace of a user; LangGraph documents that a label has no full stop in it."""
    return ROOT, user_id.replace("\\", "\\\\").replace(".", "\\p")


def in_minutes(seconds: float | None) -> dict[str, float]:
    """Return the argument for a time to live, in LangGraph's minutes; none if there is none."""
    return {} if seconds is None else {"ttl": seconds / 60}


def split_text(text: str) -> list[str]:
    """Cut a text between words into parts that an embedder reads whole; joined they are it."""
    return re.findall(r".{1,200}(?:\s|$)|.{1,200}", text, re.DOTALL) or [""]


def _expires(store: BaseStore) -> bool:
    """Return True if its ``put`` takes a time to live; older releases do not."""
    return bool(getattr(store, "supports_ttl", False))
