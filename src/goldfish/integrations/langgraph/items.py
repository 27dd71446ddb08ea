"""The items of a LangGraph store: each is a fact, whose user is its namespace.

The key of an item is the name of its fact, so that a new value takes the place of the old one in
one atomic step; key and value are the metadata of the fact.

An earlier goldfish gave no names: it added a fact, and then forgot the earlier ones with the same
key in their metadata. The facts of a namespace have one order, the same for every process, and the
last one of a key is the item. Where there are such facts, items are looked up that way.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from langgraph.store.base import GetOp, Item, ListNamespacesOp, SearchItem, SearchOp

from goldfish.integrations.langgraph.namespaces import (
    Namespace,
    list_matching,
    namespace_of,
    user_of,
)
from goldfish.messages import Fact
from goldfish.stores.facts.engine import FactEngine, Formerly, Told
from goldfish.stores.facts.filters import Filter, parse

EVERYTHING = 2**31
TRIES = 5  # to read all items and their scores in one state, while others write
NO_WORDS = "-"  # the text of an item that no query may find


class Scored(NamedTuple):
    """An item, and its score if there was a query."""

    namespace: Namespace
    fact: Fact
    score: float | None = None


class Prepared(NamedTuple):
    """A value to put, the texts that a query finds it by, and its time to live."""

    value: dict[str, Any]
    texts: list[str]
    seconds: float | None


class Items:
    """The items of all namespaces, over the facts of one store."""

    def __init__(self, facts: FactEngine) -> None:
        self._facts = facts

    async def get(self, op: GetOp) -> Item | None:
        """Return one item, or None."""
        namespace = tuple(op.namespace)
        versions = await self._versions(namespace, str(op.key))
        return _item(namespace, versions[-1]) if versions else None

    async def search(self, op: SearchOp) -> list[SearchItem]:
        """Return a page of the items at and below a prefix, the best or the newest first."""
        prefix, wanted = tuple(op.namespace_prefix), parse_filter(op.filter)
        found: list[Scored] = []
        for namespace in await self._namespaces(prefix):
            found += await self._found(namespace, op.query)
        fitting = [each for each in found if all(one.matches(_value(each)) for one in wanted)]
        fitting.sort(key=_newest_first, reverse=True)
        if op.query:
            fitting.sort(key=_best_first)
        return [_search_item(each) for each in fitting[op.offset : op.offset + op.limit]]

    async def list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        """Return a page of the namespaces that hold items."""
        living = [each for each in await self._namespaces() if await self._items(each)]
        return list_matching(living, op)

    async def _found(self, namespace: Namespace, query: str | None) -> list[Scored]:
        """Return all items of one namespace, with a score for those that the query may find."""
        user_id = user_of(namespace)
        for left in reversed(range(TRIES)):
            scores = await self._scores(user_id, query) if query else {}
            items = await self._items(namespace)
            if not query or not left or all(each.id in scores for each in items):
                break
        return [
            Scored(namespace, each, scores.get(each.id) if each.metadata["found"] else None)
            for each in items
        ]

    async def _scores(self, user_id: str, query: str) -> dict[str, float]:
        hits = await self._facts.recall(user_id, query, parse(None), 0, EVERYTHING)
        return {each.fact.id: each.score for each in hits}

    async def _items(self, namespace: Namespace) -> list[Fact]:
        """Return the items of one namespace, each in its last version."""
        facts = await self._facts.page(user_of(namespace), parse(None), 0, None)
        return list({each.metadata["key"][0]: each for each in facts}.values())

    async def _versions(self, namespace: Namespace, key: str) -> list[Fact]:
        """Return all facts of an item, of which the last one counts; one, if all have names."""
        user_id = user_of(namespace)
        fact, is_exact = await self._facts.find_named(user_id, key)
        if is_exact:
            return [] if fact is None else [fact]
        return await self._facts.page(user_id, parse({"key": [key]}), 0, None)

    async def _namespaces(self, prefix: Namespace = ()) -> list[Namespace]:
        """Return the namespaces that may hold items, at and below a prefix."""
        users = await self._facts.users()
        known = filter(None, map(namespace_of, users))
        return [each for each in known if each[: len(prefix)] == prefix]

    async def put(self, namespace: Namespace, key: str, new: Prepared) -> None:
        """Let an item have this value."""
        user_id = user_of(namespace)
        metadata = {"key": [key], "value": new.value, "found": bool(new.texts)}
        told = Told("\n".join(new.texts) or NO_WORDS, metadata, new.seconds)
        if not await self._facts.replace(user_id, key, told):
            versions = await self._versions(namespace, key)
            since = _since(versions[-1]) if versions else None
            former = Formerly([each.id for each in versions], since)
            await self._facts.replace(user_id, key, told, former)

    async def delete(self, namespace: Namespace, key: str) -> None:
        """Forget all versions, the visible one last."""
        for each in await self._versions(namespace, key):
            await self._facts.forget(user_of(namespace), each.id)


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


def _since(fact: Fact) -> datetime:
    """Return when the item was first put: of a fact without a name, that is in its metadata."""
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
