"""A memory of Mem0, sync or async, as a store of facts.

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

An id of Mem0 has no user: ``get``, ``update`` and ``delete`` serve whoever has it, and Mem0
promises nothing else. So ``user_id`` is not looked at where a fact is named by its id, and what
checks ask about the ids of other users is unsupported (``scoped_ids``), neither held nor broken.
Nothing is copied that Mem0 itself does not copy. ``*`` is Mem0's wildcard: in a filter it matches
every value, also of ``user_id``; so nobody may be called so, and the adapter refuses it.
"""

import inspect
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from goldfish.errors import MemoryStoreError
from goldfish.messages import Fact, Recollection

EVERYTHING = 1_000_000  # what to ask for in place of Mem0's own limit, which is 20 or 100
NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)
Filter = Mapping[str, Any]


class _Declared:
    """What Mem0 offers, whatever vector store is below it."""

    recalls: Literal["meaning"] = "meaning"
    scoped_ids = False

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        # Old releases list all memories of a user or none.
        listing = offers(memory.get_all, "filters")
        self.filters: Literal["equality"] | None = "equality" if listing else None

    def _adding(self, user_id: str, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
        asked = {"user_id": one_user(user_id), "metadata": metadata}
        # Old releases have no such choice: they always ask a language model.
        return {**asked, "infer": False} if offers(self._memory.add, "infer") else asked

    def _searching(self, user_id: str, limit: int, chosen: Filter | None) -> dict[str, Any]:
        return scoped(self._memory.search, user_id, limit, chosen)

    def _listing(self, user_id: str, chosen: Filter | None) -> dict[str, Any]:
        return scoped(self._memory.get_all, user_id, EVERYTHING, chosen)


class Mem0Memory(_Declared):
    """The store that calls the methods of a ``mem0.Memory``."""

    def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        """Add the text as it is; the fact is what Mem0 then has."""
        answer = self._memory.add(text, **self._adding(user_id, metadata))
        return present(self._memory.get(added_id(answer)))

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        filter: Filter | None = None,
    ) -> list[Recollection]:
        """What a search gives, in its order."""
        found = self._memory.search(query, **self._searching(user_id, limit, filter))
        return [recollection(item) for item in results(found)]

    def list_facts(self, user_id: str, *, filter: Filter | None = None) -> list[Fact]:
        """All memories of the user, oldest first."""
        return oldest_first(self._memory.get_all(**self._listing(user_id, filter)))

    def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """The memory with this id, whoever's it is."""
        item = self._memory.get(fact_id)
        return None if item is None else fact(item)

    def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        """Update the memory; Mem0 raises if there is none."""
        self._memory.update(fact_id, text)
        return present(self._memory.get(fact_id))

    def forget(self, user_id: str, fact_id: str) -> None:
        """Delete the memory, if there is one."""
        if self._memory.get(fact_id) is not None:
            self._memory.delete(fact_id)

    def forget_all(self, user_id: str) -> None:
        """Delete all memories of the user."""
        self._memory.delete_all(user_id=one_user(user_id))

    def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """What the memory said before, oldest first."""
        return earlier(self._memory.history(fact_id))


