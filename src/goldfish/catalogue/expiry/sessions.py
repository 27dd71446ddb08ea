"""TTL: a session expires at its deadline, not before; it expires whole, and alone.

A session that must expire gets a whole second, because some stores round, and is stale two seconds
after that. A session that must stay gets a minute.
"""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from goldfish.catalogue.registry import Reopening, Retries, carries, check, method, trait
from goldfish.catalogue.support.neighbours import expect_untouched, write_look_alikes
from goldfish.catalogue.support.sessions import ids_of, list_sessions, write_session
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.harness.patience import LateError

SOON = 1
LATEST = 3.0  # seconds after which a deadline of one second is over, however it is rounded
PAST = 1.4  # seconds after which a deadline of one second shows
MINUTE = 60

SetTTL = method("set_ttl")
GetTTL = method("get_ttl")
Act = Callable[[], Awaitable[Any]]
T = TypeVar("T")


async def do_nothing() -> None:
    """Do nothing in the meantime."""


async def expect_gone(
    what: str,
    doomed: Iterable[Any],
    read: Callable[[], Awaitable[list[Any]]],
    meanwhile: Act = do_nothing,
    *,
    since: float | None = None,
) -> None:
    """Raise if doomed values are still read long after a second; meanwhile, act repeatedly.

    The first read comes when the second is over: a read must not be what keeps them alive.
    ``since`` is the moment at which the second began, if that is not now.
    """
    began, expected = since or time.monotonic(), list(doomed)
    passed, found = 0.0, expected
    while passed < LATEST:
        passed = time.monotonic() - began  # before the read: a slow answer may be an old one
        if passed > SOON:
            found = await read()
            if not any(each in expected for each in found):
                return
        await meanwhile()
        await asyncio.sleep(0.1)
    raise Violation(
        f"stale: {what} got a TTL of {SOON} s, but is still there after {passed:.1f} s",
        f"read back {quote_list(found)}",
    )


async def expect_expiry(
    client: Client,
    session: str,
    doomed: Iterable[Any],
    meanwhile: Act = do_nothing,
    *,
    since: float | None = None,
    **options: Any,
) -> None:
    """Raise if these contents of the session are still read long after a second."""
    what = f"session {quote(session)}"
    read = partial(client.contents, session, **options)
    await expect_gone(what, doomed, read, meanwhile, since=since)


async def expect_alive(client: Client, session: str, expected: Iterable[Any], why: str) -> None:
    """Raise if one of the expected contents is gone, and say why it should be there."""
    found, wanted = await client.contents(session), list(expected)
    if missing := [each for each in wanted if each not in found]:
        raise Violation(
            f"lost: {quote(missing[0])} of session {quote(session)} is gone, {why}",
            f"expected {quote_list(wanted)}",
            f"read back {quote_list(found)}",
        )


async def write_contents(memory: Memory, hint: str, count: int = 2) -> tuple[str, list[Any]]:
    """Write a new session; return its id and the contents of its messages."""
    session, batch = await write_session(memory, count, hint)
    return session, contents_of(batch)


async def write_expiring(memory: Memory, hint: str, count: int = 2) -> tuple[str, list[Any]]:
    """Write a new session that expires soon; return its id and contents."""
    session, contents = await write_contents(memory, hint, count)
    await memory.client.call("set_ttl", session, SOON)
    return session, contents


async def run_before_deadline(work: Callable[[], Awaitable[T]]) -> T:
    """Return the result of work that took less than half a deadline; retry if it was slow."""
    for _ in range(5):
        began = time.monotonic()
        result = await work()
        if time.monotonic() - began < SOON / 2:
            return result
    raise LateError("late: no deadline could be moved in time")


async def has_own_expiry(memory: Memory) -> bool:
    """Return True if the store has a store-wide expiry, which every write renews."""
    client = memory.client
    if client.has("get_ttl"):
        session, _ = await write_contents(memory, "probe")
        return await client.call("get_ttl", session) is not None
    parameter = inspect.signature(memory.target.factory).parameters.get("ttl")
    return parameter is not None and parameter.default not in (None, parameter.empty)


def expect_time_left(left: Any, asked: float, passed: float) -> None:
    """Raise unless ``left`` is about the time left of a deadline that was set this long ago."""
    if isinstance(left, bool) or not isinstance(left, int | float):
        raise Violation(f"wrong: get_ttl returned {quote(left)} for a deadline in {asked:g} s")
    if abs(left - (asked - passed)) > 2.1:  # some stores round to seconds
        raise Violation(
            f"wrong: get_ttl returned {left:g} when {asked - passed:.1f} of {asked:g} s were left"
        )


