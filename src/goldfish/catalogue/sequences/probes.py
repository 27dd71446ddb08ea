"""The simplest use of each power, except for facts: whether it works when nothing goes wrong."""

from typing import Any

from goldfish.catalogue.sequences.powers import HOUR, Quiet, is_time_left, search
from goldfish.catalogue.support.comparison import describe_field_difference
from goldfish.catalogue.support.facts import fetch_texts, remember
from goldfish.catalogue.support.sessions import list_sessions as fetch_sessions
from goldfish.catalogue.support.snapshots import list_snapshots as fetch_snapshots
from goldfish.catalogue.support.snapshots import roll_back, save
from goldfish.catalogue.support.state import Owner, fetch, has_user_state, put
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import contents_of

FIELDS = ("role", "name", "metadata")


# Messages.


async def can_add(quiet: Quiet) -> bool:
    session = quiet.memory.session("quiet")
    fields: dict[str, Any] = {"name": "Ann", "metadata": {"n": 1}}
    carried = {name: each for name, each in fields.items() if name in quiet.memory.target.carries}
    roles = ("user",) if quiet.memory.target.answers else ("user", "assistant")
    batch = [quiet.memory.message(role=role, **carried) for role in roles]
    await quiet.client.add(session, batch)
    found = await quiet.client.history(session)
    pairs = list(zip(batch, found, strict=False))
    quiet.fields = tuple(
        name
        for name in FIELDS
        if name in quiet.memory.target.carries
        and not any(describe_field_difference(given, back, name) for given, back in pairs)
    )
    return True  # whatever it reads: a sequence may tell


async def knows_ids(quiet: Quiet) -> bool:
    target = quiet.memory.target
    if not target.retries or "id" not in target.carries:
        return False
    session, (first, second) = await quiet.write(2)
    await quiet.client.add(session, [first])
    await quiet.client.add(session, [second, third := quiet.memory.message()])
    quiet.decide(ids_are_kept=await quiet.has(session, [first, second, third]))
    return quiet.traits.ids_are_kept


async def repeats(quiet: Quiet) -> bool:
    return not quiet.memory.target.answers


async def reads_last(quiet: Quiet) -> bool:
    if not quiet.client.has("get_history", "last"):
        return False
    session, batch = await quiet.write(4)
    return await quiet.client.contents(session, last=2) == contents_of(batch[2:])


async def clears(quiet: Quiet) -> bool:
    session, _ = await quiet.write(2)
    if quiet.client.has("clear"):
        await quiet.client.call("clear", session)
        return await quiet.has(session, [])
    return False


async def trims(quiet: Quiet) -> bool:
    if not quiet.client.has("trim", "keep_last"):
        return False
    session, batch = await quiet.write(5)
    await quiet.client.call("trim", session, keep_last=2)
    return await quiet.has(session, batch[3:])


async def counts_trimmed(quiet: Quiet) -> bool:
    session, _ = await quiet.write(5)
    return _is_number(await quiet.client.call("trim", session, keep_last=2), 3)


async def keeps_pairs(quiet: Quiet) -> bool:
    return quiet.client.has("trim", "keep_last", "keep_pairs") and (
        {"tool_calls", "tool_call_id"} <= quiet.memory.target.carries
    )


async def keeps_system(quiet: Quiet) -> bool:
    return quiet.client.has("trim", "keep_last", "keep_system") and (
        "role" in quiet.memory.target.carries
    )


async def deletes(quiet: Quiet) -> bool:
    if not quiet.client.has("delete_messages"):
        return False
    session, (first, second, third) = await quiet.write(3)
    await quiet.client.call("delete_messages", session, [second.id])
    return await quiet.has(session, [first, third])


async def counts_deleted(quiet: Quiet) -> bool:
    session, (first, second, _) = await quiet.write(3)
    return _is_number(await quiet.client.call("delete_messages", session, [first.id, second.id]), 2)


async def lists_sessions(quiet: Quiet) -> bool:
    if not quiet.client.has("list_sessions") or not quiet.memory.target.holds("unlisted_empties"):
        return False
    session, _ = await quiet.write()
    return session in await fetch_sessions(quiet.client)


async def lists_by_prefix(quiet: Quiet) -> bool:
    if not quiet.client.has("list_sessions", "prefix"):
        return False
    session, _ = await quiet.write()
    found = await quiet.client.call("list_sessions", prefix=session)
    return list(found) == [session]


# Expiry.


async def expires(quiet: Quiet) -> bool:
    if not quiet.client.has("set_ttl"):
        return False
    session, batch = await quiet.write()
    await quiet.client.call("set_ttl", session, HOUR)
    return await quiet.has(session, batch)


async def removes_deadlines(quiet: Quiet) -> bool:
    session, batch = await quiet.write()
    await quiet.client.call("set_ttl", session, HOUR)
    await quiet.client.call("set_ttl", session, None)
    return await quiet.has(session, batch)


async def tells_deadlines(quiet: Quiet) -> bool:
    if not quiet.client.has("get_ttl"):
        return False
    session, _ = await quiet.write()
    before = await quiet.client.call("get_ttl", session)
    await quiet.client.call("set_ttl", session, HOUR)
    return before is None and is_time_left(await quiet.client.call("get_ttl", session), HOUR)


# State.


async def states(quiet: Quiet) -> bool:
    if not (quiet.client.has("set_state") and quiet.client.has("get_state")):
        return False
    owner = Owner(quiet.memory.session("quiet"))
    for values in ({"a": 1, "b": "x"}, {"b": {"c": [2]}, "d": "y"}):
        await put(quiet.client, owner, values)
    merged = await fetch(quiet.client, owner) == {"a": 1, "b": {"c": [2]}, "d": "y"}
    if merged and "clear" in quiet.can:
        await quiet.client.call("clear", owner.session)
        quiet.decide(clear_takes_state=not await fetch(quiet.client, owner))
    return merged


