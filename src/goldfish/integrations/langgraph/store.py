"""Our stores as a ``BaseStore`` of LangGraph: an item is a fact, a namespace is its user.

``put`` adds a fact with the key and the value as its metadata, and then forgets the earlier facts
of the same key. The facts of a namespace have one order, the same for every process, and the last
one of a key is the item. So the new value replaces the old one in one atomic step, and a process
that dies between the two steps leaves nothing that anybody sees.
"""

import os
import weakref
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
)

from goldfish.encoding import refuse_unstorable
from goldfish.integrations.langgraph.namespaces import (
    Namespace,
    list_matching,
    namespace_of,
    user_of,
)
from goldfish.messages import Fact, new_id
from goldfish.stores.facts.filters import Filter, parse
from goldfish.stores.remembering import RememberingStore
from goldfish.threads import LoopThread

EVERYTHING = 2**31
TRIES = 5  # to read all items and their scores in one state, while others write
NO_WORDS = "-"  # the text of an item that no query may find
WHOLE: tuple[str, ...] = ("$",)


class Scored(NamedTuple):
    """An item, and its score if there was a query."""

    namespace: Namespace
    fact: Fact
    score: float | None = None


class Store(BaseStore):
    """Long-term memory for a graph, over any store of ours.

    ``fields`` are the paths in a value whose texts are indexed, as in LangGraph's own index; by
    default, all texts are. ``ttl={"default_ttl": minutes}`` is for items that are put without one.
    Reads never renew the time that an item has left.
    """

    supports_ttl = True

    def __init__(
        self,
        store: RememberingStore,
        *,
        fields: Sequence[str] = WHOLE,
        ttl: TTLConfig | None = None,
    ) -> None:
        super().__init__()
        if ttl and ttl.get("refresh_on_read"):
            raise ValueError("refresh_on_read is not supported: leave it out")
        self.store = store
        self.index_config: dict[str, Any] = {"fields": list(fields)}
        self.ttl_config = TTLConfig(default_ttl=(ttl or {}).get("default_ttl"))
        self.ttl_config["refresh_on_read"] = False
        self._loop: tuple[int, LoopThread] | None = None

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """See ``abatch``; this one is for code without an event loop."""
        process = os.getpid()
        if self._loop is None or self._loop[0] != process:  # a loop does not survive a fork
            thread = LoopThread()
            self._loop = process, thread
            weakref.finalize(self, thread.leave)
        return self._loop[1].call(self.abatch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of the operations; put nothing if one of them is refused.

        All reads come before all writes.
        """
        asked = list(ops)
        puts = {
            (each.namespace, each.key): self._prepare(each)
            for each in asked
            if isinstance(each, PutOp)
        }
        results = [await self._read(each) for each in asked]
        for (namespace, key), new in puts.items():
            if new is None:
                await self._delete(namespace, key)
            else:
                await self._put(namespace, key, new)
        return results

    async def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return await self._get(op)
        if isinstance(op, SearchOp):
            return await self._search(op)
        if isinstance(op, ListNamespacesOp):
            living = [each for each in await self._namespaces() if await self._items(each)]
            return list_matching(living, op)
        if isinstance(op, PutOp):
            return None
        raise ValueError(f"{type(op).__name__} is not an operation of a store: use its methods")

    async def _get(self, op: GetOp) -> Item | None:
        versions = await self._versions(tuple(op.namespace), str(op.key))
        return _item(tuple(op.namespace), versions[-1]) if versions else None

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        prefix, wanted = tuple(op.namespace_prefix), parse_filter(op.filter)
        found: list[Scored] = []
        for namespace in await self._namespaces(prefix):
            found += await self._found(namespace, op.query)
        fitting = [each for each in found if all(one.matches(_value(each)) for one in wanted)]
        fitting.sort(key=_newest_first, reverse=True)
        if op.query:
            fitting.sort(key=_best_first)
        return [_search_item(each) for each in fitting[op.offset : op.offset + op.limit]]

    async def _found(self, namespace: Namespace, query: str | None) -> list[Scored]:
        """Return all items of one namespace, with a score for those that the query may find."""
        user_id, keeper = user_of(namespace), self.store._facts("")
        for left in reversed(range(TRIES)):
            hits = await keeper.recall(user_id, query, parse(None), 0, EVERYTHING) if query else []
            scores = {each.fact.id: each.score for each in hits}
            items = await self._items(namespace)
            if not query or not left or all(each.id in scores for each in items):
                break
        return [
            Scored(namespace, each, scores.get(each.id) if each.metadata["found"] else None)
            for each in items
        ]

    async def _items(self, namespace: Namespace) -> list[Fact]:
        """Return the items of one namespace, each in its last version."""
        keeper = self.store._facts("")
        facts = await keeper.page(user_of(namespace), parse(None), 0, None)
        return list({each.metadata["key"][0]: each for each in facts}.values())

    async def _versions(self, namespace: Namespace, key: str) -> list[Fact]:
        """Return all versions under a key, the item itself last."""
        keeper = self.store._facts("")
        return await keeper.page(user_of(namespace), parse({"key": [key]}), 0, None)

    async def _namespaces(self, prefix: Namespace = ()) -> list[Namespace]:
        """Return the namespaces that may hold items, at and below a prefix."""
        users = await self.store._facts("").users()
        known = filter(None, map(namespace_of, users))
        return [each for each in known if each[: len(prefix)] == prefix]

    def _prepare(self, op: PutOp) -> "Prepared | None":
        """Return what to put, or None to delete; raise if it would not come back as it is."""
        if op.value is None:
            return None
        value = dict(op.value)
        refuse_unstorable(value, "value")
        ttl = getattr(op, "ttl", None)
        if ttl is not None and not ttl > 0:
            raise ValueError(f"ttl must be more than 0 minutes (got {ttl}); omit it for no expiry")
        return Prepared(value, self._texts(op, value), None if ttl is None else ttl * 60)

    def _texts(self, op: PutOp, value: Mapping[str, Any]) -> list[str]:
        """Return the texts that a query finds the item by."""
        if op.index is False:
            return []
        fields = self.index_config["fields"] if op.index is None else op.index
        found: list[str] = []
        for path in fields:
            found += texts_in(value) if path == "$" else _texts_at(value, path)
        return [text for text in found if text.strip()]

    async def _put(self, namespace: Namespace, key: str, new: "Prepared") -> None:
        user_id, keeper = user_of(namespace), self.store._facts("")
        before = await self._versions(namespace, key)
        metadata: dict[str, Any] = {"key": [key], "value": new.value, "found": bool(new.texts)}
        if before:
            metadata["since"] = [_since(before[-1]).isoformat()]
        text = "\n".join(new.texts) or NO_WORDS
        put = await keeper.add(user_id, text, metadata, new.seconds, key=new_id())
        for each in await self._versions(namespace, key):  # also of those who put it meanwhile
            if each.id == put:
                break
            await keeper.forget(user_id, each.id)

    async def _delete(self, namespace: Namespace, key: str) -> None:
        """Forget all versions, the visible one last."""
        for each in await self._versions(namespace, key):
            await self.store._facts("").forget(user_of(namespace), each.id)


class Prepared(NamedTuple):
    """A value to put, the texts that a query finds it by, and its time to live."""

    value: dict[str, Any]
    texts: list[str]
    seconds: float | None


def parse_filter(wanted: Mapping[str, Any] | None) -> list[Filter]:
    """Return LangGraph's filter as ours, in which a plain value takes the place of ``$eq``."""
    found = []
    for key, value in (wanted or {}).items():
        if isinstance(value, dict) and "$eq" in value:
            found.append(parse({key: value["$eq"]}))
            value = {name: each for name, each in value.items() if name != "$eq"}
            if not value:
                continue
        found.append(parse({key: value}))
    return found


def texts_in(value: Any) -> list[str]:
    """Return all texts in a value, however deep."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for each in value for text in texts_in(each)] if isinstance(value, list) else []


def _texts_at(value: Mapping[str, Any], path: str) -> list[str]:
    return list(get_text_at_path(value, tokenize_path(path)))


def _since(fact: Fact) -> datetime:
    """Return when the item was first put."""
    first = fact.metadata.get("since")
    return datetime.fromisoformat(first[0]) if first else fact.created_at


def _value(found: Scored) -> dict[str, Any]:
    value: dict[str, Any] = found.fact.metadata["value"]
    return value


def _newest_first(found: Scored) -> datetime:
    return found.fact.updated_at


def _best_first(found: Scored) -> tuple[bool, float]:
    return found.score is None, -(found.score or 0.0)


def _item(namespace: Namespace, fact: Fact) -> Item:
    return Item(**_fields(namespace, fact))


def _search_item(found: Scored) -> SearchItem:
    return SearchItem(**_fields(found.namespace, found.fact), score=found.score)


def _fields(namespace: Namespace, fact: Fact) -> dict[str, Any]:
    return {
        "namespace": namespace,
        "key": fact.metadata["key"][0],
        "value": fact.metadata["value"],
        "created_at": _since(fact),
        "updated_at": fact.updated_at,
    }
