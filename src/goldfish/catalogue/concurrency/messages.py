"""CON: messages that are written, read and removed at the same time."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.registry import OtherProcess, Retries, carries, check, method, trait
from goldfish.catalogue.support.removals import find_removals
from goldfish.catalogue.support.together import finish_all
from goldfish.findings.comparison import expect_contents, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of, field
from goldfish.stress.nemesis import stop_pods
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload

SINGLE = {"add": 8, "read": 1}
READING = {"add": 3, "read": 6, "last": 2}


@check(
    "CON01",
    "Messages that several processes add to one session at once are all there, once.",
    incident="langchain-community 0.4.2 FileChatMessageHistory: of 48 adds that eight writers saw "
    "succeed, 32 messages were stored; each writer had saved its own copy of the file.",
    needs=[OtherProcess],
    suite="smoke",
    basic=True,
)
async def writers_in_several_processes_lose_nothing(memory: Memory) -> None:
    await withstand(memory, Workload(batch=1, mix=SINGLE))


@check(
    "CON32",
    "Messages that programs which were started apart add to one session at once are all there.",
    incident="the Python documentation on PYTHONHASHSEED: hash() of a text differs in every run, "
    "so a lock that is chosen by it keeps out the threads of one worker, and no other worker.",
    needs=[OtherProcess],
    basic=True,
)
async def programs_started_apart_lose_nothing(memory: Memory) -> None:
    # What is forked from one program hashes alike; two replicas of a service do not.
    crowd = Workload(pods=2, processes=4, batch=1, mix=SINGLE, apart=True)
    await withstand(memory, crowd, rounds=4)


@check(
    "CON02",
    "The messages of a batch stay together, whatever other processes add at the same time.",
    incident="langchain-community 0.4.2 RedisChatMessageHistory pushes message by message: with "
    "four writers, 145 of 160 questions were not followed by their own answer.",
    needs=[OtherProcess, trait("whole_batches")],
    basic=True,
)
async def batches_of_several_processes_stay_whole(memory: Memory) -> None:
    await withstand(memory, Workload(mix=SINGLE))


@check(
    "CON03",
    "Processes that write to many sessions at once lose no message and mix up no sessions.",
    incident="langgraph-checkpoint-sqlite 3.1.2: one user's value that could not be stored made "
    "another user's valid write in the same tick fail.",
    needs=[OtherProcess],
    basic=True,
)
async def sessions_written_at_once_do_not_touch_each_other(memory: Memory) -> None:
    await withstand(memory, Workload(sessions=8, operations=72, batch=1))


@check(
    "CON04",
    "Messages that one process adds to one session by several calls at once are all there.",
    incident="effect-gates issue 64: each request loaded the history at its start and saved it at "
    "its end; of two requests at once, the last to save erased the other's messages.",
    suite="smoke",
    basic=True,
)
async def calls_at_once_in_one_process_lose_nothing(memory: Memory) -> None:
    await withstand(memory, Workload(pods=0, batch=1, mix=SINGLE))


@check(
    "CON05",
    "Batches that one process adds by several calls at once stay whole, and none is lost.",
    incident="livekit agents pull request 1977: turns that arrived between a tool call and its "
    "output came between them in the history, which the model's API refused.",
    needs=[trait("whole_batches")],
    basic=True,
)
async def batches_at_once_in_one_process_stay_whole(memory: Memory) -> None:
    await withstand(memory, Workload(pods=0, mix=SINGLE))


@check(
    "CON06",
    "Calls that one process makes for many sessions at once each reach their own session.",
    incident="openai-agents-python pull request 1954: the lock that was to guard the connection "
    "was created anew for each call, so it guarded nothing.",
    basic=True,
)
async def sessions_at_once_in_one_process_do_not_touch_each_other(memory: Memory) -> None:
    await withstand(memory, Workload(pods=0, sessions=6, batch=1, operations=60))


@check(
    "CON07",
    "Processes that open a new storage and write to it at the same time all succeed.",
    incident="openai-agents 0.12.5 SQLAlchemySession: of eight first writes at once, one was "
    'stored and seven failed with "table already exists".',
    needs=[OtherProcess],
    basic=True,
)
async def first_writes_of_several_processes_all_count(memory: Memory) -> None:
    for _ in range(8):
        async with memory.afresh() as fresh:
            crowd = Workload(pods=4, processes=4, operations=4, batch=1, mix={"add": 1})
            await withstand(fresh, crowd, rounds=1, cold=True)


@check(
    "CON08",
    "The very first calls of an opening may be made at the same time, and all succeed.",
    incident="llama-index-core 0.14.25 Memory: ten first puts at once all failed, and the memory "
    "stayed broken.",
    basic=True,
)
async def first_writes_at_once_in_one_process_all_count(memory: Memory) -> None:
    for _ in range(16):  # a race that a storage can lose only once takes many storages to see
        async with memory.afresh() as fresh:
            crowd = Workload(pods=0, processes=10, operations=10, batch=1, mix={"add": 1})
            await withstand(fresh, crowd, rounds=1, cold=True)


@check(
    "CON09",
    "While others write, readers see each batch whole or not at all, and all in one order.",
    incident="google-adk 2.13.0 DatabaseSessionService: events with the same timestamp came back "
    "in a different order with each read.",
    needs=[OtherProcess, trait("whole_batches")],
    basic=True,
)
async def readers_see_whole_batches_in_one_order(memory: Memory) -> None:
    await withstand(memory, Workload(processes=8, operations=80, mix=READING))


@check(
    "CON10",
    "A caller reads at once what it has written, whichever process serves it.",
    incident="langchain-core's InMemoryChatMessageHistory behind several workers: one of them "
    "stored a question, and the next turn was answered by another that had never seen it.",
    needs=[OtherProcess],
    basic=True,
)
async def a_caller_sees_its_own_writes_through_any_process(memory: Memory) -> None:
    await withstand(memory, Workload(processes=3, sessions=3, batch=1, mix={"add": 1, "read": 1}))


@check(
    "CON11",
    "A clear during writes removes what was there for good, and nothing that came later.",
    incident="langgraph issue 7206: a thread that was deleted during a turn came back with the "
    "turn's last write.",
    needs=[OtherProcess, method("clear")],
)
async def clearing_takes_no_later_message_and_brings_none_back(memory: Memory) -> None:
    mix = {"add": 8, "read": 3, "clear": 1}
    await withstand(memory, Workload(mix=mix, operations=60, batch=1))


@check(
    "CON12",
    "A trim during writes keeps the last messages, including those that arrive meanwhile.",
    incident="biorouter issue 51: 229 of 231 messages that arrived while the history was being "
    "shortened were destroyed when the short one was written back.",
    needs=[OtherProcess, method("trim", "keep_last")],
)
async def trimming_takes_no_message_that_arrives(memory: Memory) -> None:
    mix = {"add": 8, "read": 3, "trim": 1}
    await withstand(memory, Workload(mix=mix, operations=60, batch=1))


@check(
    "CON13",
    "A process that is frozen during a write and thaws later undoes nothing that others wrote.",
    incident="hermes-webui pull request 6422: a client saved the copy that it had loaded a while "
    "ago over what another had written since.",
    needs=[OtherProcess],
    basic=True,
)
async def a_writer_that_was_stopped_and_thaws_undoes_nothing(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=1, mix=SINGLE, operations=60)
    await withstand(memory, crowd, rounds=4, nemesis=stop_pods)


@check(
    "CON14",
    "Deleting the messages that were read keeps those that arrive at the same time.",
    incident="open-webui issue 28742: writers read the whole chat, changed it and wrote it back "
    "without a lock, and what had been committed in between was lost.",
    needs=[method("delete_messages"), carries("id")],
)
async def what_arrives_during_a_summary_survives_it(memory: Memory) -> None:
    for _ in range(5):
        client, session, old = memory.client, memory.session(), memory.messages(6)
        await client.add(session, old)
        seen = await client.history(session)
        arrived, summary = memory.messages(4), memory.message("a summary of six messages")
        await finish_all(
            client.call("delete_messages", session, [field(each, "id") for each in seen]),
            *(client.add(session, [message]) for message in arrived),
        )
        await client.add(session, [summary])
        found = await client.contents(session)
        expected = [*(each for each in found if each in contents_of(arrived)), summary.content]
        expect_contents(expected, found, session=session, gone=contents_of(old))
        expect_arrived(contents_of(arrived), found, "while older ones were removed")


@check(
    "CON15",
    "Messages that arrive while another process deletes older ones are kept.",
    incident="mucgpt issue 1068: each turn replaced the stored conversation by the client's copy, "
    "and erased the turns that another device had added meanwhile.",
    needs=[method("delete_messages"), carries("id"), OtherProcess],
)
async def a_summary_in_another_process_keeps_what_arrives(memory: Memory) -> None:
    other = await memory.elsewhere()
    for _ in range(6):
        session, old = memory.session(), memory.messages(6)
        await memory.client.add(session, old)
        await other.expect(session, contents_of(old))
        seen = await other.history(session)
        arrived = memory.messages(5)
        removing = asyncio.create_task(
            other.call("delete_messages", session, [field(each, "id") for each in seen])
        )
        for message in arrived:
            await memory.client.add(session, [message])
        await removing
        for client in (memory.client, other):
            await client.expect(session, contents_of(arrived), gone=contents_of(old))


@check(
    "CON16",
    "A batch that several processes send at the same time, as a retry does, is stored once.",
    incident="Amazon documents that a standard SQS queue delivers a message at least once: two "
    "workers may get the same turn of a conversation, and both store it.",
    needs=[OtherProcess, Retries],
    basic=True,
)
async def a_batch_sent_again_by_others_is_stored_once(memory: Memory) -> None:
    clients = [memory.client, await memory.elsewhere(), await memory.elsewhere()]
    for _ in range(6):
        session, batch = memory.session(), memory.messages(2)
        await finish_all(*(client.add(session, batch) for client in clients))
        for client in clients:
            await client.expect(session, contents_of(batch))


@check(
    "CON17",
    "Adds, trims and clears that one process makes at once end as if made in some order.",
    incident="praxis-proxy issue 662: each writer rebuilt the conversation from what it had read "
    "earlier, and a slow one wrote an older state over a newer one.",
)
async def removals_at_once_in_one_process_leave_a_state_that_was_asked_for(memory: Memory) -> None:
    find_removals(memory, memory.client, ("trim", "clear"))  # without any there is nothing to ask
    mix = {"add": 8, "read": 4, "last": 2, "trim": 1, "clear": 1}
    await withstand(memory, Workload(pods=0, mix=mix, operations=60))


@check(
    "CON22",
    "A clear during a write of the same process brings back nothing that it removed.",
    incident="langgraph issue 7206: a thread that was deleted during a turn came back, because "
    "the turn ended by writing the whole state that it had read at its start.",
    needs=[method("clear"), trait("whole_batches")],
)
async def a_session_cleared_during_a_write_stays_cleared(memory: Memory) -> None:
    writer, clearer = await memory.callers(2)
    for _ in range(max(1, round(24 * memory.effort))):
        session, old, new = memory.session(), memory.messages(2), memory.messages(2)
        start = time.perf_counter()
        await writer.add(session, old)
        within = time.perf_counter() - start
        await finish_all(
            writer.add(session, new),
            clear_after(memory.random.uniform(0, within), clearer, session),
        )
        found = await memory.client.contents(session)
        expect_contents(
            contents_of(new) if found else [], found, session=session, gone=contents_of(old)
        )


async def clear_after(seconds: float, client: Client, session: str) -> None:
    """Wait, then clear a session."""
    await asyncio.sleep(seconds)
    await client.call("clear", session)


def expect_arrived(arrived: Sequence[Any], found: Sequence[Any], when: str) -> None:
    """Raise if one of the contents that arrived is missing, in whatever order they are."""
    if missing := [each for each in arrived if each not in found]:
        raise Violation(
            f"lost: {len(arrived)} messages were acknowledged {when}, but a later read does not "
            f"return {len(missing)} of them",
            f"arrived {quote_list(arrived)}",
            f"read back {quote_list(found)}",
        )
