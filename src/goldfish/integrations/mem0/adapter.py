"""A memory of Mem0 as a store of facts, driven sync or async.

| ours                    | Mem0's                                                               |
|-------------------------|----------------------------------------------------------------------|
| ``remember``            | ``add(…, infer=False)``: the words as they are, without an LLM       |
| ``recall``              | ``search``, with the defaults of the library; it has no offset       |
| ``list_facts``          | ``get_all`` of every memory, in the order of ``created_at``          |
| ``get_fact``            | ``get``                                                              |
| ``revise``              | ``update``                                                           |
| ``forget``              | ``delete``, if ``get`` finds it: Mem0 refuses to delete the unknown  |
| ``forget_all``          | ``delete_all``                                                       |
| ``fact_history``        | ``history``                                                          |

An id of Mem0 has no user: ``get``, ``update`` and ``delete`` serve whoever has it, as documented.
So the adapter ignores ``user_id`` where a fact is named by its id, and declares ``scoped_ids =
False``. It copies nothing that Mem0 itself does not copy. ``*`` is Mem0's wildcard, which in a
filter matches every value, also of ``user_id``: the adapter refuses it as a user.
"""

import inspect
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal

from goldfish.errors import MemoryStoreError
from goldfish.integrations.times import NO_TIME, as_utc
from goldfish.integrations.two_ways import in_sync, settle
from goldfish.messages import Fact, Recollection

EVERYTHING = 1_000_000  # in place of Mem0's own limit, which is 20 or 100
Filter = Mapping[str, Any]


class _Declared:
    """What Mem0 offers, whatever vector store is below it."""

    recalls: Literal["meaning"] = "meaning"
    scoped_ids = False

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        # Old releases cannot filter a listing.
        can_filter = takes(memory.get_all, "filters")
        self.filters: Literal["equality"] | None = "equality" if can_filter else None

    def _add_arguments(self, user_id: str, metadata: Filter | None) -> dict[str, Any]:
        given = {"user_id": refuse_wildcard(user_id), "metadata": metadata}
        # Old releases have no ``infer``: they always ask a language model.
        return {**given, "infer": False} if takes(self._memory.add, "infer") else given


