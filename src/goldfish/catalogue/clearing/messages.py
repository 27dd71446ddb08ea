"""CLR: a cleared session is empty and begins anew, and no other is touched."""

import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from goldfish.catalogue.registry import Reopening, Retries, check, method
from goldfish.catalogue.support.leftovers import expect_nothing_inherited
from goldfish.catalogue.support.neighbours import (
    alternate_ends,
    expect_untouched,
    make_look_alikes,
    write_look_alikes,
)
from goldfish.catalogue.support.openings import choose_writers, expect_fresh
from goldfish.catalogue.support.sessions import expect_usable
from goldfish.catalogue.support.sizes import draw_calls
from goldfish.findings.comparison import quote
from goldfish.harness.memory import Memory, contents_of
from goldfish.messages import ChatMessage

Clear = method("clear")


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
    await expect_nothing_inherited(memory, lambda own, _: memory.client.call("clear", own))


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
