"""What the interview asks about snapshots and values: what a rollback and a clear leave."""

from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.support.refusals import is_rule
from goldfish.catalogue.support.sessions import write_session
from goldfish.catalogue.support.snapshots import list_snapshots, roll_back, save
from goldfish.catalogue.support.state import Owner, fetch, offer, put
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of


async def find_label(memory: Memory) -> str:
    """Return the parameter by which a caller has to name a snapshot; empty if it need not."""
    client, parameters = memory.client, memory.client.opened.methods["save_snapshot"] or []
    session, _ = await write_session(memory, 1)
    try:
        await client.call("save_snapshot", session)
    except StoreError:
        for name in parameters[1:]:
            if await _is_named(memory, session, name):
                return name
    return ""


async def _is_named(memory: Memory, session: str, parameter: str) -> bool:
    try:
        await memory.client.call("save_snapshot", session, **{parameter: "before lunch"})
    except StoreError:
        return False
    return True


async def are_snapshots_in_order(memory: Memory) -> bool | None:
    """Return False if the snapshots of a session are listed newest first."""
    client, (session, _) = memory.client, await write_session(memory, 1)
    saved = []
    for _ in range(4):
        await client.add(session, memory.messages(1))
        saved.append(await save(client, session))
    listed = await list_snapshots(client, session)
    return listed != saved[::-1] if saved[0] != saved[-1] else None


async def do_later_snapshots_stay(memory: Memory) -> bool | None:
    """Return False if a rollback removes the snapshots that are newer, and those alone."""
    client, (session, batch) = memory.client, await write_session(memory, 2)
    first = await save(client, session)
    later = memory.messages(1)
    await client.add(session, later)
    second = await save(client, session)
    await roll_back(client, session, first)
    if await _is_gone(memory, session, second, [*batch, *later]):
        return None if await _is_gone(memory, session, first, batch) else False
    return True


async def do_snapshots_hold_deadlines(memory: Memory) -> bool | None:
    """Return False if a rollback leaves a session with another time than was left at the save."""
    client, (session, _) = memory.client, await write_session(memory, 1)
    await client.call("set_ttl", session, 1_000)
    name = await save(client, session)
    await client.call("set_ttl", session, 5_000)
    await roll_back(client, session, name)
    left = await client.call("get_ttl", session)
    return isinstance(left, int | float) and left <= 1_001


async def do_snapshots_outlive_a_clear(memory: Memory) -> bool | None:
    """Return False if a clear removes the snapshots of its session."""
    client, (session, batch) = memory.client, await write_session(memory, 2)
    name = await save(client, session)
    await client.call("clear", session)
    return not await _is_gone(memory, session, name, batch)


async def do_snapshots_hold_values(memory: Memory) -> bool | None:
    """Return False if a rollback leaves the values of a session as they are."""
    client, (session, _) = memory.client, await write_session(memory, 1)
    owner = Owner(session)
    await put(client, owner, {"mood": "calm"})
    name = await save(client, session)
    await put(client, owner, {"mood": "angry"})
    await roll_back(client, session, name)
    return await fetch(client, owner) != {"mood": "angry"}


async def does_a_clear_remove_values(memory: Memory) -> bool | None:
    """Return False if the values of a session stay when it is cleared."""
    client, (session, _) = memory.client, await write_session(memory, 1)
    owner = Owner(session)
    await put(client, owner, {"mood": "calm"})
    await client.call("clear", session)
    return await fetch(client, owner) != {"mood": "calm"}


async def are_deep_values_taken(memory: Memory) -> bool | None:
    """Return False if a rule refuses a list, a dict or None as a value, and takes a text."""
    await put(memory.client, Owner(memory.session()), {"mood": "calm"})
    for value in ([1], {"of": "the day"}, None):
        refusal = await offer(memory.client, Owner(memory.session()), {"mood": value})
        if refusal is not None and is_rule(refusal):
            return False
    return True


async def are_values_merged(memory: Memory) -> bool | None:
    """Return False if setting some values removes the others."""
    owner = Owner(memory.session())
    await put(memory.client, owner, {"mood": "calm"})
    await put(memory.client, owner, {"city": "Bonn"})
    return await fetch(memory.client, owner) != {"city": "Bonn"}


async def _is_gone(memory: Memory, session: str, name: Any, messages: Sequence[Any]) -> bool:
    """Return True if the memory says that there is no such snapshot any more.

    It refuses to go back to it, or does not list it. To restore something else is no way to say so.
    """
    client = memory.client
    try:
        await roll_back(client, session, name)
        if await client.contents(session) == contents_of(messages):
            return False
        return client.has("list_snapshots") and name not in await list_snapshots(client, session)
    except (StoreError, Violation):
        return True
