"""TRM: trimming keeps exactly the newest messages, and touches nothing else."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from goldfish.catalogue.registry import Reopening, Retries, check, method, trait
from goldfish.catalogue.support.neighbours import (
    alternate_ends,
    expect_untouched,
    write_look_alikes,
)
from goldfish.catalogue.support.sessions import expect_usable, write_session
from goldfish.catalogue.support.sizes import draw_size
from goldfish.catalogue.support.steadiness import expect_steady, read_steady_fields
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of

Trim = method("trim", "keep_last")


def take_newest(contents: Sequence[Any], count: int) -> list[Any]:
    """Return the last ``count`` contents: none for 0, where the slice ``[-0:]`` has all."""
    return list(contents[-count:]) if count else []


def expect_trimmed(before: Sequence[Any], found: Sequence[Any], keep: int, *, session: str) -> None:
    """Raise unless ``found`` is the newest ``keep`` of what was there before."""
    kept = take_newest(before, keep)
    if list(found) == kept:
        return
    evidence = (f"before {quote_list(before)}", f"after {quote_list(found)}")
    if missing := [each for each in kept if each not in found]:
        raise Violation(
            f"lost: trim(keep_last={keep}) of {len(before)} messages removed "
            f"{quote(missing[0])}, one of the newest {keep}",
            *evidence,
        )
    if any(each in found for each in before[: len(before) - len(kept)]):
        raise Violation(
            f"wrong: trim(keep_last={keep}) of {len(before)} messages left {len(found)}", *evidence
        )
    expect_contents(kept, found, session=session)


async def trim(memory: Memory, session: str, before: Sequence[Any], keep: int) -> list[Any]:
    """Trim, raise unless exactly the newest are left, and return them."""
    await memory.client.call("trim", session, keep_last=keep)
    expect_trimmed(before, await memory.client.contents(session), keep, session=session)
    return take_newest(before, keep)


async def trim_in_turn(memory: Memory, size: int, *keeps: int) -> None:
    """Write a session of this size, and trim it to each of these numbers in turn."""
    session, batch = await write_session(memory, size)
    left = contents_of(batch)
    for keep in keeps:
        left = await trim(memory, session, left, keep)


@check(
    "TRM01",
    "Trimming keeps exactly the newest messages, as many as asked for, in order.",
    incident="vircadia-web (pull request 129) trimmed its chat from the wrong end: it removed the "
    "newest messages and kept the oldest.",
    needs=[Trim],
    suite="smoke",
)
async def trimming_keeps_exactly_the_newest(memory: Memory) -> None:
    for size, keep in ((7, 3), (7, 1), (7, 6), (2, 1), (8, 4)):
        session = memory.session(f"{size}-to-{keep}")
        batch = [memory.message(role=("user", "assistant")[at % 2]) for at in range(size)]
        await memory.client.add(session, batch[:2])
        for message in batch[2:]:
            await memory.client.add(session, [message])
        await trim(memory, session, contents_of(batch), keep)


@check(
    "TRM02",
    "Trimming returns the number of messages that it removed.",
    incident="Redis documents that LTRIM replies OK and never how many elements it removed; a "
    "wrapper that returns this reply tells its caller nothing that can be counted.",
    needs=[Trim, trait("trim_counts")],
)
async def trimming_says_how_many_it_removed(memory: Memory) -> None:
    session = memory.session()
    await memory.client.add(session, memory.messages(9))
    for keep, removed in ((6, 3), (6, 0), (8, 0), (5, 1), (1, 4), (0, 1), (0, 0)):
        said = await memory.client.call("trim", session, keep_last=keep)
        if isinstance(said, bool) or said != removed:
            raise Violation(
                f"wrong: trim(keep_last={keep}) removed {removed} and returned {quote(said)}"
            )
    size = await memory.affordable(draw_size(memory, 600, 1_500), least=520)
    session, batch = await write_session(memory, size, "long")
    keep = memory.random.randrange(1, 9)
    said = await memory.client.call("trim", session, keep_last=keep)
    expect_trimmed(contents_of(batch), await memory.client.contents(session), keep, session=session)
    if said != size - keep:
        raise Violation(
            f"wrong: trim was to remove {size - keep} messages and returned {quote(said)}"
        )


@check(
    "TRM03",
    "Trimming to zero removes every message, and the session can be used again.",
    incident="SciLink (pull request 514): a trim with a small cap computed history[-0:], which in "
    "Python is the whole list, so trimming made the history longer.",
    needs=[Trim],
)
async def trimming_to_nothing_removes_all(memory: Memory) -> None:
    for size in (1, 5):
        session, batch = await write_session(memory, size, f"of-{size}")
        await trim(memory, session, contents_of(batch), 0)
        await expect_usable(memory, session, gone=contents_of(batch))


@check(
    "TRM04",
    "Trimming to the current length or more removes nothing.",
    incident="SQLite documents that a negative LIMIT means no limit: a DELETE of the oldest "
    "(count - keep) rows empties the table as soon as keep is larger than count.",
    needs=[Trim],
)
async def trimming_beyond_the_end_removes_nothing(memory: Memory) -> None:
    await trim_in_turn(memory, 4, 4, 5, 9, 1_000_000)


@check(
    "TRM05",
    "Trimming an unknown session is not an error and does not harm its first message.",
    incident="KiraAI issue 119: removing a session that was not there raised a KeyError, which "
    "users saw as an internal server error whenever two tabs did the same.",
    needs=[Trim],
)
async def trimming_what_is_not_there_is_no_error(memory: Memory) -> None:
    for keep in (3, 0):
        session = memory.session(f"to-{keep}")
        await memory.client.call("trim", session, keep_last=keep)
        await memory.client.expect(session, [])
        await expect_usable(memory, session, count=1)


@check(
    "TRM06",
    "Trimming a session takes nothing from another, similar or older, and keeps its own newest.",
    incident="langgraph-checkpoint-sqlite 3.1.0 matched ids by prefix and treated 'john_doe' as a "
    "pattern; a removal that selects like that empties other people's sessions.",
    needs=[Trim],
)
async def trimming_leaves_other_sessions_alone(memory: Memory) -> None:
    others = await write_look_alikes(memory, memory.session())
    for name in alternate_ends(others):
        mine = others.pop(name)
        await memory.client.call("trim", name, keep_last=1)
        await expect_untouched(memory, others, f"trim of session {quote(name)}")
        await memory.client.expect(name, mine[-1:], gone=mine[:-1])
    await _trim_one_of_two(memory)


async def _trim_one_of_two(memory: Memory) -> None:
    """Trim one of two sessions that were written by turns, so that neither is in one piece."""
    mine, other = memory.session("mine"), memory.session("other")
    there: dict[str, list[Any]] = {mine: [], other: []}
    for _ in range(6):
        for session, contents in there.items():
            batch = memory.messages(1)
            await memory.client.add(session, batch)
            contents += contents_of(batch)
    await trim(memory, mine, there[mine], 4)
    await expect_untouched(memory, {other: there[other]}, f"trim of session {quote(mine)}")


@check(
    "TRM07",
    "However adds and trims alternate, new messages come last and trimmed ones stay gone.",
    incident="bug-ops/zeph issue 5277: positions that were handed out before a trim pointed to "
    "other messages after it.",
    needs=[Trim],
)
async def messages_added_after_trimming_go_to_the_end(memory: Memory) -> None:
    session, there, gone = memory.session(), list[Any](), list[Any]()
    for _ in range(12):
        batch = memory.messages(memory.random.randrange(1, 6))
        await memory.client.add(session, batch)
        there += contents_of(batch)
        await memory.client.expect(session, there, gone=gone)
        keep = memory.random.randrange(len(there) + 2)
        left = await trim(memory, session, there, keep)
        gone += there[: len(there) - len(left)]
        there = left


@check(
    "TRM08",
    "After a trim and a reopen, trimmed messages are still gone and the others still there.",
    incident="hermes-webui issue 5532: a session was emptied in one file but not in its database, "
    "and the next load merged the old messages back.",
    needs=[Trim, Reopening],
)
async def trimmed_messages_stay_gone_after_reopen(memory: Memory) -> None:
    session, batch = await write_session(memory, 8)
    there = contents_of(batch)
    for keep in (5, 2, 0):
        left = await trim(memory, session, there, keep)
        client = await memory.reopen()
        await client.expect(session, left, gone=there[: len(there) - len(left)])
        there = left


@check(
    "TRM09",
    "Trimming again to the same number changes nothing.",
    incident="openai-agents issue 5010: a compaction that saw only the newest window replaced the "
    "whole session with it, and every further round deleted what lay outside.",
    needs=[Trim],
)
async def trimming_again_removes_nothing_more(memory: Memory) -> None:
    await trim_in_turn(memory, 6, 3, 3, 3, 3)


@check(
    "TRM10",
    "Trimming to a negative number is refused or removes nothing.",
    incident="Redis documents that negative indices of LTRIM count from the end: a computed "
    "keep_last below zero then removes messages from the wrong side without an error.",
    needs=[Trim, trait("strict_trim")],
)
async def trimming_to_a_negative_number_removes_nothing(memory: Memory) -> None:
    for keep in (-1, -3, -100):
        session, batch = await write_session(memory, 5, "negative")
        with suppress(StoreError):  # an error is what it should be
            await memory.client.call("trim", session, keep_last=keep)
        found = await memory.client.contents(session)
        if removed := [each for each in contents_of(batch) if each not in found]:
            raise Violation(
                f"wrong: trim(keep_last={keep}) removed {len(removed)} of {len(batch)} messages"
            )


@check(
    "TRM11",
    "A trimmed message can be added again and is then the newest.",
    incident="langgraph pull request 7207 proposes tombstones that drop every later write to what "
    "was deleted; kept per message, they swallow one that is written again on purpose.",
    needs=[Trim, Retries],
)
async def a_trimmed_message_may_be_added_again(memory: Memory) -> None:
    session, batch = await write_session(memory, 4)
    left = await trim(memory, session, contents_of(batch), 2)
    await memory.client.add(session, [batch[0]])
    await memory.client.expect(session, [*left, batch[0].content])


@check(
    "TRM12",
    "Trimming keeps the messages that were added last, whatever their timestamps and ids.",
    incident="spring-ai issue 3149: every message of a conversation got the same timestamp, by "
    "which the JDBC chat memory ordered and cut its window.",
    needs=[Trim],
)
async def trimming_goes_by_the_order_of_adding(memory: Memory) -> None:
    noon = datetime(2024, 2, 29, 12, tzinfo=UTC)
    for kind, hours in (("equal", [0] * 6), ("back-dated", [0, -1, 5, -2, 3, -9])):
        session = memory.session(kind)
        batch = [
            memory.message(id=f"{session}-{9 - at}", created_at=noon + timedelta(hours=hour))
            for at, hour in enumerate(hours)
        ]
        for message in batch:
            await memory.client.add(session, [message])
        if await memory.client.contents(session) == contents_of(batch):  # else ORD has more to say
            await trim(memory, session, contents_of(batch), 3)


@check(
    "TRM13",
    "The messages that a trim keeps are unchanged in every field.",
    incident="spring-ai issue 3149: a window that deletes the conversation and writes the rest "
    "again stamped every message with the current time.",
    needs=[Trim],
)
async def trimming_changes_nothing_about_what_remains(memory: Memory) -> None:
    session = memory.session()
    batch = memory.messages(4, role="tool", name="weather", tool_call_id="call-1")
    batch += memory.messages(2, metadata={"deep": {"list": [1, None, "é"]}, "n": 2**53 + 1})
    batch += memory.messages(1, role="assistant", tool_calls=[{"id": "call-2", "type": "function"}])
    await memory.client.add(session, batch)
    before = await read_steady_fields(memory, session)
    await memory.client.call("trim", session, keep_last=5)
    after = await memory.client.history(session)
    gone = [each["content"] for each in before[:-5]]
    expect_steady(before[-5:], after, "trim", session=session, gone=gone)


@check(
    "TRM14",
    "A history of 1,200 messages is trimmed to the number asked for in one call.",
    incident="AWS documents that a DynamoDB BatchWriteItem takes at most 25 items: a removal that "
    "sends one batch and stops leaves the rest of a long history in place.",
    needs=[Trim],
)
async def a_long_history_is_trimmed_at_once(memory: Memory) -> None:
    await trim_in_turn(memory, 1_200, 1_150, 10, 0)


@check(
    "TRM15",
    "After a trim, ``last`` counts only the messages that are left.",
    incident="SciLink (pull request 514) cut its histories with two numbers that were counted in "
    "different places, so a cap did nothing until message 121.",
    needs=[Trim, method("get_history", "last")],
)
async def the_last_messages_are_right_after_trimming(memory: Memory) -> None:
    session, batch = await write_session(memory, 9)
    left = await trim(memory, session, contents_of(batch), 4)
    later = memory.messages(1)
    await memory.client.add(session, later)
    left += contents_of(later)
    for last in (1, 3, 5, 8):
        found = await memory.client.contents(session, last=last)
        expect_contents(
            take_newest(left, last), found, session=session, gone=contents_of(batch)[:5]
        )


@check(
    "TRM16",
    "Messages with equal contents are trimmed by their position.",
    incident="Python documents that list.remove removes the first item that is equal; trimming by "
    "value removes the wrong 'yes' from a conversation with several.",
    needs=[Trim],
)
async def repeated_messages_are_trimmed_by_their_place(memory: Memory) -> None:
    session, yes, no = memory.session(), memory.text("yes"), memory.text("no")
    words = [yes, no, yes, yes, no, yes]
    await memory.client.add(session, [memory.message(each) for each in words])
    if await memory.client.contents(session) != words:
        return  # whether repeats are kept is DUP03's concern
    for keep in (5, 3, 2):
        await memory.client.call("trim", session, keep_last=keep)
        found = await memory.client.contents(session)
        expect_contents(take_newest(words, keep), found, session=session)
