"""CLR: deleting removes exactly the messages that it names."""

from goldfish.catalogue.registry import Reopening, Retries, carries, check, method
from goldfish.catalogue.support.leftovers import expect_nothing_inherited
from goldfish.catalogue.support.neighbours import expect_untouched
from goldfish.catalogue.support.sessions import expect_usable, ids_of, write_session
from goldfish.catalogue.support.sizes import draw_size
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage

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
    await expect_nothing_inherited(
        memory, lambda own, there: memory.client.call("delete_messages", own, ids_of(there))
    )


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
    needs=[Delete, carries("id")],
)
async def deleting_and_trimming_count_the_same_messages(memory: Memory) -> None:
    reads_last = memory.client.has("get_history", "last")
    if not (reads_last or memory.client.has("trim", "keep_last")):
        raise UnsupportedError(Reason.of(Why.LACKS_METHODS, "get_history(last=…)", "trim"))
    session, batch = await write_session(memory, 9)
    await memory.client.call("delete_messages", session, ids_of([batch[8], batch[6], batch[1]]))
    rest = contents_of([batch[0], *batch[2:6], batch[7]])
    if reads_last:
        await memory.client.expect(session, rest[-3:], last=3)
    if not memory.client.has("trim", "keep_last"):
        return
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
