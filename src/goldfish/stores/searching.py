"""Searching in all our stores that can: switched on when a store is made."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from goldfish.errors import MemoryStoreError
from goldfish.messages import ChatMessage, Found
from goldfish.stores.base import BaseStore
from goldfish.stores.search.backend import Embedded, SearchBackend
from goldfish.stores.search.engine import SearchEngine

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder

NOT_SWITCHED_ON = "this store was made without search: make it with search=True"


class SearchingStore(BaseStore):
    """A store that is ``Searching``, if it is made with ``search``.

    With ``keep_trimmed`` a search also finds what a trim has removed from the history; clearing
    or deleting it removes it there, too.
    """

    def __init__(
        self,
        *,
        ttl: float | None = None,
        embedder: "Embedder | Literal['default'] | None" = "default",
        search: bool = False,
        keep_trimmed: bool = False,
    ) -> None:
        super().__init__(ttl=ttl, embedder=embedder)
        if keep_trimmed and not search:
            raise ValueError("keep_trimmed keeps messages for searches: add search=True")
        self._searches = search
        self._keep_trimmed = keep_trimmed
        self._search_engine: SearchEngine | None = None

    @property
    def lacking(self) -> Mapping[str, str]:
        """The methods that cannot be used here, each with the reason in one sentence."""
        reason = self._embedder.lacking if self._searches else NOT_SWITCHED_ON
        others = {name: why for name, why in super().lacking.items() if name != "search_history"}
        return others if reason is None else {**others, "search_history": reason}

    async def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        """Return the messages of these sessions that fit the query, best first.

        ``score`` is the sum of the parts in ``why``: shared words, closeness in meaning, what the
        messages around it say, whether the query names who spoke or when, and whether a message
        says enough to be an answer. Every word of a message counts; its meaning is that of at most
        16 windows of the model, which a longer one has spread evenly from beginning to end.
        """
        wanted, count = self._validate_search(session_ids, query, limit)
        if not self._searches:
            raise MemoryStoreError(NOT_SWITCHED_ON)
        if not wanted or not query.strip() or not count:
            return []
        return await self._search().search(wanted, query, count)

    async def reembed(self) -> int:
        """Embed all facts by the present model, and all messages when they are searched next.

        Return how many had vectors: of another model for facts, of any model for messages.
        """
        messages = await self._search().forget_vectors()
        return messages + await super().reembed()

    async def _embed(self, messages: Sequence[ChatMessage]) -> Embedded:
        return await self._search().embed(messages)

    def _search(self) -> SearchEngine:
        if self._search_engine is None:
            self._search_engine = SearchEngine(self._search_backend(), self._embedder)
        return self._search_engine

    @abstractmethod
    def _search_backend(self) -> SearchBackend:
        """Return where this store keeps what was said."""
