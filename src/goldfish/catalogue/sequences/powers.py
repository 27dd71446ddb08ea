"""What a memory can be asked in a sequence, learnt from what it does alone and quietly."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from goldfish.catalogue.support.comparison import describe_field_difference
from goldfish.catalogue.support.facts import (
    ENOUGH,
    fetch_texts,
    read_metadata,
    read_text,
    recall_texts,
    remember,
    unpack_facts,
    unwrap_fact,
)
from goldfish.catalogue.support.sessions import list_sessions
from goldfish.catalogue.support.snapshots import list_snapshots, roll_back, save
from goldfish.catalogue.support.state import Owner, fetch, has_user_state, put
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, contents_of, field
from goldfish.model.traits import Traits

HOUR = 3600.0
SLACK = 600.0  # seconds by which a deadline of hours may be nearer than when it was set
FIELDS = ("role", "name", "metadata")
Probe = Callable[["Quiet"], Awaitable[bool]]


@dataclass(frozen=True)
class Powers:
    """What can be asked, and how the memory decides what memories may decide."""

    can: frozenset[str]
    traits: Traits
    fields: tuple[str, ...] = ()  # of messages, that come back as they were given

    def restricted(self, names: Iterable[str]) -> "Powers":
        """Return only these powers."""
        return replace(self, can=self.can & set(names))


class Quiet:
    """One client that is asked for the simplest use of each power.

    A power whose simplest use fails is not asked for in sequences: another check is about it.
    """

    def __init__(self, memory: Memory, client: Client) -> None:
        self.memory, self.client = memory, client
        self.can: set[str] = set()
        self.traits = Traits(ids_are_kept=False, empty_sessions_keep_deadlines=False)
        self.fields: tuple[str, ...] = ()

    async def learn(self, names: Iterable[str]) -> Powers:
        """Try each of these powers, those first that others need."""
        wanted = set(names)
        for name, (needs, probe) in PROBES.items():
            if name in wanted and needs <= self.can and await self._is_met(probe):
                self.can.add(name)
        return Powers(frozenset(self.can), self.traits, self.fields)

    async def _is_met(self, probe: Probe) -> bool:
        try:
            return await probe(self)
        except Violation as violation:
            if violation.finding == "wedged":
                raise
            return False
        except (StoreError, UnsupportedError):
            return False

    def decide(self, **traits: bool) -> None:
        """Note how the memory decides."""
        self.traits = replace(self.traits, **traits)

    async def write(self, count: int = 1) -> tuple[str, list[Any]]:
        """Write a session; return its id and its messages."""
        session, batch = self.memory.session("quiet"), self.memory.messages(count)
        await self.client.add(session, batch)
        return session, batch

    async def has(self, session: str, messages: Iterable[Any]) -> bool:
        """Return True if the session has exactly these messages."""
        return await self.client.contents(session) == contents_of(messages)


# Messages.


async def _can_add(quiet: Quiet) -> bool:
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


async def _knows_ids(quiet: Quiet) -> bool:
    target = quiet.memory.target
    if not target.retries or "id" not in target.carries:
        return False
    session, (first, second) = await quiet.write(2)
    await quiet.client.add(session, [first])
    await quiet.client.add(session, [second, third := quiet.memory.message()])
    quiet.decide(ids_are_kept=await quiet.has(session, [first, second, third]))
    return quiet.traits.ids_are_kept


async def _repeats(quiet: Quiet) -> bool:
    return not quiet.memory.target.answers


async def _reads_last(quiet: Quiet) -> bool:
    if not quiet.client.has("get_history", "last"):
        return False
    session, batch = await quiet.write(4)
    return await quiet.client.contents(session, last=2) == contents_of(batch[2:])


async def _clears(quiet: Quiet) -> bool:
    session, _ = await quiet.write(2)
    if quiet.client.has("clear"):
        await quiet.client.call("clear", session)
        return await quiet.has(session, [])
    return False


async def _trims(quiet: Quiet) -> bool:
    if not quiet.client.has("trim", "keep_last"):
        return False
    session, batch = await quiet.write(5)
    await quiet.client.call("trim", session, keep_last=2)
    return await quiet.has(session, batch[3:])


async def _counts_trimmed(quiet: Quiet) -> bool:
    session, _ = await quiet.write(5)
    return _is_number(await quiet.client.call("trim", session, keep_last=2), 3)


async def _keeps_pairs(quiet: Quiet) -> bool:
    return quiet.client.has("trim", "keep_last", "keep_pairs") and (
        {"tool_calls", "tool_call_id"} <= quiet.memory.target.carries
    )


async def _keeps_system(quiet: Quiet) -> bool:
    return quiet.client.has("trim", "keep_last", "keep_system") and (
        "role" in quiet.memory.target.carries
    )


async def _deletes(quiet: Quiet) -> bool:
    if not quiet.client.has("delete_messages"):
        return False
    session, (first, second, third) = await quiet.write(3)
    await quiet.client.call("delete_messages", session, [second.id])
    return await quiet.has(session, [first, third])


async def _counts_deleted(quiet: Quiet) -> bool:
    session, (first, second, _) = await quiet.write(3)
    return _is_number(await quiet.client.call("delete_messages", session, [first.id, second.id]), 2)


async def _lists_sessions(quiet: Quiet) -> bool:
    if not quiet.client.has("list_sessions"):
        return False
    session, _ = await quiet.write()
    return session in await list_sessions(quiet.client)


async def _lists_by_prefix(quiet: Quiet) -> bool:
    if not quiet.client.has("list_sessions", "prefix"):
        return False
    session, _ = await quiet.write()
    found = await quiet.client.call("list_sessions", prefix=session)
    return list(found) == [session]


# Expiry.


async def _expires(quiet: Quiet) -> bool:
    if not quiet.client.has("set_ttl"):
        return False
    session, batch = await quiet.write()
    await quiet.client.call("set_ttl", session, HOUR)
    return await quiet.has(session, batch)


async def _removes_deadlines(quiet: Quiet) -> bool:
    session, batch = await quiet.write()
    await quiet.client.call("set_ttl", session, HOUR)
    await quiet.client.call("set_ttl", session, None)
    return await quiet.has(session, batch)


async def _tells_deadlines(quiet: Quiet) -> bool:
    if not quiet.client.has("get_ttl"):
        return False
    session, _ = await quiet.write()
    before = await quiet.client.call("get_ttl", session)
    await quiet.client.call("set_ttl", session, HOUR)
    return before is None and is_time_left(await quiet.client.call("get_ttl", session), HOUR)


# State.


async def _states(quiet: Quiet) -> bool:
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


async def _states_users(quiet: Quiet) -> bool:
    if not has_user_state(quiet.client):
        return False
    session, user = quiet.memory.session("quiet"), quiet.memory.session("ann")
    await put(quiet.client, Owner(session, user), {"a": 1})
    other = Owner(quiet.memory.session("quiet"), user)
    alone = await fetch(quiet.client, other) == {"a": 1}
    return alone and not await fetch(quiet.client, Owner(session))


# Snapshots.


async def _saves(quiet: Quiet) -> bool:
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
    restored = await quiet.has(session, batch)
    if restored and "clear" in quiet.can:
        await client.call("clear", session)
        quiet.decide(clear_takes_snapshots=not await _comes_back(quiet, session, name, batch))
    return restored


async def _comes_back(quiet: Quiet, session: str, name: Any, batch: list[Any]) -> bool:
    try:
        await roll_back(quiet.client, session, name)
        return await quiet.has(session, batch)
    except (StoreError, Violation):
        return False


async def _lists_snapshots(quiet: Quiet) -> bool:
    if not quiet.client.has("list_snapshots"):
        return False
    session, _ = await quiet.write()
    one = await save(quiet.client, session)
    await quiet.client.add(session, quiet.memory.messages(1))
    two = await save(quiet.client, session)
    return await list_snapshots(quiet.client, session) == [one, two]


async def _deletes_snapshots(quiet: Quiet) -> bool:
    if not quiet.client.has("delete_snapshot"):
        return False
    session, _ = await quiet.write()
    one = await save(quiet.client, session)
    await quiet.client.call("delete_snapshot", session, one)
    return one not in await list_snapshots(quiet.client, session)


async def _labels(quiet: Quiet) -> bool:
    if not quiet.client.has("save_snapshot", "label"):
        return False
    session, batch = await quiet.write()
    one = await save(quiet.client, session, label="before lunch")
    await quiet.client.add(session, quiet.memory.messages(1))
    return await _comes_back(quiet, session, one, batch)


async def _forks(quiet: Quiet) -> bool:
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


# Facts.


async def _remembers(quiet: Quiet) -> bool:
    client, user = quiet.client, quiet.memory.session("ann")
    if not client.has("remember") or not (client.has("list_facts") or client.has("recall")):
        return False
    one, two = "Ann lives in Berlin", "The cat is called Schnurri"
    await remember(client, user, one)
    await remember(client, user, two)
    if sorted(map(str, await fetch_texts(client, user, [one, two]))) != [one, two]:
        return False
    await remember(client, user, one)
    again = await fetch_texts(client, user, [one, two])
    quiet.decide(equal_facts_are_one=again.count(one) == 1)
    return True


async def _returns_ids(quiet: Quiet) -> bool:
    client, user = quiet.client, quiet.memory.session("ann")
    answer = await client.call("remember", user, "Ann lives in Berlin")
    name = field(unwrap_fact(answer), "id") if answer is not None else MISSING
    return name not in (MISSING, None)


async def _lists_facts(quiet: Quiet) -> bool:
    return quiet.client.has("list_facts")


async def _revises(quiet: Quiet) -> bool:
    return await _changes_fact(quiet, "revise", ["Ann lives in Bonn"])


async def _forgets(quiet: Quiet) -> bool:
    return await _changes_fact(quiet, "forget", [])


async def _changes_fact(quiet: Quiet, method: str, after: list[str]) -> bool:
    if not quiet.client.has(method):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    name = await remember(client, user, told)
    await client.call(method, user, name, *after)
    return await fetch_texts(client, user, [told, *after]) == after


async def _forgets_all(quiet: Quiet) -> bool:
    if not quiet.client.has("forget_all"):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    await remember(client, user, told)
    await client.call("forget_all", user)
    return await fetch_texts(client, user, [told]) == []


async def _gets_facts(quiet: Quiet) -> bool:
    if not quiet.client.has("get_fact"):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    name = await remember(client, user, told)
    return bool(read_text(await client.call("get_fact", user, name)) == told)


async def _recalls(quiet: Quiet) -> bool:
    if not quiet.client.has("recall", "limit"):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    await remember(client, user, told)
    await remember(client, user, "The cat is called Schnurri")
    return told in await recall_texts(client, user, told, limit=ENOUGH)


async def _pages(quiet: Quiet) -> bool:
    if not quiet.client.has("list_facts", "limit", "offset"):
        return False
    client, user = quiet.client, quiet.memory.session("ann")
    for text in ("Ann lives in Berlin", "The cat is called Schnurri", "The flat has a balcony"):
        await remember(client, user, text)
    whole = await fetch_texts(client, user)
    page = unpack_facts(await client.call("list_facts", user, limit=1, offset=1), "list_facts")
    return [read_text(each) for each in page] == whole[1:2]


async def _filters(quiet: Quiet) -> bool:
    client, user = quiet.client, quiet.memory.session("ann")
    if quiet.memory.target.filters is None or not client.has("remember", "metadata"):
        return False
    if not client.has("list_facts", "filter"):
        return False
    await remember(client, user, "Ann lives in Berlin", metadata={"kind": "home", "n": 1})
    await remember(client, user, "The cat is called Schnurri", metadata={"kind": "pet", "n": 2})
    found = unpack_facts(
        await client.call("list_facts", user, filter={"kind": "pet"}), "list_facts"
    )
    metadata = [dict(read_metadata(each)) for each in found]
    return metadata == [{"kind": "pet", "n": 2}]


# Everything.


async def _searches(quiet: Quiet) -> bool:
    if not quiet.client.has("search_history"):
        return False
    session, batch = await quiet.write(3)
    other, _ = await quiet.write(3)
    found = await search(quiet.client, [session], batch[1].content)
    return batch[1].content in found and set(found) <= set(contents_of(batch)) and bool(other)


async def _clears_all(quiet: Quiet) -> bool:
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
        there = await _comes_back(quiet, session, name, batch)
        quiet.decide(clear_all_takes_snapshots=not there)
    return cleared


def is_time_left(left: Any, seconds: float) -> bool:
    """Return True if this is about the time that a deadline of hours has left."""
    if isinstance(left, bool) or not isinstance(left, int | float):
        return False
    return seconds - SLACK < left <= seconds + 2


async def search(client: Client, sessions: list[str], query: str, **options: Any) -> list[Any]:
    """Return the contents of the messages that a search finds."""
    found = await client.call("search_history", sessions, query, **options)
    return [read_content(each) for each in found]


def read_content(item: Any) -> Any:
    """Return the content of an answer of a search: of its message, or its own."""
    if isinstance(item, list | tuple) and item:
        item = item[0]
    message = field(item, "message")
    return field(item if message is MISSING else message, "content")


def _is_number(answer: Any, expected: int) -> bool:
    return not isinstance(answer, bool) and bool(answer == expected)


NOTHING: frozenset[str] = frozenset()
# In the order in which they are learnt: the powers that each builds on, and how it is tried.
PROBES: dict[str, tuple[frozenset[str], Probe]] = {
    "add": (NOTHING, _can_add),
    "repeat": (frozenset({"add"}), _repeats),
    "again": (frozenset({"add"}), _knows_ids),
    "last": (frozenset({"add"}), _reads_last),
    "clear": (frozenset({"add"}), _clears),
    "trim": (frozenset({"add"}), _trims),
    "count_trimmed": (frozenset({"trim"}), _counts_trimmed),
    "keep_pairs": (frozenset({"trim"}), _keeps_pairs),
    "keep_system": (frozenset({"trim"}), _keeps_system),
    "delete": (frozenset({"add"}), _deletes),
    "count_deleted": (frozenset({"delete"}), _counts_deleted),
    "list_sessions": (frozenset({"add"}), _lists_sessions),
    "prefix": (frozenset({"list_sessions"}), _lists_by_prefix),
    "set_ttl": (frozenset({"add"}), _expires),
    "unset_ttl": (frozenset({"set_ttl"}), _removes_deadlines),
    "get_ttl": (frozenset({"set_ttl"}), _tells_deadlines),
    "state": (NOTHING, _states),
    "user_state": (frozenset({"state"}), _states_users),
    "save": (frozenset({"add"}), _saves),
    "list_snapshots": (frozenset({"save"}), _lists_snapshots),
    "delete_snapshot": (frozenset({"list_snapshots"}), _deletes_snapshots),
    "label": (frozenset({"save"}), _labels),
    "fork": (frozenset({"save"}), _forks),
    "facts": (NOTHING, _remembers),
    "fact_ids": (frozenset({"facts"}), _returns_ids),
    "list_facts": (frozenset({"facts"}), _lists_facts),
    "revise": (frozenset({"facts"}), _revises),
    "forget": (frozenset({"facts"}), _forgets),
    "forget_all": (frozenset({"facts"}), _forgets_all),
    "get_fact": (frozenset({"facts"}), _gets_facts),
    "recall": (frozenset({"facts"}), _recalls),
    "page": (frozenset({"list_facts"}), _pages),
    "filter": (frozenset({"list_facts"}), _filters),
    "search": (frozenset({"add"}), _searches),
    "clear_all": (frozenset({"add"}), _clears_all),
}
