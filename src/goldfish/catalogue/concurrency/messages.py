"""CON: several writers, readers and processes at once lose, mix up and invent nothing."""

import asyncio
import time

from goldfish.catalogue.registry import OtherProcess, Retries, carries, check, method
from goldfish.findings.comparison import expect_contents, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.stress.nemesis import stopping_pods
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload

SINGLE = {"add": 8, "read": 1}
READING = {"add": 3, "read": 6, "last": 2}


@check(
    "CON01",
    "Messages that several processes add to one session at once are all there, once.",
    incident=(
        "langchain-community 0.4.2 FileChatMessageHistory: of 48 adds that eight writers saw "
        "succeed, 32 messages were stored; each writer had saved its own copy of the file."
    ),
    needs=[OtherProcess],
    suite="smoke",
)
async def writers_in_several_processes_lose_nothing(memory: Memory) -> None:
    await withstand(memory, Workload(batch=1, mix=SINGLE))


@check(
    "CON02",
    "The messages of a batch stay together, whatever other processes add at the same moment.",
    incident=(
        "langchain-community 0.4.2 RedisChatMessageHistory pushes message by message: with four "
        "writers, 145 of 160 questions were not followed by their own answer."
    ),
    needs=[OtherProcess],
)
async def batches_of_several_processes_stay_whole(memory: Memory) -> None:
    await withstand(memory, Workload(mix=SINGLE))


@check(
    "CON03",
    "Processes that write to many sessions at once neither lose nor mix up any of them.",
    incident=(
        "langgraph-checkpoint-sqlite 3.1.2: one user's value that could not be stored made another "
        "user's valid write of the same tick fail."
    ),
    needs=[OtherProcess],
)
async def sessions_written_at_once_do_not_touch_each_other(memory: Memory) -> None:
    await withstand(memory, Workload(sessions=8, operations=72, batch=1))


@check(
    "CON04",
    "Messages added to one session by calls at the same moment in one process are all there.",
    incident=(
        "effect-gates issue 64: each request loaded the history at its start and saved it at its "
        "end; of two at once, the one that saved last erased the other's messages."
    ),
    suite="smoke",
)
async def calls_at_once_in_one_process_lose_nothing(memory: Memory) -> None:
    await withstand(memory, Workload(pods=0, batch=1, mix=SINGLE))


@check(
    "CON05",
    "Batches added at the same moment in one process stay whole, and none is lost.",
    incident=(
        "livekit agents pull request 1977: turns that arrived between a tool call and its output "
        "stood between them in the history, which the model's API refused."
    ),
)
async def batches_at_once_in_one_process_stay_whole(memory: Memory) -> None:
    await withstand(memory, Workload(pods=0, mix=SINGLE))


@check(
    "CON06",
    "Calls for many sessions at the same moment in one process reach the right ones.",
    incident=(
        "openai-agents-python pull request 1954: the lock that was to guard the connection was "
        "made anew for each call, so it guarded nothing."
    ),
)
async def sessions_at_once_in_one_process_do_not_touch_each_other(memory: Memory) -> None:
    await withstand(memory, Workload(pods=0, sessions=6, batch=1, operations=60))


@check(
    "CON07",
    "Processes that open a new storage and write at the same moment all succeed.",
    incident=(
        "openai-agents 0.12.5 SQLAlchemySession: of eight first writes at once, one was stored and "
        'seven failed with "table already exists".'
    ),
    needs=[OtherProcess],
)
async def first_writes_of_several_processes_all_count(memory: Memory) -> None:
    for _ in range(8):
        async with memory.afresh() as fresh:
            crowd = Workload(pods=4, processes=4, operations=4, batch=1, mix={"add": 1})
            await withstand(fresh, crowd, rounds=1, cold=True)


@check(
    "CON08",
    "The very first calls of an opening may come at the same moment, and all succeed.",
    incident=(
        "llama-index-core 0.14.25 Memory: ten first puts at once all failed, and the memory stayed "
        "broken."
    ),
)
async def first_writes_at_once_in_one_process_all_count(memory: Memory) -> None:
    for _ in range(16):  # what happens only once to a storage takes many of them to see
        async with memory.afresh() as fresh:
            crowd = Workload(pods=0, processes=10, operations=10, batch=1, mix={"add": 1})
            await withstand(fresh, crowd, rounds=1, cold=True)


@check(
    "CON09",
    "Readers during writes see each batch whole or not at all, all in the same order.",
    incident=(
        "google-adk 2.13.0 DatabaseSessionService: events with one timestamp came back in another "
        "order with each reading."
    ),
    needs=[OtherProcess],
)
async def readers_see_whole_batches_in_one_order(memory: Memory) -> None:
    await withstand(memory, Workload(processes=8, operations=80, mix=READING))


@check(
    "CON10",
    "What a caller was told is stored it reads back at once, whichever process serves it.",
    incident=(
        "langchain-core's InMemoryChatMessageHistory behind several workers: a question was stored "
        "by one of them, and the next turn was answered by another that had never seen it."
    ),
    needs=[OtherProcess],
)
async def a_caller_sees_its_own_writes_through_any_process(memory: Memory) -> None:
    await withstand(memory, Workload(processes=3, sessions=3, batch=1, mix={"add": 1, "read": 1}))