class AsyncMem0Memory(_Declared):
    """The store that awaits the methods of a ``mem0.AsyncMemory``."""

    async def remember(self, user_id: str, text: str, *, metadata: Filter | None = None) -> Fact:
        """Add the text as it is; return the fact that Mem0 then has."""
        answer = await settle(self._memory.add(text, **self._add_arguments(user_id, metadata)))
        return present_fact(await settle(self._memory.get(added_id(answer))))

    async def recall(
        self, user_id: str, query: str, *, limit: int = 5, filter: Filter | None = None
    ) -> list[Recollection]:
        """Return what a search finds, in its order."""
        scope = scope_arguments(self._memory.search, user_id, limit, filter)
        found = await settle(self._memory.search(query, **scope))
        return [to_recollection(item) for item in results(found)]

    async def list_facts(self, user_id: str, *, filter: Filter | None = None) -> list[Fact]:
        """Return all memories of the user, oldest first."""
        scope = scope_arguments(self._memory.get_all, user_id, EVERYTHING, filter)
        return oldest_first(await settle(self._memory.get_all(**scope)))

    async def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """Return the memory with this id, of whichever user."""
        item = await settle(self._memory.get(fact_id))
        return None if item is None else to_fact(item)

    async def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        """Update the memory; Mem0 raises if there is none."""
        await settle(self._memory.update(fact_id, text))
        return present_fact(await settle(self._memory.get(fact_id)))

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Delete the memory, if there is one."""
        if await settle(self._memory.get(fact_id)) is not None:
            await settle(self._memory.delete(fact_id))

    async def forget_all(self, user_id: str) -> None:
        """Delete all memories of the user."""
        await settle(self._memory.delete_all(user_id=refuse_wildcard(user_id)))

    async def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """Return the earlier texts of the memory, oldest first."""
        return earlier_facts(await settle(self._memory.history(fact_id)))


class Mem0Memory(_Declared):
    """The store that calls the methods of a ``mem0.Memory``."""

    remember = in_sync(AsyncMem0Memory.remember)
    recall = in_sync(AsyncMem0Memory.recall)
    list_facts = in_sync(AsyncMem0Memory.list_facts)
    get_fact = in_sync(AsyncMem0Memory.get_fact)
    revise = in_sync(AsyncMem0Memory.revise)
    forget = in_sync(AsyncMem0Memory.forget)
    forget_all = in_sync(AsyncMem0Memory.forget_all)
    fact_history = in_sync(AsyncMem0Memory.fact_history)


def mem0(memory: Any) -> Mem0Memory | AsyncMem0Memory:
    """Return a store of facts over a ``mem0.Memory``, or an async one over an ``AsyncMemory``.

    Facts are added as they are said (``infer=False``), so that no language model is needed.
    """
    return (AsyncMem0Memory if inspect.iscoroutinefunction(memory.add) else Mem0Memory)(memory)


def scope_arguments(method: Any, user_id: str, limit: int, chosen: Filter | None) -> dict[str, Any]:
    """Return the arguments that restrict a search or a listing to one user.

    In 1.x they are ``user_id=`` and ``limit=``, in 2.x ``filters={"user_id": …}`` and ``top_k=``.
    """
    if chosen and "user_id" in chosen:
        raise ValueError("Mem0 reserves user_id: store it in the metadata under another name")
    user_id = refuse_wildcard(user_id)
    most = "top_k" if takes(method, "top_k") else "limit"
    filters = dict(chosen or {})
    if not takes(method, "user_id"):
        return {"filters": {**filters, "user_id": user_id}, most: limit}
    return {"user_id": user_id, most: limit} | ({"filters": filters} if filters else {})


def takes(method: Any, parameter: str) -> bool:
    """Return True if the method has the parameter, which depends on the release."""
    return parameter in inspect.signature(method).parameters


def refuse_wildcard(user_id: str) -> str:
    """Return the id, unless it is ``*``, which matches every user in a filter of Mem0."""
    if user_id == "*":
        raise ValueError("Mem0 reads the user id '*' as every user: use another id")
    return user_id


def results(answer: Any) -> list[dict[str, Any]]:
    """Return the memories in an answer of Mem0."""
    return list(answer["results"] if isinstance(answer, Mapping) else answer)


def added_id(answer: Any) -> str:
    """Return the id of the memory that an ``add`` made."""
    made = results(answer)
    if not made:
        raise MemoryStoreError("mem0 added nothing: see its log for the reason")
    return str(made[0]["id"])


def present_fact(item: dict[str, Any] | None) -> Fact:
    """Return the fact in an item that was written just now; raise if Mem0 does not have it."""
    if item is None:
        raise MemoryStoreError("mem0 does not have what was written just now: see its log")
    return to_fact(item)


def to_fact(item: Mapping[str, Any]) -> Fact:
    """Return the item as a fact, unvalidated, so that checks see what Mem0 changed."""
    created = parse_time(item.get("created_at"))
    return Fact.model_construct(
        id=str(item["id"]),
        user_id=item.get("user_id", ""),
        text=item.get("memory"),
        metadata={} if item.get("metadata") is None else item["metadata"],
        created_at=created,
        updated_at=parse_time(item.get("updated_at"), created),
    )


def to_recollection(item: Mapping[str, Any]) -> Recollection:
    """Return a memory that a search found, with its score."""
    return Recollection.model_construct(fact=to_fact(item), score=float(item.get("score") or 0.0))


def oldest_first(answer: Any) -> list[Fact]:
    """Return all memories in an answer by age: Mem0 promises no order."""
    return sorted(map(to_fact, results(answer)), key=lambda each: each.created_at)


def earlier_facts(events: Iterable[Mapping[str, Any]]) -> list[Fact]:
    """Return what a memory said before each update; Mem0 keeps neither metadata nor user."""
    updates = sorted(
        (event for event in events if event["event"] == "UPDATE"),
        key=lambda event: parse_time(event["updated_at"]),
    )
    return [
        Fact.model_construct(
            id=str(event["memory_id"]),
            user_id="",
            text=event["old_memory"],
            metadata={},
            created_at=parse_time(event["created_at"]),
            updated_at=parse_time(event["updated_at"]),
        )
        for event in updates
    ]


def parse_time(text: str | None, default: datetime = NO_TIME) -> datetime:
    """Return the time that Mem0 stored, or the default.

    Metadata named ``created_at`` replaces it, and may be anything.
    """
    try:
        return as_utc(datetime.fromisoformat(text or ""))
    except (TypeError, ValueError):
        return default
