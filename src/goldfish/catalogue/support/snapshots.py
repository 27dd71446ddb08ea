"""Snapshots as checks save them, roll back to them, list them, and are killed meanwhile."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any

from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import EndedError, StoreError
from goldfish.harness.memory import Client, Memory, contents_of, identity


async def save(client: Client, session: str, **options: Any) -> Any:
    """Save a session and return the id of the snapshot."""
    name = identity(await client.call("save_snapshot", session, **options))
    if name is None:
        raise Violation("wrong: save_snapshot returned None, not the id of a snapshot")
    return name


async def roll_back(client: Client, session: str, name: Any) -> None:
    """Roll a session back; when this returns, it is acknowledged."""
    await client.call("rollback_to_snapshot", session, name)


async def list_snapshots(client: Client, session: str) -> list[Any]:
    """Return the ids of a session's snapshots in the order in which the store lists them."""
    return [identity(each) for each in await client.call("list_snapshots", session)]


async def expect_listed(client: Client, session: str, names: Sequence[Any]) -> None:
    """Raise unless these snapshots are listed in this order; a store may list others, too.

    Some stores return one id for two saves of the same state; it is listed once. A store without
    list_snapshots is not asked.
    """
    if not client.has("list_snapshots"):
        return
    names = [name for at, name in enumerate(names) if name not in names[:at]]
    found = await list_snapshots(client, session)
    missing = [name for name in names if name not in found]
    evidence = (f"saved {quote_list(names)}", f"listed {quote_list(found)}")
    if missing:
        raise Violation(
            f"lost: snapshot {quote(missing[0])} of session {quote(session)} was saved, but is not "
            f"listed ({len(missing)} of {len(names)} missing)",
            *evidence,
        )
    if [name for name in found if name in names] != list(names):
        raise Violation(
            f"reordered: the snapshots of session {quote(session)} are not listed oldest first",
            *evidence,
        )


async def expect_state(
    client: Client,
    session: str,
    name: Any,
    messages: Iterable[Any],
    *,
    gone: Iterable[Any] = (),
    foreign: Iterable[Any] = (),
) -> None:
    """Raise unless rolling a session back to a snapshot succeeds and restores these messages."""
    try:
        await roll_back(client, session, name)
    except StoreError as error:
        raise Violation(f"lost: a snapshot was saved, but rolling back fails: {error}") from error
    await client.expect(
        session, contents_of(messages), gone=contents_of(gone), foreign=contents_of(foreign)
    )


async def expect_refused(client: Client, what: str, method: str, *arguments: Any) -> None:
    """Raise if a call that has to fail returns."""
    try:
        await client.call(method, *arguments)
    except StoreError:
        return
    raise Violation(f"swallowed: {method} of {what} raised nothing")


class Aim:
    """Chooses when to kill a process, so that about half of them die before they answer."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._within = 0.0

    async def measure(self, client: Client, method: str, *arguments: Any) -> None:
        """Make the call undisturbed, and remember how long it takes."""
        start = time.perf_counter()
        await client.call(method, *arguments)
        self._within = 1.3 * (time.perf_counter() - start)

    def moment(self) -> float:
        """Return the seconds to wait after the call was made."""
        return self._random.uniform(0, self._within)

    def learn(self, took: float | None) -> None:
        """Aim at the time that the answer took; if there was none, aim later."""
        self._within = 1.2 * self._within if took is None else 1.1 * took


async def kill_during(
    memory: Memory,
    aim: Aim,
    method: str,
    session: str,
    *arguments: Any,
    victim: Client | None = None,
    sign: Callable[[], None] | None = None,
) -> tuple[bool, Any]:
    """Kill another process during its call; return whether it answered, and what.

    ``sign`` waits for the moment to kill it; without it, that is by chance.
    """
    victim = victim or await memory.elsewhere()
    await victim.history(session)  # so that lazy set-up is done
    start, ends = time.perf_counter(), list[float]()
    asking = asyncio.create_task(victim.call(method, session, *arguments))
    asking.add_done_callback(lambda _: ends.append(time.perf_counter()))
    await (asyncio.to_thread(sign) if sign else asyncio.sleep(aim.moment()))
    memory.kill(victim)
    try:
        answer = await asking
    except StoreError as error:
        if not isinstance(error.error, EndedError):
            raise
        aim.learn(None)
        return False, None
    aim.learn(time.perf_counter() - start if not ends else ends[0] - start)
    return True, answer


async def expect_one_of(
    client: Client, session: str, states: Sequence[Sequence[Any]], after: str
) -> int:
    """Return which of these states a session is in; raise ``torn`` if it is in none."""
    found = await client.contents(session)
    for number, state in enumerate(states):
        if found == contents_of(state):
            return number
    raise Violation(
        f"torn: after {after}, session {quote(session)} is in a state that it never had",
        *(f"may be {quote_list(contents_of(state))}" for state in states),
        f"read back {quote_list(found)}",
    )
