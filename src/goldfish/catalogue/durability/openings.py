"""DUR: what was acknowledged is there for every other opening, and after reopening."""

from goldfish.catalogue.registry import Reopening, check, method
from goldfish.catalogue.support.openings import choose_writers, expect_fresh, refill
from goldfish.catalogue.support.removals import find_removals, remove
from goldfish.catalogue.support.steadiness import expect_steady, read_steady_fields
from goldfish.catalogue.support.subjects import Facts, Messages, State, Subject
from goldfish.harness.memory import Client, Memory, contents_of


async def _write_and_reopen(memory: Memory, subject: Subject, count: int) -> None:
    """Write, close, open and read, twice."""
    for _ in range(2):
        await subject.write(memory.client, count)
        await subject.expect(await memory.reopen())


@check(
    "DUR01",
    "A second opening reads every acknowledged message at once, before the first is closed.",
    incident="hermes-agent issue 35313: messages stayed in a list of the process and reached the "
    "database only on compression or error: message_count was 0 after hundreds of messages.",
    needs=[Reopening],
    basic=True,
)
async def a_second_opening_sees_what_was_acknowledged(memory: Memory) -> None:
    one, two, messages = memory.client, await memory.open(), Messages(memory)
    await messages.write(one, 3)
    await messages.write(one)
    await messages.expect(two)
    await messages.expect(await memory.open())


@check(
    "DUR02",
    "A store that was closed and reopened returns every acknowledged message.",
    incident="mem0ai 0.1.40 deleted its folder on every open, because on_disk was False by "
    "default: of three memories none was left after a restart.",
    needs=[Reopening],
    suite="smoke",
    basic=True,
)
async def acknowledged_messages_survive_reopen(memory: Memory) -> None:
    await _write_and_reopen(memory, Messages(memory), 5)


@check(
    "DUR23",
    "A store that was closed and reopened lists and recalls every acknowledged fact.",
    incident="mem0ai 0.1.40 deleted its folder on every open, because on_disk was False by "
    "default: of three memories none was left after a restart.",
    about="facts",
    needs=[Reopening],
    suite="smoke",
)
async def facts_survive_reopening(memory: Memory) -> None:
    await _write_and_reopen(memory, Facts(memory), 4)


@check(
    "DUR40",
    "A store that was closed and reopened returns every value that a session or user was given.",
    incident="google/adk-python issue 508: a tool put a customer's id into the state, but it never "
    "reached the database.",
    about="state",
    needs=[Reopening],
    suite="smoke",
)
async def values_survive_reopening(memory: Memory) -> None:
    await _write_and_reopen(memory, State(memory), 2)


@check(
    "DUR04",
    "An opening that has read a session sees what other openings write to it later.",
    incident="screenpipe pull request 6233: each part of the program kept its own copy of the "
    "conversation and saved it over what the others had written.",
    needs=[Reopening],
    basic=True,
)
async def an_opening_sees_what_others_wrote_since(memory: Memory) -> None:
    one, two, messages = memory.client, await memory.open(), Messages(memory)
    await messages.expect(two)
    for turn in (0, 1, 0, 0, 1):
        await messages.write(choose_writers(memory, one, two)[turn], 2)
        for client in (one, two):
            await expect_fresh(memory, client, messages.session, messages.contents)


@check(
    "DUR05",
    "When one opening clears a session, and refills it, the others stop returning the old one.",
    incident="n8n pull request 25404: a session was cleared in the storage, but the running "
    "instance went on with the messages that it held in memory.",
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
    later = memory.messages(3)
    await one.add(session, later)
    await expect_fresh(memory, two, session, contents_of(later), gone=contents_of(batch))
    refilled = await refill(memory, one, session, 3)
    gone = contents_of([*batch, *later])
    await expect_fresh(memory, two, session, contents_of(refilled), gone=gone)


@check(
    "DUR06",
    "When one opening trims or deletes messages, the others stop returning them.",
    incident="hermes-webui pull request 5126: a rewind shortened the stored session, but the "
    "agent in memory went on with the long one until it was evicted.",
    needs=[Reopening],
)
async def an_opening_sees_what_others_trimmed(memory: Memory) -> None:
    one, two = memory.client, await memory.open()
    ways = find_removals(memory, one, ("trim", "delete_messages"))
    session, batch = memory.session(), memory.messages(6)
    await one.add(session, batch)
    await two.expect(session, contents_of(batch))
    left = list(batch)
    for way in ways:
        left = await remove(one, session, left, way)
        await expect_fresh(memory, two, session, contents_of(left), gone=contents_of(batch))


@check(
    "DUR07",
    "Opening the storage again and again while others have it open loses no message.",
    incident="mem0ai 2.2.1 with faiss: a second process that opened the same folder saved its own "
    "index over that of the first, and the memories of the first were lost.",
    needs=[Reopening],
    basic=True,
)
async def opening_again_changes_nothing(memory: Memory) -> None:
    messages, clients = Messages(memory), list[Client]([memory.client])
    for _ in range(4):
        await messages.write(choose_writers(memory, clients[0], clients[-1])[1], 2)
        clients.append(await memory.open())
        for client in clients:  # what an older one does not see yet is stale, and not lost
            await expect_fresh(memory, client, messages.session, messages.contents)
    for client in clients[1:]:
        await client.close()
    await messages.expect(clients[0])
    await messages.expect(await memory.reopen())


@check(
    "DUR08",
    "Reopening the store changes no field of its messages and not their order.",
    incident="traceroot issue 1959: after a reload only the final text was there; tool calls had "
    "been streamed to the user but never stored.",
    needs=[Reopening],
    basic=True,
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
    "A session of two thousand messages and thirty short ones are complete after reopening.",
    incident="openhanako issue 2473: a session of 1,058 messages was rewritten in place, and "
    "after a restart only its last three were left.",
    needs=[Reopening],
    basic=True,
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
    for session, given in {long: batch, **others}.items():
        await client.expect(session, contents_of(given))


@check(
    "DUR10",
    "A history that was written over ten openings is complete and in order.",
    incident="hermes-agent pull request 2239: each turn was a new agent that exported only its own "
    "messages, so the file of a session of 233 messages had 89.",
    needs=[Reopening],
    basic=True,
)
async def a_history_grows_over_many_openings(memory: Memory) -> None:
    messages = Messages(memory)
    for _ in range(10):
        await messages.write(memory.client, memory.random.randrange(1, 4))
        await messages.expect(await memory.reopen())
