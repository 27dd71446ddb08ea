"""LIV: the store goes on answering, whatever was asked of it before, and by whom."""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterable, Awaitable, Iterable
from typing import Any

from goldfish.catalogue.registry import Reopening, check
from goldfish.catalogue.support.comparison import label_findings
from goldfish.catalogue.support.openings import choose_writers
from goldfish.catalogue.support.subjects import Messages
from goldfish.catalogue.support.together import finish_all
from goldfish.findings.comparison import quote_list
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.local import LocalClient
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.harness.patience import OverdueError, wait_patiently
from goldfish.messages import ChatMessage


async def _expect_alive(memory: Memory, *clients: Client, foreign: Iterable[Any] = ()) -> None:
    """Raise unless each client can write to a new session and read it back."""
    others = list(foreign)
    for client in clients or (memory.client,):
        session, batch = memory.session(), memory.messages(2)
        await client.add(session, batch)
        await client.expect(session, contents_of(batch), foreign=others)


def _make_odd_message(memory: Memory) -> ChatMessage:
    """Return a message that most stores refuse."""
    return memory.message(memory.text("a\ud83d\x00"), metadata={"odd": object(), "set": {1}})


def _make_odd_messages(memory: Memory) -> list[ChatMessage]:
    """Return messages that are refused by an encoding, or only by the server."""
    texts = ("a\x00b", "a\ud83d")
    return [_make_odd_message(memory), *(memory.message(memory.text(text)) for text in texts)]


@check(
    "LIV01",
    "A store without messages answers every call, and no call creates a session.",
    incident="langgraph issue 5150: SqliteStore.search on a store that had not been set up never "
    "returned; agno pull request 4516: reading the messages of an unknown session raised.",
    suite="smoke",
    basic=True,
)
async def every_method_returns_on_an_empty_store(memory: Memory) -> None:
    client, nobody = memory.client, memory.session("nobody")
    with label_findings("reading an unknown session"):
        await client.expect(nobody, [])
    if client.has("get_history", "last"):
        with label_findings("reading the last message of an unknown session"):
            await client.expect(nobody, [], last=1)
    calls: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "trim": ((nobody,), {"keep_last": 2}),
        "clear": ((nobody,), {}),
        "delete_messages": ((nobody, [memory.message_id("no-such-id")]), {}),
        "get_ttl": ((nobody,), {}),
        "set_ttl": ((nobody, 60), {}),
        "list_sessions": ((), {}),
        "clear_all": ((), {}),
    }
    for name, (arguments, options) in calls.items():
        if client.has(name, *options):
            with label_findings(f"{name} on an empty store"):
                await client.call(name, *arguments, **options)
    await client.expect(nobody, [])
    if client.has("list_sessions"):
        listed = list(await client.call("list_sessions"))
        if listed:
            raise Violation(
                "phantom: a session is listed, but none was written to", quote_list(listed)
            )
    await _expect_alive(memory)


@check(
    "LIV02",
    "After a value was refused, again and again, the store works for this and other sessions.",
    incident="openai-agents issue 4202: a failed write left its transaction open, and the lock it "
    "held blocked every later writer for the lifetime of the connection.",
    suite="smoke",
)
async def a_refused_value_does_not_break_the_next_call(memory: Memory) -> None:
    mine, other = memory.session("mine"), memory.session("other")
    kept: list[ChatMessage] = []
    for odd in _make_odd_messages(memory):
        await memory.client.offer(mine, [memory.message(), odd])
        before = await memory.client.contents(mine)
        await memory.client.add(mine, again := memory.messages(2))
        await memory.client.add(other, batch := memory.messages(2))
        await memory.client.expect(mine, [*before, *contents_of(again)])
        kept += batch
    await memory.client.expect(other, contents_of(kept))
    for _ in range(40):  # more than a small pool has connections to lose
        await memory.client.offer(memory.session(), [_make_odd_message(memory)])
    await _expect_alive(memory)