async def expect_no_deadline(client: Client, session: str, which: str) -> None:
    """Raise if the store has get_ttl and returns a deadline for this session."""
    if client.has("get_ttl") and (left := await client.call("get_ttl", session)) is not None:
        raise Violation(f"wrong: get_ttl returned {quote(left)} for a session {which}")


@check(
    "TTL01",
    "An expired session has no messages, however it is read.",
    incident="langgraph-checkpoint-sqlite 3.1.2: three seconds after a TTL of one second the item "
    "is still served, because only a sweep that nobody started would remove it.",
    needs=[SetTTL],
    suite="smoke",
)
async def an_expired_session_is_empty(memory: Memory) -> None:
    client = memory.client
    whole, contents = await write_expiring(memory, "whole", 3)
    partly, others = await write_expiring(memory, "partly", 3)
    began = time.monotonic()
    await expect_expiry(client, whole, contents)
    if client.has("get_history", "last"):
        for last in (1, 2):
            await expect_expiry(client, partly, others, since=began, last=last)
    await expect_expiry(client, partly, others, since=began)


@check(
    "TTL02",
    "An expired session is no longer listed, even if nobody has read it since.",
    incident="affinidi-tdk-rs pull request 333: sessions expired only when they were read; those "
    "that were never read again stayed in the table for ever.",
    needs=[SetTTL, method("list_sessions"), trait("unlisted_empties")],
)
async def an_expired_session_is_not_listed(memory: Memory) -> None:
    kept, _ = await write_contents(memory, "kept")
    session, _ = await write_expiring(memory, "expiring")
    began = time.monotonic()
    while time.monotonic() < began + LATEST:
        await asyncio.sleep(0.15)
        names = await list_sessions(memory.client)
        if kept not in names:
            raise Violation(f"lost: {quote(kept)} has no deadline, but is no longer listed")
        if session not in names:
            return
    raise Violation(f"stale: {quote(session)} expired, but is still listed")


