"""ORD: a session has one order, the order of its writes; ``last`` counts from its end."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from typing import Any

from goldfish.catalogue.registry import Reopening, check, method, trait
from goldfish.catalogue.support.sessions import write_session
from goldfish.findings.comparison import expect_contents, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage

Last = method("get_history", "last")


@check(
    "ORD01",
    "The messages of a batch are read back in the order in which they were passed.",
    incident="google-adk 2.13.0 DatabaseSessionService returned the events of one invocation "
    "shuffled: it ordered them by nothing but their timestamps.",
    suite="smoke",
    basic=True,
)
async def a_batch_comes_back_in_the_order_it_was_given(memory: Memory) -> None:
    session, batch = memory.session(), shuffle(memory, memory.messages(20))
    await memory.client.add(session, batch)
    await memory.client.expect(session, contents_of(batch))


@check(
    "ORD02",
    "Batches and single messages are read back in the order in which they were acknowledged.",
    incident="OpenBazaar-Client issue 856: the newest message was shown at the top of the "
    "conversation instead of at its end; a Redis list filled with LPUSH does the same.",
    suite="smoke",
    basic=True,
)
async def later_batches_come_after_earlier_ones(memory: Memory) -> None:
    session, said = memory.session(), list[Any]()
    messages = iter(shuffle(memory, memory.messages(12)))
    for size in (1, 3, 1, 1, 4, 2):
        batch = [next(messages) for _ in range(size)]
        await memory.client.add(session, batch)
        said += contents_of(batch)
        await memory.client.expect(session, said)


@check(
    "ORD03",
    "Messages with equal timestamps stay in the order in which they were written.",
    incident="google-adk 2.13.0 DatabaseSessionService returned events with equal timestamps "
    "shuffled; dust-tt/dust pull request 685 found the same after a migration.",
)
async def equal_timestamps_keep_the_order_of_writing(memory: Memory) -> None:
    moment = datetime(2026, 3, 29, 0, 59, 59, 999999, tzinfo=UTC)
    await expect_order_kept(memory, shuffle(memory, memory.messages(24, created_at=moment)))


@check(
    "ORD04",
    "A message with an old or a future timestamp stays in the place where it was written.",
    incident="anomalyco/opencode issue 46102: messages were sorted by a clock that was read "
    "separately from the write, so a later message could sort before an earlier one.",
)
async def timestamps_do_not_change_the_order(memory: Memory) -> None:
    now = datetime(2026, 6, 1, 12, tzinfo=UTC)
    seconds = [0, -1, 1, -86400, 3600, 1e-6, 0, 10**9, -1e-3, -(10**9), 0.5, 86400]
    times = [now + timedelta(seconds=each) for each in seconds]
    await expect_order_kept(memory, [memory.message(created_at=each) for each in times])


@check(
    "ORD05",
    "Timestamps in different time zones do not change the order of the messages.",
    incident="SQLite has no type for times and compares them as text, the usual storage by its "
    "documentation: 11:00+00:00 sorts before 12:00+02:00, which is an hour earlier.",
)
async def time_zones_do_not_change_the_order(memory: Memory) -> None:
    start = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    offsets = [0, 14, -12, 5.75, -3.5, 2, 1, 9, -8, 0]
    zones = [timezone(timedelta(hours=each)) for each in offsets]
    times = [start + timedelta(minutes=at) for at in range(len(zones))]
    batch = [
        memory.message(created_at=time.astimezone(zone))
        for time, zone in zip(times, zones, strict=True)
    ]
    await expect_order_kept(memory, batch)


@check(
    "ORD06",
    "Messages stay in the order of writing, however their ids sort.",
    incident="anomalyco/opencode issue 38791: the newest message was found by comparing ids as "
    "text; in a session with another kind of id it was an old one, and the agent never stopped.",
)
async def message_ids_do_not_change_the_order(memory: Memory) -> None:
    down = [f"{number:04d}" for number in range(12, 0, -1)]
    text = ["z", "a", "M", "m", "Z", "10", "9", "1", "100", "2", "ä", "_"]
    await expect_order_kept(memory, [memory.message(id=name) for name in down])
    await expect_order_kept(memory, [memory.message(id=name) for name in text])


@check(
    "ORD07",
    "Messages stay in the order of writing, however their contents sort.",
    incident="Redis documents that members of a sorted set with equal scores are ordered by their "
    "bytes: a history kept in one and scored by the second is sorted by what was said.",
)
async def contents_do_not_change_the_order(memory: Memory) -> None:
    texts = [f"{letter} {memory.text()}" for letter in "zaMmZ10"]
    texts += [memory.text(" ".join(["long"] * size)) for size in (40, 1, 20, 2)]
    texts += [memory.text(), memory.text("again"), texts[0], texts[3], texts[0]]
    moment = datetime(2026, 6, 1, tzinfo=UTC)
    await expect_order_kept(memory, [memory.message(each, created_at=moment) for each in texts])


@check(
    "ORD08",
    "A session stays in order beyond ten, a hundred and a thousand messages.",
    incident="PowerPointLabs issue 587: numbered parts were sorted as text and came out as 1, 10, "
    "11, 2; a history with keys like 'message:10' does the same from the tenth message on.",
    basic=True,
)
async def more_than_a_thousand_messages_stay_in_order(memory: Memory) -> None:
    session, client = memory.session(), memory.client
    batch = memory.messages(await memory.affordable(1105, least=205))
    left = iter(batch)
    # A limit may count calls, not messages: that of a stream counts entries, which may be batches.
    for size in (9, 1, 1, 4, 90, *[1] * (len(batch) * 3 // 10), len(batch)):
        if turn := list(islice(left, size)):
            await client.add(session, turn)
    await client.expect(session, contents_of(batch))


@check(
    "ORD09",
    "Roles do not change the order: a late system message stays late.",
    incident="posit-dev/shinychat issue 306: a conversation that began with the assistant's "
    "greeting was restored with the user's first message before it.",
)
async def roles_do_not_change_the_order(memory: Memory) -> None:
    roles = ["user", "assistant", "system", "user", "user", "assistant", "assistant", "system"]
    await expect_order_kept(memory, [memory.message(role=role) for role in [*roles, *roles[::-1]]])


@check(
    "ORD10",
    "Tool results stay behind the call that asked for them, in the order they were added.",
    incident="skorokithakis/stavrobot issue 7: a tool's result was stored before its call, and "
    "from then on the provider refused every request in that conversation.",
)
async def tool_results_stay_behind_their_calls(memory: Memory) -> None:
    batch = [memory.message()]
    for names in (["z", "a"], ["m"], ["b", "c", "a"]):
        calls = [{"id": name, "name": f"tool-{name}", "arguments": "{}"} for name in names]
        batch.append(memory.message(role="assistant", tool_calls=calls))
        batch += [
            memory.message(role="tool", tool_call_id=name, name=f"tool-{name}") for name in names
        ]
        batch.append(memory.message(role="assistant"))
    await expect_order_kept(memory, batch)


@check(
    "ORD11",
    "``last=n`` returns the n newest messages, oldest first.",
    incident="AgentiveAU/MyAgentive issue 123: LIMIT 100 with an ascending order always returned "
    "the oldest hundred messages, so the agent no longer saw what was just said.",
    needs=[Last],
    suite="smoke",
)
async def last_gives_the_newest_in_order(memory: Memory) -> None:
    session, batch = memory.session(), shuffle(memory, memory.messages(12))
    await memory.client.add(session, batch[:5])
    await memory.client.add(session, batch[5:])
    for last in (1, 2, 3, 10, 11):
        await expect_last(memory, session, contents_of(batch), last)


@check(
    "ORD12",
    "``last`` at or above the length of the history returns all of it, even if that is nothing.",
    incident="openai/openai-agents-python pull request 4228: a limit above a hundred was an error, "
    "because it was passed on as the page size.",
    needs=[Last],
)
async def last_beyond_the_beginning_gives_all(memory: Memory) -> None:
    session, batch = await write_session(memory, 7)
    for last in (7, 8, 13, 14, 101, 1000, 2**31 - 1):
        await expect_last(memory, session, contents_of(batch), last)
    for last in (1, 5):
        await expect_last(memory, memory.session("unknown"), [], last)


@check(
    "ORD13",
    "``last=0`` returns no messages.",
    incident="openai/openai-agents-python pull request 4979: get_items(limit=0) of the FileSession "
    "example returned the whole history, because in Python items[-0:] is items[0:].",
    needs=[Last, trait("last_zero")],
)
async def last_zero_gives_nothing(memory: Memory) -> None:
    session, batch = await write_session(memory, 4)
    await expect_last(memory, session, contents_of(batch), 0)
    await expect_last(memory, memory.session("unknown"), [], 0)
    await memory.client.expect(session, contents_of(batch))


@check(
    "ORD14",
    "A negative ``last`` raises or returns nothing; it never returns some of the messages.",
    incident="SQLite documents that a negative LIMIT means no limit, and in Python items[--2:] is "
    "all but the first two: an arithmetic mistake becomes a wrong history.",
    needs=[Last, trait("strict_last")],
)
async def a_negative_last_is_refused(memory: Memory) -> None:
    session, _ = await write_session(memory, 5)
    for last in (-1, -2, -5, -100):
        try:
            found = await memory.client.contents(session, last=last)
        except StoreError:
            continue
        if found:
            raise Violation(
                f"wrong: last={last} returned {len(found)} of 5 messages instead of an error",
                f"read back {quote_list(found)}",
            )


@check(
    "ORD15",
    "After each write, ``last`` ends with the message that was just added.",
    incident="MemberJunction/MJ pull request 1730: the cache of a conversation was not dropped "
    "when a message was added, so readers kept seeing its old end.",
    needs=[Last],
)
async def last_follows_every_write(memory: Memory) -> None:
    session, said = memory.session(), list[Any]()
    for size in (1, 2, 1, 9, 1):
        batch = memory.messages(size)
        await memory.client.add(session, batch)
        before, said = said, [*said, *contents_of(batch)]
        for last in (1, 2, 5):
            await expect_last(memory, session, said, last, before=before)


@check(
    "ORD16",
    "Messages added after the store was reopened come after those that were there before.",
    incident="connamara/quickfixn issue 139: a restart began the numbers of a session at 1 again; "
    "anomalyco/opencode issue 43303 shows the result in a chat: new messages sort as the "
    "oldest.",
    needs=[Reopening],
    basic=True,
)
async def the_order_goes_on_after_reopening(memory: Memory) -> None:
    session, batch = memory.session(), shuffle(memory, memory.messages(15))
    await memory.client.add(session, batch[:12])
    await memory.client.add(memory.session(), memory.messages(2))
    client = await memory.reopen()
    await client.add(session, batch[12:14])
    await client.add(session, batch[14:])
    await client.expect(session, contents_of(batch))
    client = await memory.reopen()
    await client.expect(session, contents_of(batch))


@check(
    "ORD17",
    "A second opening of the storage reads the same order as the first, every time.",
    incident="GetStream/stream-chat-flutter issue 1987: two readers of one conversation saw two "
    "messages in different orders.",
    needs=[Reopening],
    basic=True,
)
async def every_reader_sees_the_same_order(memory: Memory) -> None:
    session, batch = memory.session(), shuffle(memory, memory.messages(14))
    writer = memory.client
    await writer.add(session, batch[:11])
    reader = await memory.open()
    await reader.expect(session, contents_of(batch[:11]))
    await writer.add(session, batch[11:])
    for client in (writer, reader, writer):
        if await client.contents(session) == contents_of(batch[:11]):
            raise Violation("stale: a reader still returns the history that it read first")
        await client.expect(session, contents_of(batch))


@check(
    "ORD18",
    "Sessions that are written in turn each keep the order of their own messages.",
    incident="odysseus-dev/odysseus pull request 267: histories that several tasks wrote at the "
    "same time drifted into each other.",
    basic=True,
)
async def each_session_keeps_its_own_order(memory: Memory) -> None:
    sessions = [memory.session() for _ in range(3)]
    batches = [shuffle(memory, memory.messages(12)) for _ in sessions]
    for at in range(0, 12, 2):
        for session, batch in zip(sessions, batches, strict=True):
            await memory.client.add(session, batch[at : at + 2])
    for session, batch in zip(sessions, batches, strict=True):
        await memory.client.expect(session, contents_of(batch))


async def expect_order_kept(memory: Memory, batch: Sequence[ChatMessage]) -> None:
    """Raise unless the messages keep their order as one batch, as several, and one by one."""
    for size, mark in ((len(batch), ""), (3, "1"), (1, "2")):
        session = memory.session()
        messages = [
            each.model_copy(update={"id": memory.message_id(each.id + mark)}) for each in batch
        ]
        for at in range(0, len(batch), size):
            await memory.client.add(session, messages[at : at + size])
        await memory.client.expect(session, contents_of(batch))


async def expect_last(
    memory: Memory, session: str, said: Sequence[Any], last: int, before: Sequence[Any] = ()
) -> None:
    """Raise unless ``last`` returns the newest messages in order.

    ``before`` is what had been said before the latest write.
    """
    expected = list(said[-last:]) if last else []
    found = await memory.client.contents(session, last=last)
    if found == expected:
        return
    if any(each not in said for each in found) or sorted(found) == sorted(expected):
        expect_contents(expected, found, session=session)
    if before and found == list(before[-last:]):
        raise Violation(f"stale: last={last} returned what it returned before the latest write")
    what = f"{len(found)}, not {len(expected)}"
    if len(found) == len(expected):
        what = "the oldest" if found == list(said[:last]) else "others than the newest"
    raise Violation(
        f"wrong: last={last} of {len(said)} messages returned {what}",
        f"expected {quote_list(expected)}",
        f"read back {quote_list(found)}",
    )


def shuffle(memory: Memory, messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return the messages in an order that neither contents, ids nor timestamps would give."""
    memory.random.shuffle(messages)
    return messages