@check(
    "LIV03",
    "A refused value fails its own call and none of the calls made at the same time.",
    incident="langgraph-checkpoint-sqlite 3.1.2 SqliteStore joins the calls of one tick in a "
    "batch: one user's value that cannot be serialized makes another user's valid write fail.",
)
async def a_refused_value_does_not_fail_the_calls_beside_it(memory: Memory) -> None:
    sessions = [memory.session() for _ in range(6)]
    batches = [memory.messages(2) for _ in sessions]
    calls, odd_ones = [], 2 * _make_odd_messages(memory)
    # CON08 is about first writes at once.
    await memory.client.add(memory.session("first"), memory.messages(1))
    for session, batch, odd in zip(sessions, batches, odd_ones, strict=True):
        calls.append(memory.client.add(session, batch))
        calls.append(_drop_result(memory.client.offer(memory.session("odd"), [odd])))
    with label_findings("beside a refused value"):
        await finish_all(*calls)
        for session, batch in zip(sessions, batches, strict=True):
            await memory.client.expect(session, contents_of(batch))


async def _drop_result(work: Awaitable[Any]) -> None:
    await work


@check(
    "LIV04",
    "After cancelled calls the store answers, and no cancelled batch is stored in part.",
    incident="redis-py issue 2665 (4.5.3 and before, the ChatGPT outage of March 2023): a "
    "cancelled command left its answer unread, and the next caller was given it.",
    basic=True,
)
async def a_cancelled_call_does_not_break_the_store(memory: Memory) -> None:
    session, batch = memory.session(), memory.messages(2)
    await memory.client.add(session, batch)
    cancelled = {memory.session(): memory.messages(3) for _ in range(12)}
    for turn, (name, messages) in enumerate(cancelled.items()):
        reading = asyncio.create_task(memory.client.contents(session))
        writing = asyncio.create_task(memory.client.add(name, messages))
        await asyncio.sleep(0 if turn < 4 else turn * 0.0004)
        for task in (writing, reading):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
    theirs = [each for messages in cancelled.values() for each in contents_of(messages)]
    with label_findings("after cancelled calls"):
        await _expect_alive(memory, foreign=[*contents_of(batch), *theirs])
        await memory.client.expect(session, contents_of(batch), foreign=theirs)
        for name, messages in cancelled.items():
            found = await memory.client.contents(name)
            if found and found != contents_of(messages):
                raise Violation(
                    "torn: a batch was cancelled, but a part is stored", quote_list(found)
                )


@check(
    "LIV05",
    "The three hundredth call works like the first.",
    incident="dify issue 472 and cacti-backend pull request 15: connections that were not returned "
    "used up the pool, and after some chats the service stopped answering.",
    basic=True,
)
async def many_calls_in_a_row_exhaust_nothing(memory: Memory) -> None:
    sessions = [Messages(memory) for _ in range(10)]
    for turn in range(150):
        messages = sessions[turn % 10]
        with label_findings(f"call {2 * turn + 1}"):
            await messages.write(memory.client)
            await messages.expect(memory.client)
    for messages in sessions:
        await messages.expect(memory.client)


@check(
    "LIV06",
    "A store can be closed and reopened twenty times, because closing releases what it held.",
    incident="qdrant-client issue 1018: a local store that was not closed properly kept its lock, "
    "and the next program could not open the folder.",
    needs=[Reopening],
    basic=True,
)
async def a_store_can_be_closed_and_opened_again_and_again(memory: Memory) -> None:
    messages = Messages(memory)
    for turn in range(20):
        with label_findings(f"opening {turn + 1}"):
            await messages.write(memory.client)
            await memory.reopen()
    await messages.expect(memory.client)


@check(
    "LIV07",
    "A second opening neither waits for the first nor stops it, and each reads what is there.",
    incident="hermes-agent issue 58705: mem0's local Qdrant folder was locked by the plugin that "
    "had opened it, and the agent's own tools could not reach their memory.",
    needs=[Reopening],
    basic=True,
)
async def several_openings_live_side_by_side(memory: Memory) -> None:
    first, messages = memory.client, Messages(memory)
    await messages.write(first, 2)
    others = [*await asyncio.gather(*(memory.open() for _ in range(3))), await memory.open()]
    for turn, client in enumerate([*others, first]):
        with label_findings(f"opening {turn + 2}" if client is not first else "the first opening"):
            await messages.expect(client)
    await messages.write(first)
    for client in others:
        await messages.expect(client)
    if memory.target.claims != "one writer":
        await _expect_alive(memory, *others)
    await others[0].close()
    await messages.expect(first)
    await _expect_alive(memory, first)