async def states_users(quiet: Quiet) -> bool:
    if not has_user_state(quiet.client):
        return False
    session, user = quiet.memory.session("quiet"), quiet.memory.session("ann")
    await put(quiet.client, Owner(session, user), {"a": 1})
    other = Owner(quiet.memory.session("quiet"), user)
    alone = await fetch(quiet.client, other) == {"a": 1}
    return alone and not await fetch(quiet.client, Owner(session))


# Snapshots.


async def saves(quiet: Quiet) -> bool:
    client = quiet.client
    if not (client.has("save_snapshot") and client.has("rollback_to_snapshot")):
        return False
    session, batch = await quiet.write(2)
    if "state" in quiet.can:
        await put(client, Owner(session), {"a": 1})
    if "get_ttl" in quiet.can:
        await client.call("set_ttl", session, HOUR)
    name = await save(client, session)
    await client.add(session, quiet.memory.messages(1))
    if "state" in quiet.can:
        await put(client, Owner(session), {"a": 2})
    if "get_ttl" in quiet.can:
        await client.call("set_ttl", session, 3 * HOUR)
    await roll_back(client, session, name)
    if "state" in quiet.can:
        quiet.decide(snapshots_hold_state=await fetch(client, Owner(session)) == {"a": 1})
    if "get_ttl" in quiet.can:
        left = await client.call("get_ttl", session)
        quiet.decide(snapshots_hold_deadlines=is_time_left(left, HOUR))
    else:
        quiet.decide(snapshots_hold_deadlines=False)
    quiet.decide(later_snapshots_stay=quiet.memory.target.holds("later_snapshots"))
    restored = await quiet.has(session, batch)
    if restored and "clear" in quiet.can:
        await client.call("clear", session)
        quiet.decide(clear_takes_snapshots=not await comes_back(quiet, session, name, batch))
    return restored


async def comes_back(quiet: Quiet, session: str, name: Any, batch: list[Any]) -> bool:
    try:
        await roll_back(quiet.client, session, name)
        return await quiet.has(session, batch)
    except (StoreError, Violation):
        return False


async def lists_snapshots(quiet: Quiet) -> bool:
    if not quiet.client.has("list_snapshots"):
        return False
    session, _ = await quiet.write()
    one = await save(quiet.client, session)
    await quiet.client.add(session, quiet.memory.messages(1))
    two = await save(quiet.client, session)
    return await fetch_snapshots(quiet.client, session) == [one, two]


async def deletes_snapshots(quiet: Quiet) -> bool:
    if not quiet.client.has("delete_snapshot"):
        return False
    session, _ = await quiet.write()
    one = await save(quiet.client, session)
    await quiet.client.call("delete_snapshot", session, one)
    return one not in await fetch_snapshots(quiet.client, session)


async def labels(quiet: Quiet) -> bool:
    if not quiet.client.has("save_snapshot", "label"):
        return False
    session, batch = await quiet.write()
    one = await save(quiet.client, session, label="before lunch")
    if one == "before lunch":
        return False  # a label that is the id is not used twice
    await quiet.client.add(session, quiet.memory.messages(1))
    return await comes_back(quiet, session, one, batch)


async def forks(quiet: Quiet) -> bool:
    if not quiet.client.has("fork"):
        return False
    client, (session, batch) = quiet.client, await quiet.write(2)
    if "state" in quiet.can:
        await put(client, Owner(session), {"a": 1})
    if "get_ttl" in quiet.can:
        await client.call("set_ttl", session, HOUR)
    name, fresh = await save(client, session), quiet.memory.session("fork")
    await client.call("fork", session, name, fresh)
    if "get_ttl" in quiet.can and not is_time_left(await client.call("get_ttl", fresh), HOUR):
        quiet.decide(snapshots_hold_deadlines=False)
    if "state" in quiet.can:
        held = await fetch(client, Owner(fresh)) == {"a": 1}
        if held != quiet.traits.snapshots_hold_state:
            return False
    return await quiet.has(fresh, batch) and await quiet.has(session, batch)


# Everything.


async def searches(quiet: Quiet) -> bool:
    if not quiet.client.has("search_history"):
        return False
    session, batch = await quiet.write(3)
    other, _ = await quiet.write(3)
    found = await search(quiet.client, [session], batch[1].content)
    return batch[1].content in found and set(found) <= set(contents_of(batch)) and bool(other)


async def clears_all(quiet: Quiet) -> bool:
    if not quiet.client.has("clear_all"):
        return False
    client = quiet.client
    session, batch = await quiet.write(2)
    user, told, name = quiet.memory.session("ann"), "Ann lives in Berlin", None
    owners = [Owner(session)] if "state" in quiet.can else []
    owners += [Owner(session, user)] if "user_state" in quiet.can else []
    for owner in owners:
        await put(client, owner, {"a": 1})
    if "save" in quiet.can:
        name = await save(client, session)
    if "facts" in quiet.can:
        await remember(client, user, told)
    await client.call("clear_all")
    cleared = await quiet.has(session, [])
    left = [await fetch(client, owner) for owner in owners]
    if any(left) and not all(left):  # of sessions or of users: too fine for the model
        return False
    quiet.decide(clear_all_takes_state=not any(left))
    if "facts" in quiet.can:
        quiet.decide(clear_all_takes_facts=not await fetch_texts(client, user, [told]))
    if name is not None:
        there = await comes_back(quiet, session, name, batch)
        quiet.decide(clear_all_takes_snapshots=not there)
    return cleared


def _is_number(answer: Any, expected: int) -> bool:
    return not isinstance(answer, bool) and bool(answer == expected)
