"""An adapter that is written once drives a library's sync methods, or awaits its async ones."""

import asyncio
import inspect

import pytest

from goldfish.integrations.two_ways import TwoWays, in_sync, settle


class Library:
    """Adds in two ways."""

    def add(self, number: int, *, twice: bool = False) -> str:
        return f"sync {number * 2 if twice else number}"

    async def aadd(self, number: int, *, twice: bool = False) -> str:
        await asyncio.sleep(0)
        return f"async {number * 2 if twice else number}"


class AsyncAdapter(TwoWays):
    """The coroutine, which is written once."""

    asynchronous = True

    async def add(self, number: int, *, twice: bool = False) -> str:
        """Add a number."""
        library = Library()
        return await self._call(library.add, library.aadd, number, twice=twice)


class Adapter(TwoWays):
    """Its sync twin."""

    add = in_sync(AsyncAdapter.add)
    wait = in_sync(lambda self: asyncio.sleep(0))


def test_each_adapter_calls_its_own_methods() -> None:
    """With the same arguments."""
    assert Adapter().add(1, twice=True) == "sync 2"
    assert asyncio.run(AsyncAdapter().add(1)) == "async 1"


def test_the_sync_twin_is_seen_as_a_plain_method_with_the_same_parameters() -> None:
    """By those who ask what a store can do."""
    assert not inspect.iscoroutinefunction(Adapter().add)
    assert list(inspect.signature(Adapter().add).parameters) == ["number", "twice"]


def test_what_the_library_raises_is_raised() -> None:
    """And a method that waits has no place in a sync adapter."""
    with pytest.raises(TypeError):
        Adapter().add(None, twice=True)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="waited"):
        Adapter().wait()


async def get(value: object) -> object:
    return await settle(value)


def test_a_value_settles_whether_or_not_it_is_awaited() -> None:
    """For libraries whose sync and async methods have one name."""
    assert asyncio.run(get(1)) == 1
    assert asyncio.run(get(asyncio.sleep(0, 2))) == 2
