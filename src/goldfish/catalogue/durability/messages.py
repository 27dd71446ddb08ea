"""DUR: what was acknowledged outlives the opening and the process that wrote it."""

from typing import Any

from goldfish.catalogue.registry import OtherProcess, Reopening, check, method
from goldfish.catalogue.support.freshness import choose_writers, expect_fresh
from goldfish.catalogue.support.steadiness import expect_steady, read_steady_fields
from goldfish.harness.memory import Client, Memory, contents_of


@check(
    "DUR01",
    "What one opening was told is stored, another opening reads at once, without any closing.",
    incident=(
        "hermes-agent issue 35313: messages stayed in a list of the process and reached the "
        "database only on compression or error: message_count 0 after hundreds of messages."
    ),
    needs=[Reopening],
)
async def a_second_opening_sees_what_was_acknowledged(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    session, batch = memory.session(), memory.messages(4)
    await one.add(session, batch[:3])
    await one.add(session, batch[3:])
    await two.expect(session, contents_of(batch))
    three = await memory.open()
    await three.expect(session, contents_of(batch))


@check(
    "DUR02",
    "What was acknowledged is still there after the store is closed and opened again.",
    incident=(
        "mem0ai 0.1.40 with its default on_disk=False deleted its folder on every open: three "
        "memories, a restart, none left."
    ),
    needs=[Reopening],
    suite="smoke",
)
async def acknowledged_messages_survive_reopen(memory: Memory) -> None:
    session, batch = memory.session(), memory.messages(5)
    await memory.client.add(session, batch)
    client = await memory.reopen()
    await client.expect(session, contents_of(batch))


@check(
    "DUR03",
    "What one process was told is stored, another process reads at once.",
    incident=(
        "langchain-core's InMemoryChatMessageHistory keeps messages in the process: behind two "
        "workers, every second question finds no history."
    ),
    needs=[OtherProcess],
    suite="smoke",
)
async def another_process_sees_what_was_acknowledged(memory: Memory) -> None:
    session, batch = memory.session(), memory.messages(3)
    await memory.client.add(session, batch)
    other = await memory.elsewhere()
    await other.expect(session, contents_of(batch))


@check(
    "DUR04",
    "An opening that has read a session before sees what another has written to it since.",
    incident=(
        "screenpipe pull request 6233: each part of the program kept its own copy of the "
        "conversation and saved it over what the others had written."
    ),
    needs=[Reopening],
)
async def an_opening_sees_what_others_wrote_since(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    session, there = memory.session(), list[Any]()
    await two.expect(session, [])
    for turn in (0, 1, 0, 0, 1):
        batch = memory.messages(2)
        await choose_writers(memory, one, two)[turn].add(session, batch)
        there += contents_of(batch)
        await expect_fresh(memory, one, session, there)
        await expect_fresh(memory, two, session, there)


@check(
    "DUR05",
    "A session that another opening has cleared is served no longer.",
    incident=(
        "n8n pull request 25404: a session was cleared in the storage, and the running instance "
        "went on with the messages that it held in memory."
    ),
    needs=[Reopening, method("clear")],
)
async def an_opening_sees_what_others_cleared(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    session, batch = memory.session(), memory.messages(3)
    await one.add(session, batch)
    for client in (one, two):
        await client.expect(session, contents_of(batch))
    await one.call("clear", session)
    await expect_fresh(memory, two, session, [], gone=contents_of(batch))
    later = memory.messages(1)
    await one.add(session, later)
    await expect_fresh(memory, two, session, contents_of(later), gone=contents_of(batch))


@check(
    "DUR06",
    "Messages that another opening has trimmed or deleted are served no longer.",
    incident=(
        "hermes-webui pull request 5126: a rewind shortened the stored session, and the agent in "
        "memory went on with the long one until it was evicted."
    ),
    needs=[Reopening, method("trim", "keep_last")],
)
async def an_opening_sees_what_others_trimmed(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    session, batch = memory.session(), memory.messages(6)
    await one.add(session, batch)
    await two.expect(session, contents_of(batch))
    await one.call("trim", session, keep_last=3)
    await expect_fresh(memory, two, session, contents_of(batch[3:]), gone=contents_of(batch))
    if one.has("delete_messages") and "id" in memory.target.carries:
        await one.call("delete_messages", session, [batch[4].id])
        rest = contents_of([batch[3], batch[5]])
        await expect_fresh(memory, two, session, rest, gone=contents_of(batch))


@check(
    "DUR07",
    "Opening the storage again and again, while others have it open, takes nothing away.",
    incident=(
        "mem0ai 2.2.1 with faiss: a second process that opened the same folder saved its own index "
        "over that of the first, whose memories were gone."
    ),
    needs=[Reopening],
)
async def opening_again_changes_nothing(memory: Memory) -> None:
    session, there = memory.session(), list[Any]()
    clients: list[Client] = [memory.client]
    for _ in range(4):
        batch = memory.messages(2)
        await choose_writers(memory, clients[0], clients[-1])[1].add(session, batch)
        there += contents_of(batch)
        clients.append(await memory.open())
        for client in clients:
            await client.expect(session, there)
    for client in clients[1:]:
        await client.close()
    await clients[0].expect(session, there)
    client = await memory.reopen()
    await client.expect(session, there)


@check(
    "DUR08",
    "After reopening, messages come back as before, field by field and in their order.",
    incident=(
        "traceroot issue 1959: after a reload only the final text was there; tool calls had been "
        "streamed to the user and never stored."
    ),
    needs=[Reopening],
)
async def reopening_changes_nothing_about_the_messages(memory: Memory) -> None:
    session = memory.session()
    batch = [
        *memory.messages(2, name="ann", metadata={"deep": {"list": [1, None, "é"]}, "n": 2**40}),
        *memory.messages(1, role="assistant", tool_calls=[{"id": "c1", "type": "function"}]),
        *memory.messages(1, role="tool", tool_call_id="c1"),
        *memory.messages(1, role="system"),
    ]
    await memory.client.add(session, batch)
    before = await read_steady_fields(memory, session)
    client = await memory.reopen()
    expect_steady(before, await client.history(session), "reopening", session=session)


@check(
    "DUR09",
    "Two thousand messages, and thirty sessions beside them, are all there after reopening.",
    incident=(
        "openhanako issue 2473: a session of 1,058 messages was rewritten in place and had its "
        "last three left after a restart."
    ),
    needs=[Reopening],
)
async def a_long_history_survives_reopen(memory: Memory) -> None:
    count = await memory.affordable(2_000, least=500)
    long, batch = memory.session("long"), memory.messages(count)
    for begin in range(0, count, 250):
        await memory.client.add(long, batch[begin : begin + 250])
    others = {memory.session(f"number-{at}"): memory.messages(2) for at in range(30)}
    for session, pair in others.items():
        await memory.client.add(session, pair)
    client = await memory.reopen()
    await client.expect(long, contents_of(batch))
    for session, pair in others.items():
        await client.expect(session, contents_of(pair))


@check(
    "DUR10",
    "A history written over ten openings is complete and in the order of writing.",
    incident=(
        "hermes-agent pull request 2239: each turn was a new agent that exported only its own "
        "messages: 89 in the file of a session of 233."
    ),
    needs=[Reopening],
)
async def a_history_grows_over_many_openings(memory: Memory) -> None:
    session, there = memory.session(), list[Any]()
    for _ in range(10):
        batch = memory.messages(memory.random.randrange(1, 4))
        await memory.client.add(session, batch)
        there += contents_of(batch)
        client = await memory.reopen()
        await client.expect(session, there)


@check(
    "DUR11",
    "What another process wrote before it ended in good order is there, also for the next one.",
    incident=(
        "mem0ai 2.2.1 with faiss: of two processes one after the other, the memories of the first "
        "were gone."
    ),
    needs=[OtherProcess],
)
async def what_an_ended_process_wrote_is_there(memory: Memory) -> None:
    session, there = memory.session(), list[Any]()
    for _ in range(2):
        other = await memory.elsewhere()
        batch = memory.messages(3)
        await other.add(session, batch)
        there += contents_of(batch)
        await other.close()
    client = await memory.open()
    await client.expect(session, there)


@check(
    "DUR12",
    "What a process was told is stored is there after kill -9, and the storage works on.",
    incident=(
        "mem0ai 2.2.1 with faiss: 62 memories were acknowledged; after kill -9 and a restart there "
        "were none."
    ),
    needs=[OtherProcess],
    suite="smoke",
)
async def acknowledged_messages_survive_a_kill(memory: Memory) -> None:
    session, single, batch = memory.session(), memory.messages(6), memory.messages(5)
    victim = await memory.elsewhere()
    for message in single:
        await victim.add(session, [message])
    await victim.add(session, batch)
    memory.kill(victim)
    there = contents_of([*single, *batch])
    client = await memory.open()
    await client.expect(session, there)
    later = memory.messages(1)
    await client.add(session, later)
    await client.expect(session, there + contents_of(later))
    client = await memory.reopen()
    await client.expect(session, there + contents_of(later))


@check(
    "DUR13",
    "Two processes that write in turns both read one history, in the order of the writes.",
    incident=(
        "langchain-core's InMemoryChatMessageHistory behind two workers: each has the half of the "
        "conversation that it happened to serve."
    ),
    needs=[OtherProcess],
)
async def processes_that_take_turns_share_one_order(memory: Memory) -> None:
    here, other = memory.client, await memory.elsewhere()
    session, there = memory.session(), list[Any]()
    for turn in range(8):
        batch = memory.messages(1 + turn % 2)
        await choose_writers(memory, here, other)[turn % 2].add(session, batch)
        there += contents_of(batch)
    await here.expect(session, there)
    await other.expect(session, there)


@check(
    "DUR14",
    "A process that has read a session before sees what another process has written since.",
    incident=(
        "botframework-sdk issue 4776: with two worker processes, items cached in the memory of one "
        "were missing or old in the other."
    ),
    needs=[OtherProcess],
)
async def a_process_sees_what_others_wrote_since(memory: Memory) -> None:
    here, other = memory.client, await memory.elsewhere()
    session, there = memory.session(), list[Any]()
    await other.expect(session, [])
    for turn in (0, 1, 0, 1):
        batch = memory.messages(2)
        await choose_writers(memory, here, other)[turn].add(session, batch)
        there += contents_of(batch)
        await expect_fresh(memory, here, session, there, elsewhere=True)
        await expect_fresh(memory, other, session, there, elsewhere=True)


@check(
    "DUR15",
    "A session that another process has cleared is served no longer, and does not come back.",
    incident=(
        "luke pull request 589: a window that still had the conversation saved it again after "
        "another one had cleared it."
    ),
    needs=[OtherProcess, method("clear")],
)
async def a_process_sees_what_others_cleared(memory: Memory) -> None:
    here, other = memory.client, await memory.elsewhere()
    session, batch = memory.session(), memory.messages(3)
    await here.add(session, batch)
    for client in (here, other):
        await client.expect(session, contents_of(batch))
    await choose_writers(memory, here, other)[1].call("clear", session)
    gone = contents_of(batch)
    for client in (here, other):
        await expect_fresh(memory, client, session, [], gone=gone, elsewhere=True)
    later = memory.messages(2)
    await here.add(session, later)
    for client in (here, other):
        await expect_fresh(memory, client, session, contents_of(later), gone=gone, elsewhere=True)