class AsyncMem0Memory(_Declared):
    """The store that awaits the methods of a ``mem0.AsyncMemory``."""

    async def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> Fact:
        """Add the text as it is; the fact is what Mem0 then has."""
        answer = await self._memory.add(text, **self._adding(user_id, metadata))
        return present(await self._memory.get(added_id(answer)))

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        filter: Filter | None = None,
    ) -> list[Recollection]:
        """What a search gives, in its order."""
        found = await self._memory.search(query, **self._searching(user_id, limit, filter))
        return [recollection(item) for item in results(found)]

    async def list_facts(self, user_id: str, *, filter: Filter | None = None) -> list[Fact]:
        """All memories of the user, oldest first."""
        return oldest_first(await self._memory.get_all(**self._listing(user_id, filter)))

    async def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """The memory with this id, whoever's it is."""
        item = await self._memory.get(fact_id)
        return None if item is None else fact(item)

    async def revise(self, user_id: str, fact_id: str, text: str) -> Fact:
        """Update the memory; Mem0 raises if there is none."""
        await self._memory.update(fact_id, text)
        return present(await self._memory.get(fact_id))

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Delete the memory, if there is one."""
        if await self._memory.get(fact_id) is not None:
            await self._memory.delete(fact_id)

    async def forget_all(self, user_id: str) -> None:
        """Delete all memories of the user."""
        await self._memory.delete_all(user_id=one_user(user_id))

    async def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """What the memory said before, oldest first."""
        return earlier(await self._memory.history(fact_id))


def scoped(method: Any, user_id: str, limit: int, chosen: Filter | None) -> dict[str, Any]:
    """The arguments that keep a search or a listing to one user, as this Mem0 takes them.

    In 1.x they are ``user_id=`` and ``limit=``, in 2.x ``filters={"user_id": …}`` and ``top_k=``.
    """
    if chosen and "user_id" in chosen:
        raise ValueError("user_id is Mem0's own: keep it in the metadata by another name")
    user_id = one_user(user_id)
    most = "top_k" if offers(method, "top_k") else "limit"
    filters = dict(chosen or {})
    if not offers(method, "user_id"):
        return {"filters": {**filters, "user_id": user_id}, most: limit}
    return {"user_id": user_id, most: limit} | ({"filters": filters} if filters else {})


def offers(method: Any, parameter: str) -> bool:
    """Whether this release's method has the parameter."""
    return parameter in inspect.signature(method).parameters


def one_user(user_id: str) -> str:
    """The id, if it names one user: Mem0 takes ``*`` in a filter for every value there is."""
    if user_id == "*":
        raise ValueError("'*' is every user to Mem0: give the user another id")
    return user_id


def results(answer: Any) -> list[dict[str, Any]]:
    """The memories in an answer of Mem0."""
    return list(answer["results"] if isinstance(answer, Mapping) else answer)


def added_id(answer: Any) -> str:
    """The id of the memory that an ``add`` made."""
    made = results(answer)
    if not made:
        raise MemoryStoreError("mem0 added nothing: see its log for the reason")
    return str(made[0]["id"])


def present(item: dict[str, Any] | None) -> Fact:
    """The fact in an item that must be there, for it was written just now."""
    if item is None:
        raise MemoryStoreError("mem0 does not have what it was told just now: see its log")
    return fact(item)


def fact(item: Mapping[str, Any]) -> Fact:
    """Our fact that says the same, unvalidated: what the library changed is to be seen."""
    created = time_of(item.get("created_at"))
    return Fact.model_construct(
        id=str(item["id"]),
        user_id=item.get("user_id", ""),
        text=item.get("memory"),
        metadata={} if item.get("metadata") is None else item["metadata"],
        created_at=created,
        updated_at=time_of(item.get("updated_at"), created),
    )


def recollection(item: Mapping[str, Any]) -> Recollection:
    """A memory that a search found, with its score."""
    return Recollection.model_construct(fact=fact(item), score=float(item.get("score") or 0.0))


def oldest_first(answer: Any) -> list[Fact]:
    """All memories in an answer, in the order of their making, for Mem0 gives them in none."""
    return sorted(map(fact, results(answer)), key=lambda each: each.created_at)


def earlier(events: Iterable[Mapping[str, Any]]) -> list[Fact]:
    """What a memory said before each of its updates; Mem0 keeps no metadata or user with it."""
    updates = sorted(
        (event for event in events if event["event"] == "UPDATE"),
        key=lambda event: time_of(event["updated_at"]),
    )
    return [
        Fact.model_construct(
            id=str(event["memory_id"]),
            user_id="",
            text=event["old_memory"],
            metadata={},
            created_at=time_of(event["created_at"]),
            updated_at=time_of(event["updated_at"]),
        )
        for event in updates
    ]


def time_of(told: str | None, otherwise: datetime = NO_TIME) -> datetime:
    """The time that Mem0 wrote down, which is UTC where it says nothing else.

    Metadata called ``created_at`` take its place, and may be anything.
    """
    try:
        time = datetime.fromisoformat(told or "")
    except (TypeError, ValueError):
        return otherwise
    return time if time.tzinfo else time.replace(tzinfo=UTC)