@check(
    "TTL03",
    "A deadline holds after a reopen, and for an opening that had read the session before.",
    incident="rockbot pull request 81 had to write deadlines to its files: until then, a restart "
    "forgot what was to expire when.",
    needs=[SetTTL, Reopening],
)
async def a_deadline_holds_for_every_opening(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    known, batch = memory.session("known"), memory.messages(2)
    await one.add(known, batch)
    await two.contents(known)
    reopened, contents = await write_expiring(memory, "reopened")
    lasting, others = await write_contents(memory, "lasting")
    await one.call("set_ttl", lasting, MINUTE)
    await one.call("set_ttl", known, SOON)
    began = time.monotonic()
    await expect_expiry(two, known, contents_of(batch))
    client = await memory.reopen()
    await expect_expiry(client, reopened, contents, since=began)
    await expect_alive(client, lasting, others, f"though its deadline is in {MINUTE} s")


@check(
    "TTL04",
    "A session does not expire early, be its deadline in a minute, a month or ten years.",
    incident="memcached documents that more than 30 days are read as a date, long past; "
    "micronaut-redis pull request 3 had confused seconds and milliseconds.",
    needs=[SetTTL],
)
async def a_session_does_not_expire_early(memory: Memory) -> None:
    there = {}
    for seconds in (MINUTE, 3_600, 31 * 86_400, 10 * 365 * 86_400):
        session, contents = await write_contents(memory, f"for-{seconds}")
        await memory.client.call("set_ttl", session, seconds)
        there[session] = contents, f"though its deadline is in {seconds:,} s"
    await asyncio.sleep(0.15)
    for session, (contents, why) in there.items():
        await expect_alive(memory.client, session, contents, why)


@check(
    "TTL05",
    "A deadline expires its own session and no other, however similar their ids are.",
    incident="Redis documents that EXPIRE applies to a whole key: sessions that share one hash "
    "all go with the first deadline among them.",
    needs=[SetTTL],
)
async def only_the_session_itself_expires(memory: Memory) -> None:
    others = await write_look_alikes(memory, memory.session())
    doomed = {name: others.pop(name) for name in list(others)[::2]}
    for name in doomed:
        await memory.client.call("set_ttl", name, SOON)
    began = time.monotonic()
    for name, contents in doomed.items():
        await expect_expiry(memory.client, name, contents, since=began)
    await expect_untouched(memory, others, "the expiry of sessions with similar ids")


@check(
    "TTL06",
    "Writing to a session does not move its deadline, and the new messages expire with it.",
    incident="Redis documents that SET removes a key's timeout; sessions that are saved as one "
    "value lose theirs with the next save (kontext issue 894).",
    needs=[SetTTL, trait("idle_writes")],
)
async def later_writes_leave_a_deadline_alone(memory: Memory) -> None:
    if await has_own_expiry(memory):
        return  # such a store renews the deadline with every write
    began, second = time.monotonic(), memory.messages(1)
    session, doomed = await write_expiring(memory, "written-to")
    await memory.client.add(session, second)
    if time.monotonic() < began + SOON / 2:
        doomed += contents_of(second)

    await expect_expiry(
        memory.client, session, doomed, lambda: memory.client.add(session, memory.messages(1))
    )


@check(
    "TTL07",
    "Reading a session again and again does not keep it alive.",
    incident="The langgraph.json reference says that reading an item restarts its TTL by default "
    "(refresh_on_read): what is read often enough never expires.",
    needs=[SetTTL, trait("idle_reads")],
)
async def reads_do_not_renew_a_deadline(memory: Memory) -> None:
    session, contents = await write_expiring(memory, "read")
    client = memory.client

    async def read() -> None:
        await client.contents(session)
        if client.has("get_history", "last"):
            await client.contents(session, last=1)
        if client.has("get_ttl"):
            await client.call("get_ttl", session)

    await expect_expiry(client, session, contents, read)


@check(
    "TTL08",
    "Trimming a session does not move its deadline.",
    incident="Redis documents that deleting or overwriting a key removes its timeout: a trim that "
    "rewrites the rest of the list makes it permanent.",
    needs=[SetTTL, method("trim", "keep_last"), trait("idle_writes")],
)
async def trimming_keeps_the_deadline(memory: Memory) -> None:
    session, contents = await write_expiring(memory, "trimmed", 30)
    keep = 30

    async def trim() -> None:
        nonlocal keep
        keep -= 1
        await memory.client.call("trim", session, keep_last=max(1, keep))

    await expect_expiry(memory.client, session, contents, trim)
    lasting, _ = await write_contents(memory, "lasting", 5)
    await memory.client.call("set_ttl", lasting, MINUTE)
    await memory.client.call("trim", lasting, keep_last=3)
    if not await memory.client.contents(lasting):
        raise Violation(f"lost: trim(keep_last=3) emptied a session that has {MINUTE} s left")


@check(
    "TTL09",
    "Deleting messages from a session does not move its deadline.",
    incident="Redis documents that *STORE commands and SET remove a timeout: a delete that "
    "filters the list and stores the result makes the session permanent.",
    needs=[SetTTL, method("delete_messages"), carries("id"), trait("idle_writes")],
)
async def deleting_messages_keeps_the_deadline(memory: Memory) -> None:
    session, batch = await write_session(memory, 30)
    await memory.client.call("set_ttl", session, SOON)
    doomed = contents_of(batch[-1:])

    async def delete() -> None:
        message = batch.pop(0) if len(batch) > 1 else memory.message()
        await memory.client.call("delete_messages", session, ids_of([message]))

    await expect_expiry(memory.client, session, doomed, delete)


@check(
    "TTL10",
    "Setting the expiry to None removes the deadline, and the session stays.",
    incident="redis-mock issue 184: after a key was set again, its old timeout could be neither "
    "changed nor removed.",
    needs=[SetTTL],
)
async def a_deadline_can_be_removed(memory: Memory) -> None:
    client = memory.client

    async def remove_deadline() -> tuple[str, list[Any]] | None:
        session, contents = await write_expiring(memory, "kept")
        try:
            await client.call("set_ttl", session, None)
        except StoreError:
            return None  # the store says that it cannot do this
        return session, contents

    if (kept := await run_before_deadline(remove_deadline)) is None:
        return
    session, contents = kept
    if not await has_own_expiry(memory):
        await expect_no_deadline(client, session, "whose deadline was removed")
    await asyncio.sleep(PAST)
    await expect_alive(client, session, contents, "though its deadline was removed")


@check(
    "TTL11",
    "Setting the expiry again replaces the deadline, whether the new one is later or earlier.",
    incident="Redis documents that EXPIRE with NX sets a timeout only where there is none, and "
    "with GT or LT only a later or earlier one: with any of them the second call is ignored.",
    needs=[SetTTL],
)
async def a_new_deadline_replaces_the_old_one(memory: Memory) -> None:
    client = memory.client
    shorter, early = await write_contents(memory, "shorter")
    await client.call("set_ttl", shorter, MINUTE)

    async def prolong() -> tuple[str, list[Any]]:
        session, contents = await write_expiring(memory, "longer")
        await client.call("set_ttl", session, MINUTE)
        return session, contents

    longer, late = await run_before_deadline(prolong)
    await client.call("set_ttl", shorter, SOON)
    await expect_expiry(client, shorter, early)
    await asyncio.sleep(PAST - SOON)
    await expect_alive(client, longer, late, f"though its deadline was moved to {MINUTE} s")


@check(
    "TTL12",
    "get_ttl returns the seconds left, and None where there is no deadline.",
    incident="simplesamlphp issue 810 took a date for a number of seconds, and sessions stayed for "
    "decades; sync_gateway issue 1201 showed a day as 86400000000000.",
    needs=[SetTTL, GetTTL],
)
async def the_time_left_is_told_in_seconds(memory: Memory) -> None:
    client = memory.client
    await expect_no_deadline(client, memory.session("unknown"), "that nobody wrote to")
    session, _ = await write_contents(memory, "without")
    left = await client.call("get_ttl", session)
    if left is not None and (not isinstance(left, int | float) or left <= 0):
        raise Violation(f"wrong: get_ttl returned {quote(left)} for a session without a deadline")
    for seconds in (MINUTE, 5, 40 * 86_400):
        session, _ = await write_contents(memory, f"for-{seconds}")
        began = time.monotonic()
        await client.call("set_ttl", session, seconds)
        left = await client.call("get_ttl", session)
        expect_time_left(left, seconds, time.monotonic() - began)
    await asyncio.sleep(1.3)
    less = await client.call("get_ttl", session)
    expect_time_left(less, seconds, time.monotonic() - began)
    if less > left - 0.5:
        raise Violation(f"wrong: get_ttl returned {left:g}, and {less:g} more than a second later")


@check(
    "TTL13",
    "Messages added after an expiry are there alone and stay: no old messages, no old deadline.",
    incident="twisted issue 3458: a request that came after a session's deadline but before the "
    "cleanup revived the expired session with everything in it.",
    needs=[SetTTL],
)
async def a_session_begins_anew_after_its_expiry(memory: Memory) -> None:
    client = memory.client
    unread, forgotten = await write_expiring(memory, "unread")
    session, old = await write_expiring(memory, "read")
    await expect_expiry(client, session, old)
    fresh = {unread: memory.messages(2), session: memory.messages(2)}
    for name, gone in ((unread, forgotten), (session, old)):
        await client.add(name, fresh[name])
        await client.expect(name, contents_of(fresh[name]), gone=gone)
    await asyncio.sleep(0.2)
    for name, batch in fresh.items():
        await expect_alive(client, name, contents_of(batch), "though it began anew")
    if not await has_own_expiry(memory):
        await expect_no_deadline(client, session, "that began anew")


@check(
    "TTL14",
    "An expired message can be added again with its id.",
    incident="langgraph pull request 7207 proposes tombstones that drop writes to what was once "
    "deleted; kept beyond an expiry, they swallow a message that is said again.",
    needs=[SetTTL, Retries],
)
async def an_expired_message_may_be_added_again(memory: Memory) -> None:
    session, batch = await write_session(memory, 3)
    await memory.client.call("set_ttl", session, SOON)
    await expect_expiry(memory.client, session, contents_of(batch))
    await memory.client.add(session, batch[1:])
    await memory.client.expect(session, contents_of(batch[1:]))


@check(
    "TTL15",
    "A deadline set on a session without messages does not expire messages added later.",
    incident="Redis documents that EXPIRE of a key that does not exist sets nothing; a separate "
    "table of deadlines remembers it, and the first message expires early.",
    needs=[SetTTL, trait("empty_deadlines")],
)
async def an_empty_session_takes_no_deadline(memory: Memory) -> None:
    session = memory.session()
    try:
        await memory.client.call("set_ttl", session, SOON)
    except StoreError:
        return  # the store says that there is nothing to expire
    batch = memory.messages(2)
    await memory.client.add(session, batch)
    await asyncio.sleep(PAST)
    why = "though its deadline was set when there was nothing to expire"
    await expect_alive(memory.client, session, contents_of(batch), why)


@check(
    "TTL16",
    "Messages added after clear do not expire by the old deadline.",
    incident="turms issue 628 kept a session and its timeout in two writes, so one could outlive "
    "the other.",
    needs=[SetTTL, method("clear")],
)
async def clearing_removes_the_deadline(memory: Memory) -> None:
    client = memory.client
    other, _ = await write_expiring(memory, "cleared-with-all")
    await (client.call("clear_all") if client.has("clear_all") else client.call("clear", other))
    one, _ = await write_expiring(memory, "cleared")
    await client.call("clear", one)
    await expect_no_deadline(client, one, "that was cleared")
    fresh = {one: memory.messages(2), other: memory.messages(2)}
    for session, batch in fresh.items():
        await client.add(session, batch)
    await asyncio.sleep(PAST)
    for session, batch in fresh.items():
        await expect_alive(client, session, contents_of(batch), "though its deadline was cleared")
