"""SNP: snapshots stay what they were, whatever is written, labelled or waited for in between."""

import asyncio
import time
from typing import Any

from goldfish.catalogue.registry import check, method
from goldfish.catalogue.snapshots.sessions import REPEATING, RESTORING, save_states
from goldfish.catalogue.support.sessions import write_session
from goldfish.catalogue.support.snapshots import expect_listed, expect_state, roll_back, save
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of
from goldfish.harness.patience import LateError
from goldfish.messages import ChatMessage

LABEL = "before the refund"
LEFT = 2  # seconds that a session has left when it is saved
TRIES = 3


@check(
    "SNP29",
    "Back to A, a write, and back to B: each snapshot is as it was saved, whatever came between.",
    incident="qdrant issue 10554: two snapshots shared one file, and what the later one wrote "
    "replaced what the earlier one had promised to keep.",
    needs=REPEATING,
)
async def writes_between_rollbacks_reach_no_snapshot(memory: Memory) -> None:
    client, session, gone = memory.client, memory.session(), list[ChatMessage]()
    saved = await save_states(memory, client, session, 3)
    for number in (0, 1, 0, 2, 1, 0, 2):
        name, messages = saved[number]
        await expect_state(client, session, name, messages, gone=gone)
        later = memory.messages(memory.random.randrange(1, 6))
        await client.add(session, later)
        await client.expect(session, contents_of([*messages, *later]), gone=contents_of(gone))
        gone += later
    await expect_listed(client, session, [name for name, _ in saved])


@check(
    "SNP30",
    "A label that is used twice names two snapshots, and each restores its own state.",
    incident="qdrant issue 10554: two snapshots got one name; both requests succeeded, the second "
    "replaced the first, and the first was lost without an error.",
    needs=[*REPEATING, method("save_snapshot", "label")],
)
async def a_label_used_twice_names_two_snapshots(memory: Memory) -> None:
    client, session, there = memory.client, memory.session(), list[ChatMessage]()
    saved: list[tuple[Any, list[ChatMessage]]] = []
    for _ in range(3):
        there = [*there, *memory.messages(2)]
        await client.add(session, there[-2:])
        try:
            name = await save(client, session, label=LABEL)
        except StoreError:
            if not saved:
                raise
            break  # the store says that the label is taken
        if name in [each for each, _ in saved]:
            raise Violation(
                f"lost: the second snapshot with the label {quote(LABEL)} got the id "
                f"{quote(name)} of the first, which can no longer be restored"
            )
        saved.append((name, there))
    await expect_listed(client, session, [name for name, _ in saved])
    for number in (0, -1, len(saved) // 2):
        await expect_state(client, session, *saved[number], gone=there)


@check(
    "SNP31",
    "A rollback long after the save brings the messages back for the time that was left then.",
    incident="kvcache-ai/Mooncake issue 3761: a restore reported success and dropped every object, "
    "because their deadlines, saved as moments in time, were over.",
    needs=[*RESTORING, method("set_ttl")],
)
async def a_rollback_after_the_old_deadline_brings_messages_back(memory: Memory) -> None:
    client = memory.client
    for _ in range(TRIES):
        session, batch = await write_session(memory, 2)
        began = time.monotonic()
        await client.call("set_ttl", session, LEFT)
        name = await save(client, session)
        spent = time.monotonic() - began
        await client.call("set_ttl", session, 60)
        await asyncio.sleep(max(0.0, began + LEFT + 0.2 - time.monotonic()))
        began = time.monotonic()
        await roll_back(client, session, name)
        found = await client.contents(session)
        spent += time.monotonic() - began
        if found == contents_of(batch):
            return
        if spent < LEFT / 2:  # a store may count whole seconds
            raise Violation(
                f"lost: session {quote(session)} was saved with {LEFT} s left, and is empty "
                f"{spent:.1f} s of its time later, after a rollback",
                f"expected {quote_list(contents_of(batch))}",
                f"read back {quote_list(found)}",
            )
    raise LateError("late: no session could be read before it expired")
