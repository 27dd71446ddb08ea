"""CLR: cleared and deleted messages are gone, no others are, and lists of sessions are exact."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from goldfish.catalogue.registry import Reopening, Retries, carries, check, method, spelled, trait
from goldfish.catalogue.support.neighbours import (
    alternate_ends,
    expect_untouched,
    make_look_alikes,
    write_look_alikes,
)
from goldfish.catalogue.support.openings import choose_writers, expect_fresh
from goldfish.catalogue.support.sessions import expect_usable, ids_of, list_sessions, write_session
from goldfish.catalogue.support.sizes import draw_calls, draw_size
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage

# Sessions of which a pattern finds others than a prefix does.
PREFIXED = [
    *("user_1", "userX1", "user-1", "USER_1", "100%a", "1000a", "a*b", "axb", "a?d", "abd"),
    *("a.e", "aXe", "[ab]c", "ac", "bc"),
]

Clear = method("clear")
Delete = method("delete_messages")


async def expect_deleted(
    memory: Memory, session: str, doomed: list[ChatMessage], rest: list[ChatMessage]
) -> None:
    """Raise unless exactly the doomed messages are gone."""
    found = await memory.client.contents(session)
    if missing := [each for each in rest if each.content not in found]:
        ids = ", ".join(quote(each.id) for each in doomed)
        raise Violation(
            f"lost: deleting {ids} also removed {quote(missing[0].id)}",
            f"read back {quote_list(found)}",
        )
    expect_contents(contents_of(rest), found, session=session, gone=contents_of(doomed))


def expect_listed(expected: Iterable[str], found: list[Any], gone: Iterable[str] = ()) -> None:
    """Raise unless the list has exactly these sessions, each once, in any order."""
    wanted = set(expected)
    evidence = f"listed {quote_list(found)}"
    strangers = [name for name in found if name not in wanted]
    missing = sorted(wanted.difference(found))
    if missing and len(missing) == len(strangers):
        raise Violation(
            f"corrupted: list_sessions has {quote(strangers[0])} instead of {quote(missing[0])}",
            evidence,
        )
    if missing:
        raise Violation(
            f"lost: {quote(missing[0])} has messages, but list_sessions does not return it "
            f"({len(missing)} of {len(wanted)} missing)",
            evidence,
        )
    if back := [name for name in strangers if name in set(gone)]:
        raise Violation(f"resurrected: {quote(back[0])} is empty, but still listed", evidence)
    if strangers:
        raise Violation(
            f"phantom: list_sessions returns {quote(strangers[0])}, which nobody wrote to", evidence
        )
    if len(found) > len(wanted):
        twice = next(name for name in found if found.count(name) > 1)
        raise Violation(
            f"duplicated: list_sessions returns {quote(twice)} more than once", evidence
        )


@check(
    "CLR01",
    "After clear, the session has no messages, whatever their role and number.",
    incident="ogx issue 3546: after 'Clear Chat' the model was still sent the whole previous "
    "conversation.",
    needs=[Clear],
    suite="smoke",
)
async def clearing_empties_the_session(memory: Memory) -> None:
    roles = ("system", "user", "assistant", "tool")
    for size in (1, 4, 150):
        session = memory.session(f"of-{size}")
        batch = [memory.message(role=roles[at % 4]) for at in range(size)]
        await memory.client.add(session, batch)
        await memory.client.call("clear", session)
        await memory.client.expect(session, [], gone=contents_of(batch))
        if memory.client.has("get_history", "last"):
            await memory.client.expect(session, [], gone=contents_of(batch), last=2)


@check(
    "CLR02",
    "Clearing a session twice, or one that was never written to, is not an error.",
    incident="KiraAI issue 119: deleting a session that was already gone raised a KeyError, which "
    "a double click turned into an internal server error.",
    needs=[Clear],
)
async def clearing_what_is_empty_is_no_error(memory: Memory) -> None:
    session = memory.session()
    await memory.client.call("clear", session)
    await memory.client.expect(session, [])
    await memory.client.add(session, memory.messages(2))
    for _ in range(3):
        await memory.client.call("clear", session)
    await memory.client.expect(session, [])


@check(
    "CLR03",
    "Clearing one session removes nothing from another, however similar their ids are.",
    incident="mem0ai 1.0.5 (issue 3928): delete_all of one user reset the whole collection, with "
    "every other user's memories; zapo pull request 21: the pattern 'foo*' also cleared 'foobar'.",
    needs=[Clear],
    suite="smoke",
)
async def clearing_leaves_other_sessions_alone(memory: Memory) -> None:
    others = await write_look_alikes(memory, memory.session())
    for name in alternate_ends(others):
        del others[name]
        await memory.client.call("clear", name)
        await expect_untouched(memory, others, f"clear of session {quote(name)}")


@check(
    "CLR04",
    "After clear, new messages are read back in order and none of the old ones with them.",
    incident="zep-python issue 70: a deleted session refused new messages until a purge had run; "
    "langgraph issue 7206: a late write brings a deleted thread back.",
    needs=[Clear],
)
async def a_cleared_session_begins_anew(memory: Memory) -> None:
    session, gone = memory.session(), list[Any]()
    # A day apart: equal timestamps are ORD03's concern.
    old = [memory.message(created_at=datetime(2001, 1, day, tzinfo=UTC)) for day in range(1, 5)]
    batches = [memory.messages(4), old, memory.messages(4, role="assistant"), memory.messages(4)]
    for batch in batches:
        await memory.client.add(session, batch[:3])
        await memory.client.expect(session, contents_of(batch[:3]), gone=gone)
        await memory.client.add(session, batch[3:])
        await memory.client.expect(session, contents_of(batch), gone=gone)
        await memory.client.call("clear", session)
        gone += contents_of(batch)
    await memory.client.expect(session, [], gone=gone)


@check(
    "CLR05",
    "A cleared session is still empty after the store is closed and reopened.",
    incident="hermes-webui issue 5532: clearing emptied a side file but not state.db, and the "
    "next load merged the old messages back.",
    needs=[Clear, Reopening],
)
async def cleared_messages_stay_gone_after_reopen(memory: Memory) -> None:
    cleared, kept = memory.session("cleared"), memory.session("kept")
    batch, others = memory.messages(4), memory.messages(2)
    await memory.client.add(cleared, batch)
    await memory.client.add(kept, others)
    await memory.client.call("clear", cleared)
    client = await memory.reopen()
    await client.expect(cleared, [], gone=contents_of(batch))
    await client.expect(kept, contents_of(others))
    later = memory.messages(1)
    await client.add(cleared, later)
    client = await memory.reopen()
    await client.expect(cleared, contents_of(later), gone=contents_of(batch))


@check(
    "CLR06",
    "A cleared message can be added again with its id.",
    incident="langgraph pull request 7207 proposes tombstones that drop every write to what was "
    "once deleted, even an intended one.",
    needs=[Clear, Retries],
)
async def a_cleared_message_may_be_added_again(memory: Memory) -> None:
    session, batch = memory.session(), memory.messages(3)
    for _ in range(2):
        await memory.client.add(session, batch)
        await memory.client.expect(session, contents_of(batch))
        await memory.client.call("clear", session)
    await memory.client.add(session, batch[1:])
    await memory.client.expect(session, contents_of(batch[1:]))


@check(
    "CLR07",
    "After clear_all, no session has messages, and the store still works.",
    incident="connect-dynamodb pull request 29: the cleanup read one page of a scan, and the "
    "sessions beyond it stayed.",
    needs=[method("clear_all")],
)
async def clearing_all_empties_every_session(memory: Memory) -> None:
    base, began = memory.session(), time.perf_counter()
    written = await _write_to_each(memory, make_look_alikes(base))
    pace = (time.perf_counter() - began) / len(make_look_alikes(base))
    more = draw_calls(memory, 130, 1_100, pace=2 * pace)  # each is written, and read at the end
    written |= await _write_to_each(memory, [f"{base}-{at}" for at in range(more)])
    await memory.client.call("clear_all")
    for name, batch in written.items():
        await memory.client.expect(name, [], gone=contents_of(batch))
    await memory.client.call("clear_all")
    await expect_usable(memory, base)


async def _write_to_each(memory: Memory, names: Iterable[str]) -> dict[str, list[ChatMessage]]:
    """Add a message to each session that the store does not refuse; return what each was given."""
    written: dict[str, list[ChatMessage]] = {}
    for name in names:
        batch = memory.messages(1)
        if await memory.client.offer(name, batch) is None:
            written[name] = batch
    return written


@check(
    "CLR08",
    "clear_all also removes what another opening wrote, at once and after a reopen.",
    incident="n8n pull request 25404: clearing the stored sessions left those that a running "
    "instance held in memory.",
    needs=[method("clear_all"), Reopening],
)
async def clearing_all_reaches_what_others_wrote(memory: Memory) -> None:
    one = memory.client
    two = await memory.open()
    mine, theirs = memory.session("mine"), memory.session("theirs")
    batch = memory.messages(4)
    await one.add(mine, batch[:2])
    await choose_writers(memory, one, two)[1].add(theirs, batch[2:])
    await two.expect(theirs, contents_of(batch[2:]))
    await one.call("clear_all")
    for name in (mine, theirs):
        await one.expect(name, [], gone=contents_of(batch))
        await expect_fresh(memory, two, name, [], gone=contents_of(batch))
    client = await memory.reopen()
    for name in (mine, theirs):
        await client.expect(name, [], gone=contents_of(batch))


@check(
    "CLR09",
    "Deleting messages by id removes exactly those; the rest stays in order.",
    incident="esmska issue 294: a message that arrived while the user was asked 'delete?' shifted "
    "the positions, and the wrong one was deleted.",
    needs=[Delete, carries("id")],
)
async def deleting_removes_exactly_those(memory: Memory) -> None:
    for places in ((0,), (6,), (3,), (1, 4), (5, 0, 2), (6, 5, 4, 3, 2, 1)):
        session, batch = await write_session(memory, 7, "deleting")
        doomed = [batch[place] for place in places]
        await memory.client.call("delete_messages", session, ids_of(doomed))
        rest = [each for each in batch if each not in doomed]
        await expect_deleted(memory, session, doomed, rest)


@check(
    "CLR10",
    "Deleting unknown ids, deleted ids, no ids, or ids of an empty session changes nothing.",
    incident="waha issue 1897: the second request to delete a message was answered with an "
    "internal server error.",
    needs=[Delete, carries("id")],
)
async def deleting_what_is_not_there_changes_nothing(memory: Memory) -> None:
    session, batch, unknown = memory.session(), memory.messages(4), memory.message()
    await memory.client.add(session, batch)
    await memory.client.call("delete_messages", memory.session("empty"), ids_of(batch))
    for ids in ([], [unknown.id], [unknown.id, unknown.id]):
        await memory.client.call("delete_messages", session, ids)
        await memory.client.expect(session, contents_of(batch))
    doomed = batch.pop(2)
    mixed = [doomed.id, unknown.id, doomed.id], [doomed.id], [unknown.id, doomed.id]
    # One that refuses the unknown refuses a list with such whole, or has removed the others.
    refuses = "delete_messages" in memory.transcript.dialect.unknown
    for ids in ([doomed.id],) if refuses else mixed:
        await memory.client.call("delete_messages", session, ids)
        await memory.client.expect(session, contents_of(batch), gone=[doomed.content])


@check(
    "CLR11",
    "Deleting a message leaves one with the same id in another session alone.",
    incident="opencode pull request 14417 at first deleted a message by its id alone, in whatever "
    "session it was, until a reviewer asked for the session too.",
    needs=[Delete, carries("id")],
)
async def deleting_stays_within_its_session(memory: Memory) -> None:
    sessions = [memory.session("one"), memory.session("two"), memory.session("three")]
    names = [memory.message_id(f"shared-{memory.session()}-{at}") for at in range(3)]
    batches = {each: [memory.message(id=name) for name in names] for each in sessions}
    for session, batch in batches.items():
        await memory.client.add(session, batch)
    if [len(await memory.client.contents(each)) for each in sessions] != [3, 3, 3]:
        return  # whether sessions may share ids is ISO's concern
    await memory.client.call("delete_messages", sessions[1], names[:2])
    others = {each: contents_of(batches[each]) for each in (sessions[0], sessions[2])}
    await expect_untouched(memory, others, f"delete_messages in session {quote(sessions[1])}")
    await memory.client.expect(sessions[1], contents_of(batches[sessions[1]][2:]))
    own = memory.messages(1)
    await memory.client.add(sessions[0], own)
    await memory.client.call("delete_messages", sessions[1], ids_of(own))
    others[sessions[0]] += contents_of(own)
    await expect_untouched(memory, others, f"delete_messages in session {quote(sessions[1])}")


@check(
    "CLR12",
    "All messages of a session can be deleted, and the session can be used again.",
    incident="Redis documents that a list without elements no longer exists: code that takes the "
    "missing key for an error fails on the first message after the last one is deleted.",
    needs=[Delete, carries("id")],
)
async def deleting_every_message_leaves_an_empty_session(memory: Memory) -> None:
    for size in (1, 5, 120):
        session, batch = await write_session(memory, size, f"of-{size}")
        await memory.client.call("delete_messages", session, ids_of(batch))
        await memory.client.expect(session, [], gone=contents_of(batch))
        await expect_usable(memory, session, gone=contents_of(batch))


@check(
    "CLR13",
    "Deleting an id spares ids that it is a prefix of, matches as a pattern, or resembles.",
    incident="SQLite documents that LIKE ignores the case of ASCII letters and treats % and _ as "
    "wildcards; langgraph-checkpoint-sqlite 3.1.0 confused 'john_doe' and 'john-doe' that way.",
    needs=[Delete, carries("id")],
)
async def ids_to_delete_are_compared_exactly(memory: Memory) -> None:
    session = memory.session()
    there: list[ChatMessage] = []
    for ending in ("*", "%", "_", "?", "[0-9]", "", "1", "10", " ", "'", ",1", "/1", "A", "a"):
        message = memory.message(id=f"m{session}{ending}")
        if await memory.client.offer(session, [message]) is None:
            there.append(message)
    if await memory.client.contents(session) != contents_of(there):
        return  # the store already confuses the ids when it adds them
    while there:
        doomed = there.pop(0)
        await memory.client.call("delete_messages", session, [doomed.id])
        await expect_deleted(memory, session, [doomed], there)


@check(
    "CLR14",
    "After a reopen, deleted messages are still gone and the rest is still in order.",
    incident="mem0 issue 3695: memories that delete_all had removed from the dashboard still came "
    "up in searches.",
    needs=[Delete, carries("id"), Reopening],
)
async def deleted_messages_stay_gone_after_reopen(memory: Memory) -> None:
    session, batch = await write_session(memory, 6)
    await memory.client.call("delete_messages", session, ids_of([batch[0], batch[3]]))
    rest = contents_of([*batch[1:3], *batch[4:]])
    client = await memory.reopen()
    await client.expect(session, rest, gone=contents_of(batch))
    later = memory.messages(1)
    await client.add(session, later)
    await client.expect(session, rest + contents_of(later), gone=contents_of(batch))


@check(
    "CLR15",
    "A deleted message can be added again with its id and is then the newest.",
    incident="OpenChat pull request 5610 had to fix undelete: a deleted message that was wanted "
    "back stayed away.",
    needs=[Delete, carries("id"), Retries],
)
async def a_deleted_message_may_be_added_again(memory: Memory) -> None:
    session, batch = await write_session(memory, 4)
    for message in (batch[1], batch[3], batch[1]):
        await memory.client.call("delete_messages", session, [message.id])
        rest = await memory.client.contents(session)
        await memory.client.add(session, [message])
        await memory.client.expect(session, [*rest, message.content])


@check(
    "CLR16",
    "After a delete, trim and ``last`` count only the messages that are left.",
    incident="JabbR issue 1121: a room's history was trimmed by a count that included entries "
    "other than messages, so too few messages were left.",
    needs=[Delete, carries("id"), method("trim", "keep_last")],
)
async def deleting_and_trimming_count_the_same_messages(memory: Memory) -> None:
    session, batch = await write_session(memory, 9)
    await memory.client.call("delete_messages", session, ids_of([batch[8], batch[6], batch[1]]))
    rest = contents_of([batch[0], *batch[2:6], batch[7]])
    if memory.client.has("get_history", "last"):
        await memory.client.expect(session, rest[-3:], last=3)
    await memory.client.call("trim", session, keep_last=4)
    found = await memory.client.contents(session)
    if any(each in found for each in rest[:2]):
        raise Violation(
            f"wrong: three messages were deleted, then trim(keep_last=4) left {len(found)}"
        )
    await memory.client.expect(session, rest[2:], gone=contents_of(batch))
    await memory.client.call("delete_messages", session, ids_of([batch[0], batch[4]]))
    await memory.client.expect(session, contents_of([batch[3], batch[5], batch[7]]))


@check(
    "CLR17",
    "Every session that has messages is listed once, under exactly the id it was given.",
    incident="Redis documents that SCAN may return an element several times; Codex returned at "
    "most 100 threads, however many were asked for (paseo pull request 5074).",
    needs=[method("list_sessions")],
)
async def sessions_are_listed_once_each(memory: Memory) -> None:
    expect_listed([], await list_sessions(memory.client))
    await memory.client.contents(memory.session("only-read"))
    expect_listed([], await list_sessions(memory.client))
    base = memory.session("Listed")
    began = time.perf_counter()
    there = await write_look_alikes(memory, base)
    confused = set(make_look_alikes(base)) - set(there)
    pace = (time.perf_counter() - began) / len(make_look_alikes(base))
    for at in range(draw_calls(memory, 130, 1_100, pace=pace) - len(there)):
        session, batch = await write_session(memory, 2, f"number-{at}")
        there[session] = contents_of(batch)
    expect_listed(
        there, [name for name in await list_sessions(memory.client) if name not in confused]
    )


@check(
    "CLR18",
    "A cleared session is not listed until something is added to it.",
    incident="signalbox issue 78: clearing a session did not remove it from the list that users "
    "jump to sessions from.",
    needs=[method("list_sessions"), Clear, trait("unlisted_empties")],
)
async def cleared_sessions_are_not_listed(memory: Memory) -> None:
    sessions = [memory.session(f"number-{at}") for at in range(4)]
    for session in sessions:
        await memory.client.add(session, memory.messages(2))
    await memory.client.call("clear", memory.session("never-written"))
    for at, session in enumerate(sessions):
        expect_listed(sessions[at:], await list_sessions(memory.client), gone=sessions[:at])
        await memory.client.call("clear", session)
    expect_listed([], await list_sessions(memory.client), gone=sessions)
    await memory.client.add(sessions[1], memory.messages(1))
    expect_listed(sessions[1:2], await list_sessions(memory.client), gone=sessions)
    if memory.client.has("clear_all"):
        await memory.client.call("clear_all")
        expect_listed([], await list_sessions(memory.client), gone=sessions)


@check(
    "CLR19",
    "list_sessions(prefix=…) lists the sessions that begin with exactly this text, and no others.",
    incident="langgraph-checkpoint-sqlite 3.1.0 looked up names by LIKE: 'john_doe' also matched "
    "'john-doe', because _ stands for any character, and case was ignored.",
    needs=[spelled("list_sessions", "prefix")],
)
async def a_prefix_is_compared_as_text(memory: Memory) -> None:
    tag, there = memory.session(), list[str]()
    for each in PREFIXED:
        if await memory.client.offer(f"{tag}{each}", memory.messages(1)) is None:
            there.append(f"{tag}{each}")
    if set(there) - set(await list_sessions(memory.client)):
        return  # CLR17 has more to say
    for beginning in ("", "user", "user_", "100%", "a*", "a?", "a.", "[ab]", "U", "no-such"):
        prefix = f"{tag}{beginning}"
        found = await list_sessions(memory.client, prefix=prefix)
        wanted = [name for name in there if name.startswith(prefix)]
        if strangers := [name for name in found if name not in wanted]:
            raise Violation(
                f"leaked: list_sessions(prefix={quote(prefix)}) returns {quote(strangers[0])}",
                f"listed {quote_list(found)}",
            )
        expect_listed(wanted, found)


@check(
    "CLR20",
    "Deleting hundreds of messages in one call removes all of them, and counts them rightly.",
    incident="AWS documents that a DynamoDB BatchWriteItem takes at most 25 items: a removal that "
    "works in portions, and returns what the last one removed, tells of a handful of hundreds.",
    needs=[Delete, carries("id")],
)
async def hundreds_of_messages_are_deleted_at_once(memory: Memory) -> None:
    few, batch = await write_session(memory, 5, "few")
    counts = await memory.client.call("delete_messages", few, ids_of(batch[1:4])) == 3
    size = await memory.affordable(draw_size(memory, 600, 1_500), least=520)
    session, batch = await write_session(memory, size, "many")
    kept = set(memory.random.sample(range(size), 5))
    rest = [each for at, each in enumerate(batch) if at in kept]
    doomed = [each for at, each in enumerate(batch) if at not in kept]
    patient = memory.client.waiting(4 * memory.deadline)  # each may be a transaction of its own
    said = await patient.call("delete_messages", session, ids_of(doomed))
    found = await memory.client.contents(session)
    expect_contents(contents_of(rest), found, session=session, gone=contents_of(doomed))
    if counts and said != len(doomed):
        raise Violation(
            f"wrong: delete_messages removed {len(doomed)} messages and returned {quote(said)}"
        )