@check(
    "LIV08",
    "Two openings that write and read by turns never lock each other out.",
    incident='mem0 issue 7196: with two sessions on one history.db, a write failed with "database '
    'is locked" while the other one read.',
    needs=[Reopening],
    basic=True,
)
async def two_openings_do_not_lock_each_other_out(memory: Memory) -> None:
    first, second, messages = memory.client, await memory.open(), Messages(memory)
    writers = choose_writers(memory, first, second)
    for turn in range(8):
        writer = writers[turn % 2]
        with label_findings(f"turn {turn + 1}"):
            await messages.write(writer)
            await messages.expect(second if writer is first else first)
            await messages.expect(writer)
    await first.offer(memory.session("odd"), [_make_odd_message(memory)])
    with label_findings("after the other opening was refused a value"):
        await _expect_alive(memory, writers[-1])
        await messages.expect(second)


@check(
    "LIV09",
    "Twenty calls at once, each for its own session, all return and all take effect.",
    incident='asyncpg raises "another operation is in progress" when two tasks share a connection '
    "(issue 258); llama-index-core 0.14.25: ten first puts at once all fail.",
    suite="smoke",
    basic=True,
)
async def calls_made_at_once_all_return(memory: Memory) -> None:
    batches = {memory.session(): memory.messages(2) for _ in range(20)}
    with label_findings("written at once"):
        await finish_all(*(memory.client.add(*item) for item in batches.items()))
    with label_findings("read at once"):
        every = [each for batch in batches.values() for each in contents_of(batch)]
        expected = [(session, contents_of(batch)) for session, batch in batches.items()]
        reads = [memory.client.expect(*item, foreign=every) for item in expected]
        await finish_all(*reads)
    more = {session: memory.messages(1) for session in batches}
    with label_findings("written and read at once"):
        writes = [memory.client.add(*item) for item in more.items()]
        await finish_all(*writes, *(memory.client.contents(session) for session in batches))
        for session in batches:
            await memory.client.expect(session, contents_of([*batches[session], *more[session]]))


@check(
    "LIV10",
    "After a batch of thousands or a message of megabytes, small calls still work.",
    incident="MySQL's manual: a packet above max_allowed_packet is answered with an error, and the "
    "server closes the connection; a store that keeps it fails from then on.",
)
async def a_large_batch_does_not_break_the_next_call(memory: Memory) -> None:
    large, small = memory.session("large"), memory.session("small")
    await memory.client.add(small, few := memory.messages(2))
    count = await memory.affordable(2_500, least=500)
    refusal = await memory.client.offer(large, many := memory.messages(count))
    with label_findings("after a large batch"):
        await memory.client.expect(large, contents_of(many) if refusal is None else [])
        await memory.client.expect(small, contents_of(few))
        await _expect_alive(memory)
    await memory.client.offer(large, [memory.message(memory.text("x" * 3_000_000))])
    await memory.client.contents(large)
    with label_findings("after a large message"):
        await memory.client.expect(small, contents_of(few))
        await _expect_alive(memory)


@check(
    "LIV11",
    "A reader that stops after the first message blocks no later write or read.",
    incident="openai-agents pull request 4987: a result cursor that was left open blocked the next "
    "change of the schema; Python does not resume a generator that is dropped at a yield.",
)
async def an_abandoned_reading_does_not_block_the_store(memory: Memory) -> None:
    messages = Messages(memory)
    await messages.write(memory.client, 5)
    with label_findings("after abandoned readings"):
        for _ in range(3):
            await _read_one(memory.client, messages.session)
        await messages.write(memory.client)
        await messages.expect(memory.client)
        await _expect_alive(memory)


async def _read_one(client: Client, session: str) -> None:
    """Read one message of a history in the client's own thread, and drop the rest unread."""
    opened = client.opened
    assert isinstance(opened, LocalClient)
    name = opened.transcript.find_id(session)

    async def first() -> None:
        try:
            found = opened.store.get_history(name)
            if inspect.isawaitable(found):
                found = await found
            if isinstance(found, AsyncIterable):
                await anext(aiter(found), None)
            else:
                next(iter(found), None)
        except Exception as error:
            raise StoreError("get_history", error) from error

    future = opened._thread.submit(first())
    try:
        await wait_patiently(asyncio.wrap_future(future), client.deadline)
    except OverdueError as overdue:
        opened._thread.abandon()
        text = f"wedged: get_history did not return within {client.deadline:g} s"
        raise overdue.blame(text) from None
