"""Our stores as a ``BaseStore`` of LangGraph: ``items`` says what an item is among our facts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
)

from goldfish.encoding import refuse_unstorable
from goldfish.integrations.langgraph.items import Items, Prepared
from goldfish.integrations.two_ways import run_here
from goldfish.stores.remembering import RememberingStore
from goldfish.threads import in_event_loop, wait_for

WHOLE: tuple[str, ...] = ("$",)


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

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """See ``abatch``; this one is for code without an event loop."""
        facts = None if in_event_loop() else self.store._facts_from_thread()
        if facts is None:
            return wait_for(self.abatch(ops))
        return run_here(self._run(Items(facts), ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Return the results of the operations; put nothing if one of them is refused.

        All reads come before all writes.
        """
        return await self._run(Items(self.store._facts("")), ops)

    async def _run(self, items: Items, ops: Iterable[Op]) -> list[Result]:
        asked = list(ops)
        puts = {
            (each.namespace, each.key): self._prepare(each)
            for each in asked
            if isinstance(each, PutOp)
        }
        results = [await _read(items, each) for each in asked]
        for (namespace, key), new in puts.items():
            if new is None:
                await items.delete(namespace, key)
            else:
                await items.put(namespace, key, new)
        return results

    def _prepare(self, op: PutOp) -> Prepared | None:
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


def texts_in(value: Any) -> list[str]:
    """Return all texts in a value, however deep."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    return [text for each in value for text in texts_in(each)] if isinstance(value, list) else []


def _texts_at(value: Mapping[str, Any], path: str) -> list[str]:
    return list(get_text_at_path(value, tokenize_path(path)))


async def _read(items: Items, op: Op) -> Result:
    if isinstance(op, GetOp):
        return await items.get(op)
    if isinstance(op, SearchOp):
        return await items.search(op)
    if isinstance(op, ListNamespacesOp):
        return await items.list_namespaces(op)
    if isinstance(op, PutOp):
        return None
    raise ValueError(f"{type(op).__name__} is not an operation of a store: use its methods")
