"""A store in this process: whatever it is written like, its methods are called as it expects."""

import asyncio
from collections.abc import Awaitable, Iterator
from typing import Any

from goldfish.harness.local import LocalClient
from goldfish.targets.declaration import Target


class Plain:
    """A store without ``async`` in its methods."""

    def add_messages(self, session_id: str, messages: list[Any]) -> list[str]:
        """Run a loop of its own, as ``Runner.run_sync`` and the like do."""

        async def write() -> list[str]:
            await asyncio.sleep(0)
            return [session_id, *messages]

        return asyncio.run(write())

    def get_history(self, session_id: str) -> Iterator[str]:
        """Yield pieces, each out of a loop of its own."""
        yield asyncio.run(asyncio.sleep(0, session_id))
        yield asyncio.run(asyncio.sleep(0, "more"))

    def trim(self, session_id: str, *, keep_last: int) -> str:
        """Run the loop of the thread, as ``agent.run_sync`` does; without one it makes one."""
        try:
            loop = asyncio.get_event_loop()
        except RuntimeError:
            loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(asyncio.sleep(0, session_id))
        finally:
            loop.close()

    def clear(self, session_id: str) -> Awaitable[str]:
        """Start a task in the loop that runs, and return it."""
        return asyncio.get_running_loop().create_task(asyncio.sleep(0, session_id))


class Mixed:
    """A store with async methods, one of which is not."""

    def __init__(self) -> None:
        self.added: list[Any] = []

    def add_messages(self, session_id: str, messages: list[Any]) -> Awaitable[list[Any]]:
        """Write, and start a task that goes on with it."""
        self.added += messages
        return asyncio.get_running_loop().create_task(self.get_history(session_id))

    async def get_history(self, session_id: str) -> list[Any]:
        """Return what was added."""
        return self.added


async def _ask(method: str, *arguments: Any, kind: type = Plain, **options: Any) -> Any:
    client = await LocalClient.open(Target("plain", lambda sandbox: kind()), None, deadline=10)
    try:
        return await client.call(method, *arguments, deadline=10, **options)
    finally:
        await client.close(deadline=10)


def test_a_method_that_is_not_async_may_run_an_event_loop() -> None:
    """``asyncio.run`` in a sync method is no error: production calls it outside of any loop."""
    assert asyncio.run(_ask("add_messages", "s1", ["a"])) == ["s1", "a"]


def test_a_generator_may_run_an_event_loop() -> None:
    """Each piece of a sync generator may come of a loop of its own."""
    assert asyncio.run(_ask("get_history", "s1")) == ["s1", "more"]


def test_a_method_that_is_not_async_may_start_a_task() -> None:
    """A method that wants a running loop, to return a task, finds one."""
    assert asyncio.run(_ask("clear", "s1")) == "s1"


def test_a_method_that_is_not_async_may_run_the_loop_of_its_thread() -> None:
    """The loop of the harness is not the thread's: it would be running already."""
    assert asyncio.run(_ask("trim", "s1", keep_last=1)) == "s1"


def test_an_async_store_finds_its_loop_at_the_first_try() -> None:
    """Also in a method that is not async: what it did before it failed would be done twice."""
    assert asyncio.run(_ask("add_messages", "s1", ["a"], kind=Mixed)) == ["a"]


class Stuck:
    """A store of which a call for one session never returns, and one for another takes longer."""

    async def add_messages(self, session_id: str, messages: list[Any]) -> None:
        """Wait for ever."""
        await asyncio.get_running_loop().create_future()

    async def get_history(self, session_id: str) -> list[Any]:
        """Return nothing."""
        return []


def test_what_waits_beside_a_call_that_never_returns_is_wedged_too() -> None:
    """Its thread is given up: whichever of them is told of, the memory is to blame."""

    async def ask_both() -> list[Any]:
        client = await LocalClient.open(Target("stuck", lambda sandbox: Stuck()), None, deadline=10)
        first = client.call("add_messages", "s1", [], deadline=0.3)
        second = client.call("add_messages", "s2", [], deadline=30)
        return list(await asyncio.gather(first, second, return_exceptions=True))

    told = [str(each) for each in asyncio.run(ask_both())]
    assert "add_messages did not return within 0.3 s" in told[0]
    assert "add_messages waited beside a call that never returned" in told[1]