@check(
    "CON11",
    "A clear among writes removes what was there, nothing that came later, and for good.",
    incident=(
        "langgraph issue 7206: a thread that was deleted during a turn came back with the turn's "
        "last write."
    ),
    needs=[OtherProcess, method("clear")],
)
async def clearing_takes_no_later_message_and_brings_none_back(memory: Memory) -> None:
    mix = {"add": 8, "read": 3, "clear": 1}
    await withstand(memory, Workload(mix=mix, operations=60, batch=1))


@check(
    "CON12",
    "A trim among writes keeps the last messages, also those that arrive meanwhile.",
    incident=(
        "biorouter issue 51: 229 of 231 messages that arrived while the history was being "
        "shortened were destroyed when the short one was written back."
    ),
    needs=[OtherProcess, method("trim", "keep_last")],
)
async def trimming_takes_no_message_that_arrives(memory: Memory) -> None:
    mix = {"add": 8, "read": 3, "trim": 1}
    await withstand(memory, Workload(mix=mix, operations=60, batch=1))


@check(
    "CON13",
    "A process that is stopped in a write and goes on later takes nothing from the others.",
    incident=(
        "hermes-webui pull request 6422: a client saved the copy that it had loaded a while ago "
        "over what another had written since."
    ),
    needs=[OtherProcess],
)
async def a_writer_that_was_stopped_and_thaws_undoes_nothing(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=1, mix=SINGLE, operations=60)
    await withstand(memory, crowd, rounds=4, nemesis=stopping_pods)


@check(
    "CON14",
    "A consumer that reads, thinks and removes what it read does not remove what came since.",
    incident=(
        "open-webui issue 28742: writers read the whole chat, changed it and wrote it back without "
        "a lock, and what had been committed in between was gone."
    ),
    needs=[method("delete_messages"), carries("id")],
)
async def what_arrives_during_a_summary_survives_it(memory: Memory) -> None:
    for _ in range(5):
        client, session, old = memory.client, memory.session(), memory.messages(6)
        await client.add(session, old)
        seen = await client.history(session)
        arrived, summary = memory.messages(4), memory.message("a summary of six messages")
        await asyncio.gather(
            client.call("delete_messages", session, [each.id for each in seen]),
            *(client.add(session, [message]) for message in arrived),
        )
        await client.add(session, [summary])
        found = await client.contents(session)
        expected = [*(each for each in found if each in contents_of(arrived)), summary.content]
        expect_contents(expected, found, session=session, gone=contents_of(old))
        if missing := [each for each in contents_of(arrived) if each not in found]:
            raise Violation(
                f"lost: {len(missing)} of {len(arrived)} messages that arrived while the older "
                "ones were removed are gone",
                f"arrived {quote_list(contents_of(arrived))}",
                f"read back {quote_list(found)}",
            )


@check(
    "CON15",
    "Messages that arrive while another process removes older ones are kept.",
    incident=(
        "mucgpt issue 1068: each turn rewrote the stored conversation to the client's copy, and "
        "erased the turns that another device had added meanwhile."
    ),
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
            other.call("delete_messages", session, [each.id for each in seen])
        )
        for message in arrived:
            await memory.client.add(session, [message])
        await removing
        for client in (memory.client, other):
            await client.expect(session, contents_of(arrived), gone=contents_of(old))


@check(
    "CON16",
    "A batch that several processes send at the same moment, as a retry does, is stored once.",
    incident=(
        "Amazon documents that a standard SQS queue delivers a message at least once: two workers "
        "may get the same turn of a conversation, and both store it."
    ),
    needs=[OtherProcess, Retries],
)
async def a_batch_sent_again_by_others_is_stored_once(memory: Memory) -> None:
    clients = [memory.client, await memory.elsewhere(), await memory.elsewhere()]
    for _ in range(6):
        session, batch = memory.session(), memory.messages(2)
        await asyncio.gather(*(client.add(session, batch) for client in clients))
        for client in clients:
            await client.expect(session, contents_of(batch))


@check(
    "CON17",
    "Adds, trims and clears at the same moment in one process end as in some order of them.",
    incident=(
        "praxis-proxy issue 662: each writer rebuilt the conversation from what it had read "
        "earlier, and a slower one put an older state over a newer."
    ),
    needs=[method("clear"), method("trim", "keep_last")],
)
async def removals_at_once_in_one_process_leave_a_state_that_was_asked_for(memory: Memory) -> None:
    mix = {"add": 8, "read": 4, "last": 2, "trim": 1, "clear": 1}
    await withstand(memory, Workload(pods=0, mix=mix, operations=60))


@check(
    "CON22",
    "A clear at the moment of a write in one process brings back nothing that it removed.",
    incident=(
        "langgraph issue 7206: a thread that was deleted during a turn came back, for the turn "
        "ended by writing the whole state that it had read at its start."
    ),
    needs=[method("clear")],
)
async def a_session_cleared_during_a_write_stays_cleared(memory: Memory) -> None:
    writer, clearer = await memory.callers(2)
    for _ in range(max(1, round(24 * memory.effort))):
        session, old, new = memory.session(), memory.messages(2), memory.messages(2)
        start = time.perf_counter()
        await writer.add(session, old)
        within = time.perf_counter() - start
        await asyncio.gather(
            writer.add(session, new),
            cleared_after(clearer, session, memory.random.uniform(0, within)),
        )
        found = await memory.client.contents(session)
        expect_contents(
            contents_of(new) if found else [], found, session=session, gone=contents_of(old)
        )


async def cleared_after(client: Client, session: str, after: float) -> None:
    """Wait so many seconds, and clear the session."""
    await asyncio.sleep(after)
    await client.call("clear", session)
