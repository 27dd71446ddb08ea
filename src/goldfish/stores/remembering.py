"""Facts in all our stores: arguments are validated here, and the engine of facts does the rest."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from goldfish.messages import Fact, Recollection
from goldfish.stores import arguments
from goldfish.stores.facts import filters
from goldfish.stores.facts.backend import FactsBackend
from goldfish.stores.facts.engine import FactEngine
from goldfish.stores.retrieval.embedder import LazyEmbedder

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder

RANKING = ("remember", "recall", "revise")  # the methods that need words, and an embedder


class RememberingStore(ABC):
    """The part of a store that is ``Remembering``.

    ``embedder`` turns texts into vectors: by default all-MiniLM-L6-v2, looked up when the first
    fact needs it; None recalls by words alone.
    """

    def __init__(self, embedder: "Embedder | Literal['default'] | None") -> None:
        self._embedder = LazyEmbedder(embedder)
        self._fact_engine: FactEngine | None = None
        self._facts_here: FactEngine | None = None

    @property
    def lacking(self) -> Mapping[str, str]:
        """The methods that cannot be used here, each with the reason in one sentence."""
        reason = self._embedder.lacking
        return {} if reason is None else dict.fromkeys(RANKING, reason)

    async def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
        key: str | None = None,
    ) -> Fact:
        """Store the fact, or count it again if the user has it.

        A fact that is equal but for case, spaces and a final full stop is the same: then the first
        text, metadata and ``updated_at`` stay, ``times_seen`` grows, and the later deadline counts.
        With ``ttl`` the fact is forgotten after that many seconds. ``near`` names the user's facts
        that say nearly the same; they are linked, never merged. What is stored is returned even if
        linking it fails: then it is linked when it is said again.

        A call repeated with the same ``key`` changes nothing and returns the fact as it is, for a
        day at least, or until that fact is forgotten: so a call whose answer was lost can be
        repeated and counts once.
        """
        facts = self._facts(user_id)
        arguments.require_words(text, "text")
        left = arguments.require_ttl(ttl)
        token = arguments.hash_key(key, "remember")
        return await facts.remember(user_id, text, metadata, left, token=token)

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name was promised to users
    ) -> list[Recollection]:
        """Return the user's facts that pass the filter, those that fit the query best first.

        ``score`` is made of the parts in ``why``: shared words, closeness in meaning, and whether
        the query names what is in the metadata.
        """
        facts = self._facts(user_id)
        arguments.require_text(query, "query")
        count, first = (
            arguments.require_count(limit, "limit"),
            arguments.require_count(offset, "offset"),
        )
        wanted = filters.parse(filter)
        return await facts.recall(user_id, query, wanted, first, count) if count else []

    async def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name was promised to users
    ) -> list[Fact]:
        """Return the user's facts that pass the filter, in the order first remembered."""
        facts = self._facts(user_id)
        count = None if limit is None else arguments.require_count(limit, "limit")
        first = arguments.require_count(offset, "offset")
        wanted = filters.parse(filter)
        return [] if count == 0 else await facts.page(user_id, wanted, first, count)

    async def get_fact(self, user_id: str, fact_id: str) -> Fact | None:
        """Return one fact of the user, or None."""
        facts = self._facts(user_id)
        return await facts.get(user_id, arguments.require_text(fact_id, "fact_id"))

    async def revise(
        self, user_id: str, fact_id: str, text: str, *, key: str | None = None
    ) -> Fact:
        """Replace what the fact says; nothing of the old text is recalled or listed again.

        Its id, metadata, deadline and ``created_at`` stay. An unknown fact is ``FactNotFound``; a
        text that another fact of the user has is refused, with the id of that one. A call repeated
        with the same ``key`` changes nothing, as for ``remember``, even if others have revised the
        fact since.
        """
        facts = self._facts(user_id)
        arguments.require_text(fact_id, "fact_id")
        token = arguments.hash_key(key, "revise", fact_id)
        return await facts.revise(
            user_id, fact_id, arguments.require_words(text, "text"), token=token
        )

    async def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """Return what the fact said before its revisions, oldest first; empty if unknown."""
        facts = self._facts(user_id)
        return await facts.history(user_id, arguments.require_text(fact_id, "fact_id"))

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove one fact and its history; an unknown one is a no-op."""
        facts = self._facts(user_id)
        await facts.forget(user_id, arguments.require_text(fact_id, "fact_id"))

    async def forget_all(self, user_id: str) -> None:
        """Remove every fact of the user, with all history."""
        await self._facts(user_id).forget_all(user_id)

    async def reembed(self) -> int:
        """Embed the facts of all users by the present model; return how many had another."""
        return await self._facts("").reembed()

    def _facts(self, user_id: str) -> FactEngine:
        self._admit()
        arguments.require_text(user_id, "user_id")
        if self._fact_engine is None:
            self._fact_engine = FactEngine(self._facts_backend(), self._embedder)
        return self._fact_engine

    def _facts_from_thread(self) -> FactEngine | None:
        """Return the facts for coroutines that ``run_here`` runs; None if this store has none.

        What the backend can do in the caller's thread is done there, without a hop to an event
        loop: none of its methods ever suspends.
        """
        facts = self._facts("")
        if self._facts_here is None and (backend := self._facts_backend_from_thread()):
            self._facts_here = facts.reach(backend)
        return self._facts_here

    @abstractmethod
    def _admit(self, session_id: str = "") -> None:
        """Raise if the store is closed."""

    @abstractmethod
    def _facts_backend(self) -> FactsBackend:
        """Return where this store keeps facts."""

    def _facts_backend_from_thread(self) -> FactsBackend | None:
        """Return the same for threads without an event loop, whose methods never suspend."""
        return None
