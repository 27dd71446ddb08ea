"""The storages that are held to the model: each with several stores open on it at once."""

import asyncio
import contextlib
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import goldfish
from goldfish.model.answers import Opening
from goldfish.stores.base import BaseStore
from tests.stores.pods import _context

Call = tuple[str, tuple[Any, ...], dict[str, Any]]
Open = Callable[..., BaseStore]

RENEWING = 10_000.0
# How stores are opened on one storage; "other" is in another process.
OPENINGS = {
    "here": Opening(),
    "keeping": Opening(search=True, keep_trimmed=True),
    "renewing": Opening(ttl=RENEWING, search=True),
    "other": Opening(search=True),
}


async def outcome(store: BaseStore, call: Call) -> Any:
    """What the store answers, or the error that it raises."""
    name, arguments, options = call
    try:
        return await getattr(store, name)(*arguments, **options)
    except Exception as error:
        return error


class Place:
    """A storage and the stores that are open on it, by name."""

    def __init__(self, openings: dict[str, Opening], reopens: bool) -> None:
        self.openings = openings
        self.reopens = reopens

    async def ask(self, who: str, calls: list[Call]) -> list[Any]:
        """The outcomes of these calls, one after the other."""
        raise NotImplementedError

    async def reopen(self, who: str) -> None:
        """Close this store and open it again."""
        raise NotImplementedError

    async def renew(self) -> None:
        """Begin a new storage, whatever has become of this one."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close all stores."""


class MemoryPlace(Place):
    """One store that is its own storage."""

    def __init__(self, make: Callable[..., BaseStore], opening: Opening) -> None:
        super().__init__({"here": opening}, reopens=False)
        self._make = make
        self._store = make(embedder=None, **opening.options)

    async def ask(self, who: str, calls: list[Call]) -> list[Any]:
        """The outcomes of these calls."""
        return [await outcome(self._store, call) for call in calls]

    async def renew(self) -> None:
        """Forget all of it."""
        self._store = self._make(embedder=None, **self.openings["here"].options)


class SharedPlace(Place):
    """A storage outside of this process, if it has a URL with a store in another process too."""

    def __init__(self, begin: Callable[[], tuple[Open, str]], embedder: Any = None) -> None:
        self._begin = begin
        self._embedder = embedder
        self._stores: dict[str, BaseStore] = {}
        self._other: Other | None = None
        self._open, self._url = begin()
        openings = {name: how for name, how in OPENINGS.items() if name != "other" or self._url}
        super().__init__(openings, reopens=True)

    async def ask(self, who: str, calls: list[Call]) -> list[Any]:
        """The outcomes of these calls."""
        if who != "other":
            store = self._store(who)
            return [await outcome(store, call) for call in calls]
        if self._other is None:
            self._other = Other(self._url, self._options("other"))
        return self._other.ask(calls)

    async def reopen(self, who: str) -> None:
        """Close this store; it is opened again when it is asked next."""
        if who != "other":
            await self._store(who).aclose()
            del self._stores[who]
        elif self._other is not None:
            self._other.reopen(self._url)

    async def renew(self) -> None:
        """Leave this storage behind, as it is."""
        await self._close_here()
        self._open, self._url = self._begin()
        if self._other is not None:
            self._other.reopen(self._url)

    async def close(self) -> None:
        """Close all stores, and end the other process."""
        await self._close_here()
        if self._other is not None:
            self._other.end()
            self._other = None

    async def _close_here(self) -> None:
        for store in self._stores.values():
            await store.aclose()
        self._stores.clear()

    def _store(self, who: str) -> BaseStore:
        if who not in self._stores:
            self._stores[who] = self._open(**self._options(who))
        return self._stores[who]

    def _options(self, who: str) -> dict[str, Any]:
        return {"embedder": self._embedder, **self.openings[who].options}


class Other:
    """A process with a store of its own that does what it is told."""

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self._calls, theirs = _context.Pipe()
        arguments = (url, options, theirs)
        self._process: Any = _context.Process(target=_main, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, calls: list[Call]) -> list[Any]:
        """The outcomes of these calls."""
        self._calls.send(calls)
        answers: list[Any] = self._calls.recv()
        return answers

    def reopen(self, url: str) -> None:
        """Close the store and open one there."""
        self.ask([("reopen", (url,), {})])

    def end(self) -> None:
        """Close the store and end the process."""
        self._calls.close()
        self._process.join()


def _main(url: str, options: dict[str, Any], calls: Connection) -> None:
    asyncio.run(_serve(url, options, calls))


async def _serve(url: str, options: dict[str, Any], calls: Connection) -> None:
    store = goldfish.open_store(url, **options)
    with contextlib.suppress(EOFError):
        while True:
            wanted: list[Call] = calls.recv()
            if wanted[0][0] == "reopen":
                await store.aclose()
                store = goldfish.open_store(*wanted[0][1], **options)
                calls.send([])
            else:
                calls.send([await outcome(store, call) for call in wanted])
    await store.aclose()
